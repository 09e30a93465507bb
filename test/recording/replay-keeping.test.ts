// Stored replays: who may read their events and how, and what is left when the browser or server is killed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { makeRecordingId } from '../../src/sessions/recording/recording-id.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { command, directoryOf, ended, eventsOf, listed, replayTypes, written } from '../support/clients/recordings.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startProcess, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const env = { TOKEN: 'secret-token', SPARES: '0' };

const { test, service, site } = fixtureSuite('replays that are kept', { env });

async function record(on: Service, query: Record<string, string> = {}) {
  const browser = await connect(on, '/', { replay: true, ...query });
  const page = await browser.newPage();
  await page.goto(`${site.url}/replay/app?card=4111111111111111`);
  await page.evaluate("show('kept'); console.log('words of the page')");
  const { recordings } = await listed(on);
  return { browser, page, id: recordings[0]?.id ?? '' };
}

test.proves('GET/recordings/:id/events?tab');
test('with the token, the events are served compressed or not; invalid ids and tabs expose nothing', async () => {
  const { browser, page, id } = await record(service);
  refused(await service.get(`/recordings/${id}/events`), 409, 'stopSessionRecording');
  refused(await service.get(`/recordings/${id}`, { method: 'DELETE' }), 409, 'stopSessionRecording');
  const session = await page.createCDPSession();
  assert.is((await command(session, 'stopSessionRecording')).error, null);
  assert.match((await command(session, 'stopSessionRecording', { now: true })).error ?? '', 'now');
  await browser.close();
  const path = `/recordings/${id}/events`;
  const { tabs } = succeeded(await service.get(`/recordings/${id}`)).json<{
    tabs: { eventBytes: number; tab: number }[];
  }>();
  const tab = tabs.at(-1)?.tab ?? 0;
  const whole = succeeded(await service.get(path, { query: { tab } }));
  const { headers } = whole;
  assert.is(headers['content-encoding'], undefined);
  assert.equal(
    [headers['x-content-type-options'], headers['content-security-policy'], headers['cache-control'], headers['vary']],
    ['nosniff', 'sandbox', 'private, no-cache', 'Accept-Encoding'],
  );
  for (const encoding of ['gzip', 'br, gzip;q=0.5', '*']) {
    const asIs = await service.get(path, { query: { tab }, headers: { 'Accept-Encoding': encoding } });
    assert.is(asIs.headers['content-encoding'], 'gzip', encoding);
    assert.is(asIs.headers['content-length'], String(tabs.at(-1)?.eventBytes));
    assert.is(gunzipSync(asIs.bytes).toString(), whole.text);
  }
  const plain = await service.get(path, { query: { tab }, headers: { 'Accept-Encoding': 'gzip;q=0, br' } });
  assert.equal([plain.headers['content-encoding'], plain.text], [undefined, whole.text]);
  const head = await service.get(path, { query: { tab }, method: 'HEAD' });
  assert.equal([head.status, head.bytes.length], [200, 0]);
  refused(await service.get(path, { token: null }), 401, /authentication/);
  refused(await service.get(path, { token: 'wrong' }), 401, /authentication/);
  for (const wrong of ['..%2F..%2Fetc', `${id}%00`, makeRecordingId(), 'x'.repeat(5_000)]) {
    assert.is((await service.get(`/recordings/${wrong}/events`)).status, 404, wrong);
  }
  for (const none of ['0', '1.5', '../1', '101'])
    refused(await service.get(path, { query: { tab: none } }), 400, 'tab');
  refused(await service.get(path, { query: { tab: 77 } }), 404, /no events of tab 77; it has tab 1, 2/);
  refused(await service.get(`/recordings/${id}/video.mp4`), 404, /no video of tab 1; it has none/);
  assert.is((await service.get(`/recordings/${id}`, { method: 'DELETE' })).status, 204);
  assert.is((await service.get(path)).status, 404);
  for (const secret of ['secret-token', '4111111111111111', 'words of the page']) {
    assert.not(service.output().includes(secret), secret);
  }
});

test('after a browser is killed, the events recorded so far are there', async () => {
  const { id } = await record(service, { isolation: 'process' });
  await written(service, id, 'at kept');
  const browser = service
    .tree()
    .find((each) => each.command.includes('--remote-debugging-pipe') && !each.command.includes('--type='));
  assert.ok(browser);
  process.kill(browser.pid, 'SIGKILL');
  const recording = await ended(service, id);
  assert.equal([recording.state, recording.reason], ['cut short', 'The browser exited.']);
  const tab = recording.tabs.find(({ title }) => title === 'kept');
  const events = await eventsOf(service, id, tab?.tab ?? 0);
  assert.is(events.length, tab?.events);
  assert.match(JSON.stringify(events), 'at kept');
});

test('replays of clients that disconnect during startup all end', async () => {
  const before = (await listed(service)).recordings.length;
  const leaving = Array.from({ length: 4 }, async (_, index) => {
    const client = new WebSocket(socketUrl(service, '/', { replay: true }));
    client.on('error', () => undefined);
    const gone = new Promise((resolve) => client.once('close', resolve));
    await new Promise((resolve, reject) => {
      client.once(index % 2 === 0 ? 'upgrade' : 'open', resolve);
      client.once('unexpected-response', () => reject(new Error('refused')));
    });
    client.terminate();
    await gone;
  });
  await Promise.all(leaving);
  await until('all replays to end', async () => {
    const { recordings } = await listed(service);
    const hasSessions = (await sessionsOf(service)).length > 0;
    return !hasSessions && recordings.every(({ state }) => state !== 'recording');
  });
  assert.ok((await listed(service)).recordings.length > before);
});

test('after a server is killed, the next one repairs the files; a server that stops finishes them', async () => {
  const kept = join(service.baseDir, 'kept');
  mkdirSync(kept);
  const first = await startService({ env: { ...env, RECORDINGS_DIR: kept } });
  const stopped = await record(first);
  const directory = directoryOf(first, stopped.id);
  await first.stop();
  const meta = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8'));
  assert.equal([meta.state, meta.kind, meta.owner], ['finished', 'replay', undefined]);
  const second = await startProcess({ env: { ...env, RECORDINGS_DIR: kept } });
  const { id, page } = await record(second);
  await written(second, id, 'at kept');
  await page.evaluate("console.log('the last words')");
  const file = await written(second, id, 'the last words');
  await second.end('SIGKILL');
  // Simulate a crash while these bytes were being written.
  writeFileSync(file, readFileSync(file).subarray(0, -7));
  await second.stop().catch(() => undefined);
  await using third = await startService({ env: { ...env, RECORDINGS_DIR: kept } });
  const recording = await ended(third, id);
  assert.equal([recording.state, recording.reason], ['cut short', 'The server exited during the recording.']);
  const tab = recording.tabs.find(({ website }) => website.endsWith('/kept'));
  const events = await eventsOf(third, id, tab?.tab ?? 0);
  assert.is(events.length, tab?.events);
  assert.ok(events.some(({ type }) => type === replayTypes.full));
});
