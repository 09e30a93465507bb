// Recordings of several accounts on one server: no account sees another's recordings or uses up its links.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { recordingLimits, shareLimits } from '../../src/base/limits.ts';
import { DirectoryStore } from '../../src/sessions/recording/directory-store.ts';
import { parseMeta } from '../../src/sessions/recording/meta.ts';
import { makeRecordingId } from '../../src/sessions/recording/recording-id.ts';
import { ShareLinks } from '../../src/sessions/recording/share-links.ts';
import { Ids } from '../../src/base/runtime/ids.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { finishedRecording } from '../support/finished-recording.ts';
import { suite } from '../support/suite.ts';

const test = suite('recordings of accounts');

test('a cursor is the id of a recording of the same account, and the pages are complete', async () => {
  const directory = mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'store-'));
  const log = createLog({ level: 'error', write: () => {} });
  const options = { directory, maxBytes: 0, days: 0, log };
  using store = new DirectoryStore(options);
  let atMs = Date.now() - 1_000_000;
  const make = async (account: string) => {
    const id = makeRecordingId(atMs++);
    const meta = parseMeta(JSON.stringify({ ...finishedRecording, id, account }), id);
    assert.ok(meta);
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
  using fresh = new DirectoryStore(options);
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
  rmSync(directory, { recursive: true });
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
