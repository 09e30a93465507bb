// Parts of recordings: ids, sizes, browser versions, the playable part of a truncated MP4, byte ranges, and the
// recordings of several accounts on one server: no account sees another's or uses up its links.
import { Buffer } from 'node:buffer';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { recordingLimits, shareLimits } from '../../src/base/limits.ts';
import { Ids } from '../../src/base/runtime/ids.ts';
import type { RawMessage } from '../../src/browser/cdp/raw-message.ts';
import { CdpConnection } from '../../src/browser/cdp/process-connection.ts';
import { DirectoryStore } from '../../src/sessions/recording/directory-store.ts';
import { EventLog } from '../../src/sessions/recording/events/event-log.ts';
import { parseMeta, type RecordingMeta } from '../../src/sessions/recording/meta.ts';
import { playableLength } from '../../src/sessions/recording/mp4.ts';
import { dateOf, isRecordingId, makeRecordingId, timeOf } from '../../src/sessions/recording/recording-id.ts';
import { RecordedPage } from '../../src/sessions/recording/recorded-page.ts';
import { requireRecordingSupport } from '../../src/sessions/recording/recordings.ts';
import { ShareLinks } from '../../src/sessions/recording/share-links.ts';
import { videoSizeOf } from '../../src/sessions/recording/video.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { byteRangeOf } from '../../src/api/routes/recordings/videos.ts';

const test = suite('recording');

/** The meta.json of a finished recording, without its id. */
const finishedRecording = {
  session: 's',
  trackingId: null,
  browser: 'Chrome/156',
  state: 'finished',
  reason: 'x',
  startedOn: 1,
  endedOn: 2,
  frameRate: 15,
  tabs: [],
  account: '',
  pagesLeftOut: 0,
  kind: 'replay',
};

function metaOf(id: string, change: object = {}): RecordingMeta {
  const meta = parseMeta(JSON.stringify({ ...finishedRecording, ...change, id }), id);
  if (!meta) throw new Error('it was not accepted');
  return meta;
}

/** The directory of a store, which every call of `open` opens as another server does. */
function storeDirectory(write: (line: string) => void = () => {}, maxBytes = 0) {
  const directory = temporaryDirectory();
  const log = createLog({ level: 'info', write });
  return { directory, open: () => new DirectoryStore({ directory, maxBytes, days: 7, log }) };
}

test('ids contain their time and sort by it, and other strings are not ids', () => {
  const at = Date.UTC(2026, 10, 26, 1, 2, 3);
  const id = makeRecordingId(at);
  assert.ok(isRecordingId(id), id);
  assert.equal([timeOf(id), dateOf(id)], [at, '2026-11-26']);
  assert.ok(makeRecordingId(at + 1) > id);
  assert.is(new Set(Array.from({ length: 1_000 }, () => makeRecordingId(at))).size, 1_000);
  for (const wrong of ['', '..', `../${id}`, `${id}/..`, `${id}\n`, id.toUpperCase(), crypto.randomUUID()]) {
    assert.not(isRecordingId(wrong), wrong);
  }
  assert.not(isRecordingId(`ffffffff-ffff-7${id.slice(15)}`), 'a time after the year 9999');
});

test('a video has even dimensions, the aspect ratio of its page and at most 1920x1080', () => {
  const sizes = [
    [800, 600, 800, 600],
    [781, 493, 780, 492],
    [3_840, 2_160, 1_920, 1_080],
    [1_000, 4_000, 270, 1_080],
    [1, 1, 2, 2],
  ] as const;
  for (const [width, height, ...expected] of sizes) {
    assert.equal(Object.values(videoSizeOf({ width, height })), expected);
  }
});

test('Chromium before 153 cannot record', () => {
  for (const product of ['HeadlessChrome/153.0.1', 'Chrome/156.0.8078.79', 'Edg/160.0'])
    requireRecordingSupport(product);
  assert.throws(
    () => requireRecordingSupport('HeadlessChrome/133.0.6943.0'),
    /^Recording needs Chromium 153 or newer; this browser is 133\.$/,
  );
  assert.throws(() => requireRecordingSupport('Firefox'), /this browser is Firefox/);
});

