// How recordings are stored and who may read them: routes and attacks on them, the end of the browser or server, full
// disks, quotas.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { playableLength } from '../../src/sessions/recording/mp4.ts';
import { makeRecordingId } from '../../src/sessions/recording/recording-id.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, sessionsOf } from '../support/clients/clients.ts';
import { command, contentOf, directoryOf, ended, listed, move, painted } from '../support/clients/recordings.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { mountSmallDisk, noSmallDisk } from '../support/small-disk.ts';
import { type Service, startProcess, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const env = { TOKEN: 'secret-token', SPARES: '0' };

const { test, service } = fixtureSuite('recordings that are kept', { env });

/** Starts recording a page with a moving element. */
async function film(on: Service, query: Record<string, string | boolean> = {}) {
  const browser = await connect(on, '/', { record: true, ...query });
  const page = await browser.newPage();
  await move(page);
  const cdp = await page.createCDPSession();
  const began = await command(cdp, 'startRecording', { frameRate: 30 });
  assert.is(began.error, null);
  return { browser, page, cdp, id: began.recordingId ?? '' };
}

/** Whether a video of a recording has a playable fragment; the first is written after 50 frames. */
async function hasFragment(directory: string): Promise<boolean> {
  for (const name of readdirSync(directory).filter((each) => each.endsWith('.mp4'))) {
    const video = readFileSync(join(directory, name));
    const read = (from: number, to: number) => Promise.resolve(video.subarray(from, to));
    if ((await playableLength({ bytes: video.length, read })) > 0) return true;
  }
  return false;
}

test.proves('GET/recordings/:id/video.mp4?tab GET/recordings/:id/video.webm?tab');
test('with the token, the MP4 is served whole and in parts; invalid ids and ranges expose nothing', async () => {
  const { browser, page, cdp, id } = await film(service);
  refused(await service.get(`/recordings/${id}/video.mp4`), 409, /is still running/);
  await painted(page, 40);
  assert.is((await command(cdp, 'stopRecording')).error, null);
  await browser.close();
  const path = `/recordings/${id}/video.mp4`;
  const whole = succeeded(await service.get(path));
  assert.is(whole.headers['content-type'], 'video/mp4');
  assert.ok((await contentOf(new Uint8Array(whole.bytes))).times.length > 10);
  const { length } = whole.bytes;
  const tag = String(whole.headers['etag']);
  const part = (range: string, more: Record<string, string> = {}) =>
    service.get(path, { headers: { Range: range, ...more } });
  const middle = await part('bytes=10-19');
  assert.equal([middle.status, middle.headers['content-range']], [206, `bytes 10-19/${length}`]);
  assert.equal(middle.bytes, whole.bytes.slice(10, 20));
  assert.equal((await part('bytes=-5')).bytes, whole.bytes.slice(-5));
  assert.is((await part('bytes=4-99999999999999999999')).bytes.length, length - 4);
  for (const beyond of [`bytes=${length}-`, 'bytes=99999999999999999999-', 'bytes=-0']) {
    const reply = await part(beyond);
    assert.equal([reply.status, reply.headers['content-range']], [416, `bytes */${length}`], beyond);
  }
  for (const none of ['bytes=0-1,4-5', 'lines=0-1', 'bytes=5-2', 'bytes=a-b']) {
    assert.is((await part(none)).bytes.length, length, none);
  }
  assert.is((await part('bytes=0-3', { 'If-Range': tag })).status, 206);
  assert.is((await part('bytes=0-3', { 'If-Range': '"another"' })).status, 200);
  assert.is((await service.get(path, { headers: { 'If-None-Match': tag } })).status, 304);
  const head = await service.get(path, { method: 'HEAD' });
  assert.equal([head.status, head.headers['content-length'], head.bytes.length], [200, String(length), 0]);
  const webm = succeeded(await service.get(`/recordings/${id}/video.webm`));
  const film1 = await contentOf(new Uint8Array(webm.bytes));
  assert.ok(film1.isMonotonic && film1.duration > 0.5, String(film1.duration));

  const own = ['', '/video.mp4', '/video.webm'].map((end) => `/recordings/${id}${end}`);
  for (const each of ['/recordings', ...own]) {
    refused(await service.get(each, { token: null }), 401, /authentication/);
    refused(await service.get(each, { token: 'wrong' }), 401, /authentication/);
  }
  refused(await service.get(own[0] ?? '', { method: 'DELETE', token: null }), 401, /authentication/);
  for (const wrong of [
    '..%2F..%2F..%2Fetc%2Fpasswd',
    id.toUpperCase(),
    `${id}%00`,
    makeRecordingId(),
    'x'.repeat(5_000),
  ]) {
    for (const end of ['', '/video.mp4', '/video.webm']) {
      assert.is((await service.get(`/recordings/${wrong}${end}`)).status, 404, wrong);
    }
    assert.is((await service.get(`/recordings/${wrong}`, { method: 'DELETE' })).status, 404, wrong);
  }
  refused(await service.get(path, { query: { tab: 3 } }), 404, /has (none|tab)/);
  for (const tab of ['0', '1.5', '../1', '101']) refused(await service.get(path, { query: { tab } }), 400, 'tab');
  refused(await service.get('/recordings', { query: { cursor: '../..' } }), 400, 'cursor');
  refused(await service.get('/recordings', { query: { limit: 101 } }), 400, 'limit');
  assert.is((await service.get(own[0] ?? '', { method: 'DELETE' })).status, 204);
  assert.is((await service.get(own[0] ?? '')).status, 404);
  assert.not(service.output().includes('secret-token'));
});

test.proves('GET/recordings?trackingId GET/recordings?session GET/recordings?cursor GET/recordings?limit');
test('ten pages are recorded at a time; the list is paginated, and filtered by session and tracking id', async () => {
  const { browser, cdp, id } = await film(service, { trackingId: 'many' });
  // Ten more pages, besides the browser's first page and this one.
  await Promise.all(Array.from({ length: 10 }, () => browser.newPage()));
  await until('ten to be recorded, and two to be left out', async () => {
    const state = (await listed(service)).recordings.find((each) => each.id === id);
    return state?.pagesLeftOut === 2 && state.tabs.length === 10;
  });
  assert.is((await command(cdp, 'stopRecording')).error, null);
  assert.is((await command(cdp, 'startRecording')).error, null);
  await browser.disconnect();
  const [one, two] =
    (await until('both', async () => {
      const { recordings } = await listed(service, { trackingId: 'many' });
      return recordings.length === 2 && recordings.every(({ state }) => state === 'finished') ? recordings : undefined;
    })) ?? [];
  assert.is(one?.reason, 'The session ended.');
  const first = await listed(service, { session: one?.session ?? '', limit: 1 });
  assert.equal([first.recordings.map((each) => each.id), first.next], [[one?.id], one?.id]);
  const next = await listed(service, { cursor: first.next ?? '', limit: 100 });
  assert.equal([next.recordings[0]?.id, next.next], [two?.id, null]);
});

test('after a browser is killed, the video recorded so far plays', async () => {
  const { page, id } = await film(service, { isolation: 'process' });
  const directory = directoryOf(service, id);
  await until('a fragment', () => hasFragment(directory));
  const [entry] = await sessionsOf(service);
  assert.ok(entry);
  const browser = service
    .tree()
    .find((each) => each.command.includes('--remote-debugging-pipe') && !each.command.includes('--type='));
  assert.ok(browser);
  process.kill(browser.pid, 'SIGKILL');
  const recording = await ended(service, id);
  assert.equal([recording.state, recording.reason], ['cut short', 'The browser exited.']);
  const tab = recording.tabs.find(({ bytes }) => bytes > 0)?.tab ?? 0;
  const video = succeeded(await service.get(`/recordings/${id}/video.mp4`, { query: { tab } }));
  assert.ok((await contentOf(new Uint8Array(video.bytes))).times.length >= 25);
  assert.ok(page);
});

test.proves('RECORDINGS_DIR RECORDINGS_DAYS');
test('after the server stops or is killed, the restarted server has its recordings, and garbage does no harm', async () => {
  const kept = join(service.baseDir, 'kept');
  mkdirSync(kept);
  const first = await startService({ env: { ...env, SOCKET_DRAIN_MS: '0', RECORDINGS_DIR: kept } });
  const stopped = await film(first);
  await painted(stopped.page, 20);
  const directory = directoryOf(first, stopped.id);
  await first.stop();
  const meta = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8'));
  assert.equal([meta.state, meta.owner], ['finished', undefined]);
  assert.ok(meta.tabs.every(({ bytes }: { bytes: number }) => bytes > 0));
  const second = await startProcess({ env: { ...env, RECORDINGS_DIR: kept } });
  const { id } = await film(second);
  const path = directoryOf(second, id);
  await until('a fragment', () => hasFragment(path));
  await second.end('SIGKILL');
  const day = join(kept, new Date().toISOString().slice(0, 10));
  const garbage = ['', '{', '[]', 'null', '{"id":1}', JSON.stringify({ id: 'x', state: 'recording' })].map((text) => {
    const name = makeRecordingId();
    mkdirSync(join(day, name));
    writeFileSync(join(day, name, 'meta.json'), text);
    return name;
  });
  mkdirSync(join(kept, 'not-a-date'));
  writeFileSync(join(day, 'a-file'), 'x');
  const old = makeRecordingId(Date.now() - 8 * 24 * 3_600_000);
  mkdirSync(join(kept, new Date(Date.now() - 8 * 24 * 3_600_000).toISOString().slice(0, 10), old), { recursive: true });
  await second.stop().catch(() => undefined);
  await using third = await startService({ env: { ...env, RECORDINGS_DIR: kept } });
  const recording = await ended(third, id);
  assert.equal([recording.state, recording.reason], ['cut short', 'The server exited during the recording.']);
  const tab = recording.tabs.find(({ bytes }) => bytes > 0)?.tab ?? 0;
  const video = succeeded(await third.get(`/recordings/${id}/video.mp4`, { query: { tab } }));
  assert.ok((await contentOf(new Uint8Array(video.bytes))).times.length >= 25);
  assert.is((await listed(third)).recordings.length, 2);
  for (const name of garbage) refused(await third.get(`/recordings/${name}`), 404, /no recording/);
  await until(
    'RECORDINGS_DAYS to remove the old one',
    () => !readdirSync(kept).includes(new Date(Date.now() - 8 * 24 * 3_600_000).toISOString().slice(0, 10)),
  );
});

test.proves('RECORDINGS_BYTES');
test('RECORDINGS_BYTES: the oldest recordings are removed, and one that is too large by itself is stopped', async () => {
  await using small = await startService({ env: { ...env, RECORDINGS_BYTES: '60000' } });
  const oldest = await film(small);
  await painted(oldest.page, 10);
  assert.is((await command(oldest.cdp, 'stopRecording')).error, null);
  await oldest.browser.close();
  const { browser, page, cdp, id } = await film(small);
  await page.evaluate(`
      const canvas = document.body.appendChild(document.createElement('canvas'));
      canvas.width = 320; canvas.height = 240;
      const context = canvas.getContext('2d');
      const paint = () => {
        const image = context.createImageData(320, 240);
        for (let at = 0; at < image.data.length; at++) image.data[at] = Math.random() * 256;
        context.putImageData(image, 0, 0);
        requestAnimationFrame(paint);
      };
      paint();
    `);
  const recording = await ended(small, id);
  assert.equal([recording.state, /RECORDINGS_BYTES/.test(recording.reason ?? '')], ['finished', true]);
  assert.is((await small.get(`/recordings/${oldest.id}`)).status, 404);
  assert.match(JSON.stringify(await command(cdp, 'stopRecording')).slice(0, 500), /RECORDINGS_BYTES.*\/recordings\//);
  await browser.close();
});

const why = noSmallDisk();
if (why !== undefined) test.skip('a full disk', why);
else {
  test('a disk with less than 5% free space stops a recording and does not let another start', async () => {
    const disk = mountSmallDisk(16 * 2 ** 20);
    const full = await startService({ env: { ...env, RECORDINGS_DIR: disk.path } });
    try {
      const { browser, page, cdp, id } = await film(full);
      await painted(page, 10);
      disk.fill(2 ** 19);
      const recording = await ended(full, id);
      assert.match(recording.reason ?? '', /5% of the disk/);
      assert.is(recording.state, 'finished');
      assert.match((await command(cdp, 'startRecording')).error ?? '', /5% of the disk/);
      disk.fill(0);
      assert.match((await command(cdp, 'startRecording')).error ?? '', /disk/);
      disk.clear();
      assert.is((await command(cdp, 'startRecording')).error, null);
      await browser.close();
    } finally {
      await full.stop();
      disk.unmount();
    }
  });
}
