// Recordings that clients start and stop: on the headless shell, full Chromium and the embedded shell, across
// navigations, tabs and dialogs; the video is playable WebM.
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import CDP from 'chrome-remote-interface';
import type { Browser, Dialog } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { embeddedShell } from '../../src/browser/processes/embedded.ts';
import { connect, endAll, sessionsOf } from '../support/clients/clients.ts';
import { command, contentOf, listed, move, painted } from '../support/clients/recordings.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('recordings by command', { env: { TOKEN: 'secret-token' } });
let embedded: Service | undefined;

test.before(async () => {
  const shell = await embeddedShell(join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'browserd'));
  if (shell) embedded = await startService({ env: { SHELL_PATH: shell.path, SPARES: '0' } });
});
test.after(() => stopAll(embedded));
test.after.each(() => endAll(service));

const bytesOf = (text: string | null, encoding: BufferEncoding) => {
  const buffer = Buffer.from(text ?? '', encoding);
  return new Uint8Array(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.length) as ArrayBuffer);
};

async function openTab(browser: Browser, url = 'about:blank') {
  const page = await browser.newPage();
  await page.goto(url);
  await move(page);
  return { page, cdp: await page.createCDPSession() };
}

async function plays(browser: Browser, base64: string): Promise<number> {
  const page = await browser.newPage();
  const script = `(async () => {
    const video = document.createElement('video');
    video.muted = true;
    video.src = 'data:video/webm;base64,${base64}';
    document.body.append(video);
    await video.play();
    await new Promise((resolve) => video.addEventListener('timeupdate', resolve, { once: true }));
    video.currentTime = video.duration / 2;
    await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
    return video.videoWidth;
  })()`;
  return Number(await page.evaluate(script));
}