function box(type: string, bytes: number): Uint8Array {
  const made = new Uint8Array(bytes);
  new DataView(made.buffer).setUint32(0, bytes);
  made.set(new TextEncoder().encode(type), 4);
  return made;
}

function fileOf(...parts: Uint8Array[]) {
  const bytes = new Uint8Array(parts.flatMap((part) => [...part]));
  return { bytes: bytes.length, read: async (from: number, to: number) => bytes.slice(from, to) };
}

test('the playable part of a file is its header and its complete fragments', async () => {
  const head = [box('ftyp', 36), box('moov', 100)];
  const fragment = [box('moof', 40), box('mdat', 60)];
  const plays = (...parts: Uint8Array[]) => playableLength(fileOf(...parts));
  assert.is(await plays(), 0);
  assert.is(await plays(...head), 0);
  assert.is(await plays(...fragment), 0, 'without a header, nothing plays');
  assert.is(await plays(...head, ...fragment), 236);
  assert.is(await plays(...head, ...fragment, ...fragment, box('mfra', 16)), 352);
  for (const cut of [1, 7, 8, 39, 40, 47, 99]) {
    const broken = new Uint8Array(fragment.flatMap((part) => [...part])).slice(0, cut);
    assert.is(await plays(...head, ...fragment, broken), 236, String(cut));
  }
  const endless = box('mdat', 60);
  endless.fill(0, 0, 4);
  assert.is(await plays(...head, ...fragment, box('moof', 40), endless), 236);
  const huge = new Uint8Array(60).fill(255);
  huge.set([0, 0, 0, 1]);
  assert.is(await plays(...head, ...fragment, box('moof', 40), huge), 236);
});

test('events from a clock that is ahead do not wait forever; what follows a chunk that was not written is omitted', async () => {
  const chunks: Uint8Array[] = [];
  let isFull = false;
  const file = {
    append(piece: Uint8Array) {
      if (isFull) return Promise.reject(new Error('the disk is full'));
      chunks.push(piece);
      return Promise.resolve();
    },
    close: () => Promise.resolve(chunks.reduce((sum, { length }) => sum + length, 0)),
  };
  const log = new EventLog(file);
  const line = (text: string) => JSON.stringify({ timestamp: 1, type: 3, text });
  log.add(Date.now() + 3_600_000, line('ahead'));
  const began = performance.now();
  await until('the event to be due', () => performance.now() - began > 900);
  await log.drain();
  assert.is(log.events, 1);
  for (let count = 0; count < 10; count++) log.add(Date.now() + 3_600_000, line('x'.repeat(1_000_000)));
  assert.ok(log.events > 4, 'many are written immediately');
  isFull = true;
  const problem = await log.drain().then(() => '', String);
  assert.match(problem, 'the disk is full');
  isFull = false;
  assert.ok((await log.close()) > 0);
});

test('a later sweep saves how a recording ended if that failed at first, and one that still fails does not stop it', async () => {
  const logLines: string[] = [];
  const place = storeDirectory((text) => void logLines.push(text));
  using store = place.open();
  const make = async () => {
    const id = makeRecordingId();
    const meta = metaOf(id, { state: 'recording', endedOn: null, reason: null });
    const writer = await store.create(meta);
    const blocked = join(place.directory, dateOf(id), id, 'meta.json.new');
    mkdirSync(blocked);
    await writer.finish({ ...meta, state: 'finished' });
    return { id, blocked };
  };
  const [first, second] = [await make(), await make()];
  const inFile = async (id: string) => {
    using other = place.open();
    return (await other.find(id))?.state;
  };
  assert.is((await store.find(first.id))?.state, 'finished');
  assert.is(await inFile(first.id), 'recording');
  rmSync(first.blocked, { recursive: true });
  await store.sweep();
  assert.equal([await inFile(first.id), await inFile(second.id)], ['finished', 'recording']);
  assert.is((await store.find(second.id))?.state, 'finished');
  {
    // A restarted server knows only the file.
    using next = place.open();
    await next.sweep();
  }
  assert.match(logLines.join(''), 'recording.not-mended');
  rmSync(second.blocked, { recursive: true });
  await store.sweep();
  assert.is(await inFile(second.id), 'finished');
});

