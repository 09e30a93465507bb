// However badly a request fails, it releases everything it held.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { shells } from '../support/held.ts';
import { shellExecutable } from '../support/checks/reader.ts';
import { type Service, startProcess, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, service, site } = fixtureSuite('endings');

/** The browser of a server; several servers run in this process. */
const browserOf = (of: Service) => shells(of).find(({ command }) => command.includes(of.baseDir));
const isRenderer = (command: string) => command.includes('--type=renderer');

async function waitUntilIdle(of: Service): Promise<void> {
  await until('all requests to end', async () => {
    const { pressure } = (await of.get('/pressure')).json<{ pressure: { running: number; queued: number } }>();
    return pressure.running === 0 && pressure.queued === 0;
  });
  await until('all sessions to end', async () => (await of.get('/sessions')).json<unknown[]>().length === 0);
}

test('the time to receive a body does not count toward the time limit', async () => {
  await using quick = await startService({ env: { TIMEOUT: '500' } });
  const body = JSON.stringify({ html: '<p>late</p>' });
  const socket = connect(quick.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.write(
    `POST /content HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.slice(0, 5));
  // Wait three times the limit.
  succeeded(await quick.post('/content', { html: 'x', waitForTimeout: 1_500 }, { query: { timeout: '20000' } }));
  socket.write(body.slice(5));
  await until('the response', () => answer.includes('late'));
  socket.destroy();
  assert.match(answer, /^HTTP\/1\.1 200/);
});

test('requests without a response are retried after their browser is killed', async () => {
  site.clear();
  const jobs = [1, 2, 3].map(() => service.post('/content', { url: `${site.url}/slow?ms=700` }));
  await until('the pages to load', () => site.requests.filter(({ path }) => path === '/slow').length === 3);
  process.kill(browserOf(service)?.pid ?? 0, 'SIGKILL');
  for (const reply of await Promise.all(jobs)) succeeded(reply);
  assert.ok(service.logs().some(({ event }) => event === 'browser.crashed'));
  assert.ok(service.logs().some(({ event }) => event === 'request.retried'));
  await waitUntilIdle(service);
});

test('a killed renderer causes a clear error for its page only', async () => {
  site.clear();
  const job = service.post('/content', { url: `${site.url}/never-load` });
  await site.waitForRequest('/hang');
  const before = service.tree().filter(({ command }) => isRenderer(command));
  for (const { pid } of before) process.kill(pid, 'SIGKILL');
  refused(await job, 500, 'crashed');
  succeeded(await service.post('/content', { html: '<p>next</p>' }));
  await waitUntilIdle(service);
});

test('a looping page stops at the deadline and uses no CPU afterward', async () => {
  refused(await service.post('/content', { url: `${site.url}/loop` }, { query: { timeout: 800 } }), 408, 'timed out');
  await waitUntilIdle(service);
  await until('the looping renderer to be gone', () => {
    const renderers = service.tree().filter(({ command }) => isRenderer(command));
    return renderers.length <= 3;
  });
});

test('a regular expression that never finishes does not block other requests', async () => {
  const evil = {
    rejectRequestPattern: ['(a+)+$'],
    requestInterceptors: [{ pattern: '(b+)+$', response: { body: 'x' } }],
  };
  const url = `${site.url}/?${'a'.repeat(60)}!${'b'.repeat(60)}!`;
  const job = service.post('/content', { url, ...evil, bestAttempt: true });
  const began = idleNow();
  await service.get('/active');
  assert.ok(idleNow() - began < 5_000);
  await job;
  await waitUntilIdle(service);
});

test.proves('PAGE_MEMORY_MB');
test('a page that uses too much memory loses its renderer without affecting other pages', async () => {
  await using tight = await startService({ env: { PAGE_MEMORY_MB: '300' } });
  site.clear();
  const otherRequest = tight.post('/content', { url: `${site.url}/slow?ms=3000` });
  await site.waitForRequest('/slow');
  const html = '<script>const kept = []; setInterval(() => kept.push(new Uint8Array(2e7).fill(1)), 50)</script>';
  refused(await tight.post('/content', { html, waitForTimeout: 25_000 }), 500, 'crashed');
  succeeded(await otherRequest);
  assert.ok(tight.logs().some(({ event }) => event === 'page.memory-exceeded'));
});

test('a client that does not read its response holds its slot until the deadline and no longer', async () => {
  // Noise does not compress: the image far exceeds the buffers between the browser and a client that does not read.
  const noise = `<body><script>for (let n = 0; n < 3; n++) {
    const canvas = document.body.appendChild(document.createElement('canvas'));
    canvas.width = canvas.height = 1_500;
    const picture = canvas.getContext('2d').createImageData(1_500, 1_500);
    for (let i = 0; i < picture.data.length; i += 60_000) crypto.getRandomValues(picture.data.subarray(i, i + 60_000));
    for (let i = 3; i < picture.data.length; i += 4) picture.data[i] = 255;
    canvas.getContext('2d').putImageData(picture, 0, 0);
  }</script>`;
  const body = JSON.stringify({ html: noise });
  const head = `POST /pdf?timeout=20000 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write(head + body);
  // Read one chunk, so that the response has started, then stop.
  await new Promise<void>((resolve) => socket.once('data', () => resolve(void socket.pause())));
  const { pressure } = (await service.get('/pressure')).json<{ pressure: { running: number } }>();
  assert.is(pressure.running, 1);
  await waitUntilIdle(service);
  assert.ok(service.logs().some((line) => line['route'] === '/pdf' && line['code'] === 'timeout'));
  socket.destroy();
});

test('a client that disconnects frees its slot and its page', async () => {
  site.clear();
  const leave = new AbortController();
  const job = service.post('/content', { url: `${site.url}/hang` }, { signal: leave.signal });
  await site.waitForRequest('/hang');
  leave.abort();
  await job.then(
    () => assert.unreachable(),
    () => undefined,
  );
  await waitUntilIdle(service);
  await site.waitForConnections(0);
});

test("a request's own browser and its directories are removed after the response", async () => {
  const query = { launch: JSON.stringify({ args: ['--lang=de-DE'] }) };
  const before = readdirSync(service.dataDir).length;
  const html = '<script>document.title = navigator.language</script>';
  assert.match(succeeded(await service.post('/content', { html }, { query })).text, /<title>de/);
  await until('its directories to be gone', () => readdirSync(service.dataDir).length === before);
});

test("a client's profile directory is kept and preserves state", async () => {
  const userDataDir = join(service.baseDir, 'profiles', 'kept');
  const query = { launch: JSON.stringify({ userDataDir }) };
  const url = `${site.url}/cookies`;
  const stay = Math.floor(Date.now() / 1_000) + 3_600;
  succeeded(await service.post('/content', { url, cookies: [{ name: 'kept', value: '1', expires: stay }] }, { query }));
  await until(
    'the browser to have written its profile',
    () => !service.tree().some(({ command }) => command.includes(userDataDir)),
  );
  assert.match(succeeded(await service.post('/content', { url }, { query })).text, /kept=1/);
  await until(
    'the second browser to be gone',
    () => !service.tree().some(({ command }) => command.includes(userDataDir)),
  );
});

test('directories of a running server are not removed', async () => {
  // The server recognizes directories in use by their process.
  await using living = await startProcess();
  const second = await startService({ env: { DATA_DIR: living.dataDir, SCRATCH_DIR: living.scratchDir } });
  await until('the second server to have a browser', () =>
    second.tree().some(({ parent, command }) => parent === process.pid && command.includes(living.baseDir)),
  );
  succeeded(await living.post('/content', { html: 'x' }));
  await second.stop().catch(() => undefined);
  succeeded(await living.post('/content', { html: 'x' }));
});

test("requests do not see each other's data", async () => {
  const url = `${site.url}/set-cookie`;
  succeeded(
    await service.post('/content', { url, waitForFunction: { fn: 'localStorage.setItem("left", "1") ?? true' } }),
  );
  const reply = await service.post('/content', {
    url: `${site.url}/cookies`,
    addScriptTag: [{ content: 'document.title = "storage:" + localStorage.length' }],
  });
  assert.match(succeeded(reply).text, /storage:0/);
  assert.not.match(reply.text, /set-cookie=|left=/);
});

test('a failed start causes a clear error and does not affect the next one', async () => {
  const directory = join(service.baseDir, 'bin');
  mkdirSync(directory);
  const fake = join(directory, 'shell');
  const script = (body: string) => writeFileSync(fake, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  script('echo "no usable display" >&2; exit 3');
  await using failing = await startService({ env: { SHELL_PATH: fake } });
  refused(await failing.post('/content', { html: 'x' }), 500, 'could not be started', 'no usable display');
  script(`exec '${await shellExecutable()}' "$@"`);
  // The server's own check may still be starting the failing program.
  await until('the next start', async () => (await failing.post('/content', { html: 'x' })).status === 200);
});

test('a path that is not an executable returns a 404 that names its variable', async () => {
  await using misconfigured = await startService({
    env: { SHELL_PATH: '/no/such/shell', CHROMIUM_PATH: '/no/such/chromium' },
  });
  refused(await misconfigured.post('/content', { html: 'x' }), 404, 'SHELL_PATH', '/no/such/shell');
});

test.peer('management and settings');
test('a machine under pressure returns 429 and reports the reason in /pressure', async () => {
  await using strained = await startService({
    env: { HEALTH: 'true', MAX_MEMORY_PERCENT: '1', CPU_SAMPLE_INTERVAL_MS: '50' },
  });
  refused(await strained.post('/content', { html: 'x' }), 429, 'Too many requests');
  const { pressure } = (await strained.get('/pressure')).json<{
    pressure: { isAvailable: boolean; reason: string };
  }>();
  assert.is(pressure.isAvailable, false);
  assert.is(pressure.reason, 'memory');
  refused(await strained.get('/pressure', { headers: { accept: 'text/plain' } }), 503, 'Memory');
});