const kinds = { 'headless shell': {}, 'full Chromium': { launch: JSON.stringify({ headless: 'new' }) } };
for (const [kind, query] of Object.entries(kinds)) {
  test.proves('record@cdp');
  test(`${kind}: cross-site navigations and a new size, as WebM that plays`, async () => {
    const browser = await connect(service, '/', { ...query, record: true, trackingId: kind.replace(' ', '-') });
    const { page, cdp } = await openTab(browser, `${site.url}/plain`);
    const asked = performance.now();
    const began = await command(cdp, 'startRecording', { frameRate: 25 });
    assert.is(began.error, null);
    assert.match(began.url ?? '', /\/recordings\/[\da-f-]{36}$/);
    const from = performance.now();
    assert.match((await command(cdp, 'startRecording')).error ?? '', 'already being recorded');
    await painted(page, 15);
    await page.goto(`${site.url.replace('127.0.0.1', 'localhost')}/plain`);
    await page.setViewport({ width: 640, height: 480 });
    await move(page);
    await painted(page, 30);
    const seconds = (performance.now() - from) / 1_000;
    const { error, value, recordingId } = await command(cdp, 'stopRecording', { encoding: 'base64' });
    const longest = (performance.now() - asked) / 1_000;
    assert.is(error, null);
    assert.is(recordingId, began.recordingId);
    const video = await contentOf(bytesOf(value, 'base64'));
    assert.match(video.type, /^video\/webm; codecs="av01/);
    assert.equal([video.width, video.height, video.tracks, video.isMonotonic], [800, 600, 1, true]);
    const isWhole = video.duration > seconds * 0.9 - 0.4 && video.duration < longest + 0.4;
    assert.ok(isWhole, `${video.duration} s of ${seconds} to ${longest} s`);
    assert.is(await plays(browser, value ?? ''), 800);
    const { recordings } = await listed(service, { trackingId: kind.replace(' ', '-') });
    assert.equal([recordings.length, recordings[0]?.state], [1, 'finished']);
    assert.match((await command(cdp, 'stopRecording')).error ?? '', 'Nothing is being recorded');
    await browser.close();
  });
}

test('each of three tabs, including one that opens late and one that closes, has a video; a tab gets its own video in the response', async () => {
  const browser = await connect(service, '/', { record: true });
  const first = await openTab(browser);
  const second = await openTab(browser);
  assert.is((await command(first.cdp, 'startRecording')).error, null);
  const third = await openTab(browser);
  const ownId = (await second.cdp.send('Target.getTargetInfo')).targetInfo.targetId;
  await until('the third to be recorded', async () => {
    const { recordings } = await listed(service);
    return recordings[0]?.tabs.length === 4;
  });
  for (const { page } of [first, second, third]) await painted(page, 10);
  await third.page.close();
  const { error, value, recordingId } = await command(second.cdp, 'stopRecording');
  assert.is(error, null);
  assert.ok((await contentOf(bytesOf(value, 'latin1'))).times.length > 3);
  const meta = succeeded(await service.get(`/recordings/${recordingId}`)).json<{
    tabs: { tab: number; page: string; bytes: number; mp4: string; webm: string }[];
  }>();
  // The browser's first page is one of them.
  assert.is(meta.tabs.length, 4);
  assert.ok(meta.tabs.every(({ bytes }) => bytes > 0));
  assert.ok(meta.tabs.some(({ page }) => page === ownId));
  const last = meta.tabs.at(-1);
  const webm = succeeded(await service.get(new URL(last?.webm ?? '').pathname, { query: { tab: last?.tab ?? 0 } }));
  const film = await contentOf(new Uint8Array(webm.bytes));
  assert.ok(film.times.length > 3, 'the last frames of a tab that a client closes are kept');
  await browser.close();
});

test('recording works with a dialog at the start and at the end, and with a page that crashes', async () => {
  const browser = await connect(service, '/', { record: true });
  const { page, cdp } = await openTab(browser);
  const shown = new Promise<Dialog>((resolve) => page.once('dialog', resolve));
  const answered = page.evaluate("alert('wait')").catch(() => undefined);
  const dialog = await shown;
  assert.is((await command(cdp, 'startRecording')).error, null);
  await dialog.accept();
  await answered;
  await painted(page, 20);
  const again = new Promise<Dialog>((resolve) => page.once('dialog', resolve));
  void page.evaluate("alert('stop')").catch(() => undefined);
  const second = await again;
  const stopped = await command(cdp, 'stopRecording');
  assert.is(stopped.error, null);
  await second.accept();
  assert.is((await command(cdp, 'startRecording')).error, null);
  await painted(page, 20);
  const crashed = new Promise((resolve) => page.once('error', resolve));
  void page.goto('chrome://crash').catch(() => undefined);
  void cdp.send('Page.crash').catch(() => undefined);
  await crashed;
  assert.is((await command(cdp, 'stopRecording')).error, null);
  await browser.close();
});

test('invalid parameters and a connection without record=true are errors in the result', async () => {
  const browser = await connect(service, '/', { record: true });
  const { cdp } = await openTab(browser);
  for (const [params, word] of [
    [{ frameRate: 0 }, 'from 1 to 60'],
    [{ frameRate: 1.5 }, 'from 1 to 60'],
    [{ audio: true }, 'with sound'],
    [{ colour: 'red' }, 'colour'],
  ] as const) {
    assert.match((await command(cdp, 'startRecording', params)).error ?? '', word);
  }
  assert.match((await command(cdp, 'stopRecording', { encoding: 'hex' })).error ?? '', 'base64');
  await browser.close();
  for (const query of [{}, { record: false }]) {
    const other = await connect(service, '/', query);
    const tab = await openTab(other);
    for (const method of ['startRecording', 'stopRecording']) {
      const response = await command(tab.cdp, method);
      assert.match(response.error ?? '', 'record=true');
      assert.is(response.url, null);
    }
    await other.close();
  }
  refused(await service.get('/sessions', { query: { record: 'true' } }), 400, 'record');
  assert.is((await listed(service, { session: 'none' })).recordings.length, 0);
});

test.proves('record@attach');
test('record=all records from the start until the client closes the browser; a second client can join', async () => {
  const browser = await connect(service, '/', { record: 'all', trackingId: 'whole' });
  const { page } = await openTab(browser);
  const [entry] = await sessionsOf(service);
  const second = await connect(service, `/devtools/browser/${entry?.id}`, { record: 'all' });
  await until('the page to be recorded', async () => {
    const { recordings } = await listed(service, { session: entry?.id ?? '' });
    return recordings[0]?.tabs.length === 2;
  });
  await painted(page, 20);
  refused(
    await service.get(`/recordings/${(await listed(service)).recordings[0]?.id}`, { method: 'DELETE' }),
    409,
    /is still running/,
  );
  await browser.close();
  const ended = await until('the recording to end', async () => {
    const { recordings } = await listed(service, { trackingId: 'whole' });
    return recordings.find(({ state }) => state !== 'recording');
  });
  assert.equal([ended.state, ended.reason], ['finished', 'The browser was closed.']);
  assert.ok(
    ended.tabs.every(({ bytes }) => bytes > 0),
    'the last frames are kept',
  );
  await second.disconnect();
});

test.proves('record@session');
test('chrome-remote-interface can record a session of POST /session', async () => {
  const { connect: address, id } = succeeded(await service.post('/session', {})).json<{
    connect: string;
    id: string;
  }>();
  const client = await CDP({ target: `${address}&record=true`, local: true });
  // The library's types do not know these commands.
  const send = client.send.bind(client) as unknown as (
    method: string,
    params?: object,
    session?: string,
  ) => Promise<{
    error: string | null;
    value: string;
    sessionId: string;
    targetId: string;
  }>;
  const { targetId } = await send('Target.createTarget', { url: `${site.url}/plain` });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  assert.is((await send('Browserless.startRecording', {}, sessionId)).error, null);
  const { error, value } = await send('Browserless.stopRecording', { encoding: 'base64' }, sessionId);
  assert.ok(error === null ? value.length > 0 : /no picture/.test(error), error ?? '');
  await client.close();
  assert.is((await listed(service, { session: id })).recordings.length, 1);
});

test('the embedded shell records too', async () => {
  // It exists only for x64 Linux.
  if (!embedded) return;
  const browser = await connect(embedded, '/', { record: true });
  assert.match(await browser.version(), /153/);
  const { page, cdp } = await openTab(browser);
  assert.is((await command(cdp, 'startRecording')).error, null);
  await painted(page, 30);
  const { error, value } = await command(cdp, 'stopRecording', { encoding: 'base64' });
  assert.is(error, null);
  assert.ok((await contentOf(bytesOf(value, 'base64'))).times.length > 3);
  await browser.close();
});