test('a page that cannot be recorded leaves a complete events file', async () => {
  const place = storeDirectory();
  using store = place.open();
  const id = makeRecordingId();
  const meta = metaOf(id, { state: 'recording' });
  const writer = await store.create(meta);
  const targetInfo = { targetId: 'page', type: 'page', title: '', url: '', attached: true, canAccessOpener: false };
  const told: Record<string, object> = {
    'Target.attachToTarget': { result: { sessionId: 'one' } },
    'Target.getTargetInfo': { result: { targetInfo } },
  };
  let receive: (message: RawMessage) => void = () => {};
  const connection = new CdpConnection({
    send(text) {
      const { id: command, method, sessionId } = JSON.parse(text);
      const answer = told[method] ?? { error: { code: -32_000, message: 'Not allowed' } };
      const part = Buffer.from(JSON.stringify({ id: command, ...answer, sessionId }));
      queueMicrotask(() => receive({ parts: [part], bytes: part.length }));
    },
    congestion: () => undefined,
    onMessage: (listener) => void (receive = listener),
    onCut: () => {},
    onClose: () => {},
  });
  const facts = { tab: 1, page: 'page', startedOn: 1, width: 0, height: 0, bytes: 0, eventBytes: 0, events: 0 };
  const starting = RecordedPage.start({
    connection,
    facts: { ...facts, title: '', website: '', endedOn: null },
    writer,
    capture: { kind: 'video', frameRate: 15 },
  });
  assert.match(await starting.then(String, String), 'Not allowed');
  const path = join(place.directory, dateOf(id), id, 'events-1.ndjson.gz');
  assert.is(gunzipSync(readFileSync(path)).toString(), '');
  await writer.finish(meta);
});

test('the oldest recordings of the account that uses the most space are removed first', async () => {
  const place = storeDirectory(undefined, 20_000);
  using store = place.open();
  let atMs = Date.now();
  const make = async (account: string) => {
    // Use different times: of two that start in the same millisecond, neither is the older one.
    const id = makeRecordingId(atMs++);
    const meta = metaOf(id, { account });
    const writer = await store.create(meta);
    const events = await writer.openEvents(1);
    await events.append(new Uint8Array(1_000));
    await writer.finish(meta);
    return id;
  };
  const quiet = await make('quiet');
  const [oldest, older, newest] = [await make('loud'), await make('loud'), await make('loud')];
  assert.is(await store.problem(), undefined);
  const left = (await store.list({ limit: 10 })).recordings.map(({ id }) => id);
  assert.equal(left.toSorted(), [quiet, newest].toSorted());
  assert.equal(left.includes(oldest) || left.includes(older), false);
  assert.equal(
    (await store.list({ limit: 10, account: 'quiet' })).recordings.map(({ id }) => id),
    [quiet],
  );
});

test('parses byte ranges', () => {
  const ranges = {
    'bytes=0-0': { from: 0, to: 1 },
    'bytes=5-': { from: 5, to: 10 },
    'bytes=-3': { from: 7, to: 10 },
    'bytes=-30': { from: 0, to: 10 },
    'bytes=2-99999999999999999999999': { from: 2, to: 10 },
    ' Bytes=1-2 ': { from: 1, to: 3 },
    'bytes=10-': 'beyond',
    'bytes=99999999999999999999999-': 'beyond',
    'bytes=-0': 'beyond',
  };
  for (const [header, expected] of Object.entries(ranges)) assert.equal(byteRangeOf(header, 10), expected, header);
  for (const header of [null, '', 'bytes=', 'bytes=-', 'bytes=3-2', 'bytes=0-1,3-4', 'pages=1-2', 'bytes=1.5-2']) {
    assert.is(byteRangeOf(header, 10), undefined, String(header));
  }
  assert.is(byteRangeOf('bytes=0-', 0), 'beyond');
});

test('meta.json is accepted only if it describes the recording with that id', () => {
  const id = makeRecordingId();
  const meta = { ...finishedRecording, id };
  assert.equal(parseMeta(JSON.stringify(meta), id), meta);
  assert.is(parseMeta(JSON.stringify(meta), makeRecordingId()), undefined);
  const wrong = [undefined, '', '{', '[]', 'null', '1', { ...meta, state: 'gone' }, { ...meta, tabs: [{ tab: -1 }] }];
  for (const each of wrong) {
    assert.is(parseMeta(typeof each === 'object' ? JSON.stringify(each) : each, id), undefined);
  }
});

test('a cursor is the id of a recording of the same account, and the pages are complete', async () => {
  const place = storeDirectory();
  using store = place.open();
  let atMs = Date.now() - 1_000_000;
  const make = async (account: string) => {
    const id = makeRecordingId(atMs++);
    const meta = metaOf(id, { account });
    await (await store.create(meta)).finish(meta);
    return id;
  };
  const own: string[] = [];
  // Between two of the account's recordings there are more of others than one list request scans.
  for (const others of [3, recordingLimits.lookedThrough + 5, 1, 0, 2]) {
    own.unshift(await make('own'));
    await Promise.all(Array.from({ length: others }, () => make('other')));
  }
  // A server that has just started does not know the recordings yet.
  using fresh = place.open();
  for (const lister of [store, fresh]) {
    for (const limit of [1, 2, 3, 100]) {
      const listed: string[] = [];
      for (let cursor: string | undefined, pages = 0; pages <= own.length; pages++) {
        const { recordings, next } = await lister.list({ account: 'own', limit, cursor });
        listed.push(...recordings.map(({ id }) => id));
        if (next === null) break;
        assert.ok(own.includes(next), 'the cursor belongs to another account');
        cursor = next;
      }
      assert.equal(listed, own, `${limit} per page`);
    }
    const none = await lister.list({ account: 'own', limit: 10, trackingId: 'none' });
    assert.equal(none, { recordings: [], next: null });
  }
  assert.equal(await fresh.list({ account: 'nobody', limit: 1 }), { recordings: [], next: null });
});

test('an account that uses up all links loses its oldest ones, and keeps no one else from sharing', () => {
  const most = 300;
  const shares = new ShareLinks(new Ids(undefined), most);
  const recording = (id: number, account: string) => ({ id: `${account}-${id}`, account });
  const made = Array.from({ length: most }, (_, count) =>
    shares.share(recording(Math.floor(count / shareLimits.ofRecording), 'loud'), shareLimits.maxMs),
  );
  assert.throws(() => shares.share(recording(-1, 'loud'), 60_000), /keeps at most 300 links/);
  assert.ok(shares.find(made[0]?.id ?? ''), 'a rejected link removes none');
  const [one, two] = [1, 2].map((id) => shares.share(recording(id, 'quiet'), 60_000));
  assert.ok(shares.find(one?.id ?? '') && shares.find(two?.id ?? ''));
  assert.equal(
    made.slice(0, 3).map(({ id }) => shares.find(id) !== undefined),
    [false, false, true],
    'the oldest links of the loud account were removed',
  );
  assert.throws(() => shares.share(recording(-1, 'loud'), 60_000), /keeps at most 300 links/);
  // Links that the player creates for itself: the same limit, but no error.
  const first = shares.visit(recording(1, 'quiet'));
  const visits = Array.from({ length: most }, (_, id) => shares.visit(recording(id, 'loud')));
  assert.ok(shares.find(first.id), 'the oldest of all stays, since its account has only one');
  assert.is(shares.find(visits[0]?.id ?? ''), undefined);
  assert.ok(shares.find(one?.id ?? ''));
});
