// Within the ten seconds that `docker stop` allows, the process exits and its directories are removed, no matter what
// clients and browsers do; clients are notified, idle ones first.
// @alone
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { connect, rawClient, type RawClient, socketUrl } from '../support/clients/clients.ts';
import { idleClient } from '../support/clients/idle-client.ts';
import { connectPlaywright, disconnected } from '../support/clients/playwright.ts';
import { succeeded } from '../support/checks/expect.ts';
import { send as sendCall } from '../support/clients/http.ts';
import { runMain, type Service, startProcess, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('stopping', { timeoutMs: 120_000 });
const tenSeconds = 10_000;
let site: Site;
test.before(async () => {
  site = await startSite();
});
test.after(() => stopAll(site));
test.before.each(() => site.clear());

/** Stops a server, which must leave nothing behind. @returns how long the stop took, in milliseconds */
async function stop(service: Service): Promise<number> {
  const began = performance.now();
  const took = service.exited.then(() => performance.now() - began);
  await service.stop();
  return took;
}

/** A client that records when and why its socket was closed. */
async function watched(service: Service, path = '/', query = {}): Promise<RawClient & { closedAt: Promise<number> }> {
  const client = await rawClient(socketUrl(service, path, query));
  await client.send('Browser.getVersion');
  return { ...client, closedAt: client.closed.then(() => performance.now()) };
}

/** Starts a command that runs until the socket is closed. */
async function keepBusy({ send }: RawClient, expression = 'new Promise(() => {})') {
  const { result } = await send('Target.getTargets');
  // As the protocol defines it.
  const { targetInfos } = result as { targetInfos: { targetId: string; type: string }[] };
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId;
  const attached = await send('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = String(attached.result?.['sessionId']);
  return { answer: send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId) };
}

test('sockets of all kinds, reconnectable sessions and jobs end within ten seconds', async () => {
  const service = await startProcess({ env: { CONCURRENT: '20' } });
  const busy = await watched(service);
  await keepBusy(busy);
  const puppeteer = await connect(service, '/', { isolation: 'process' });
  const [page] = await puppeteer.pages();
  void page?.evaluate('new Promise(() => {})').catch(() => undefined);
  const playwright = await connectPlaywright(service);
  const tab = await playwright.newPage();
  const lost = tab.evaluate('new Promise(() => {})').catch((error: Error) => error.message);
  const kept = await watched(service);
  await kept.send('Browserless.reconnect', { timeout: 60_000 });
  kept.socket.close();
  succeeded(await service.post('/session', {}));
  const jobs = ['/content', '/chromium/performance'].map((path) => service.post(path, { url: `${site.url}/hang` }));
  const code = 'export default () => { for (;;); }';
  const endless = service.post('/function', { code });
  await until('the jobs to start', () => site.requests.filter(({ path }) => path === '/hang').length >= 2);
  const began = performance.now();
  const took = await stop(service);
  assert.ok(took < tenSeconds, `the stop took ${Math.round(took)} ms`);
  for (const reply of await Promise.all([...jobs, endless])) assert.is(reply.status, 503, reply.text);
  const { code: closeCode, reason } = await busy.closed;
  assert.is(closeCode, 1001);
  assert.is(reason, 'The browser has been closed: The server is shutting down.');
  const busyMs = (await busy.closedAt) - began;
  assert.ok(busyMs > 4_500 && busyMs < 7_000, `the busy socket was closed after ${Math.round(busyMs)} ms`);
  await disconnected(playwright);
  assert.match(String(await lost), 'The browser has been closed: The server is shutting down.');
  assert.not.ok(puppeteer.connected);
});

test('frozen browsers and a client that never reads do not hold up a stop', async () => {
  const service = await startProcess({ env: { CONCURRENT: '20' } });
  const reader = await idleClient(service.port);
  reader.post('/content', { url: `${site.url}/bytes?count=60000000` });
  const clients = [
    await watched(service),
    await watched(service, '/', { isolation: 'process' }),
    await watched(service, '/', { launch: JSON.stringify({ userDataDir: join(service.baseDir, 'profiles', 'own') }) }),
  ];
  const playwright = await connectPlaywright(service);
  const job = service.post('/content', { url: `${site.url}/hang` });
  await site.waitForRequest('/hang');
  for (const client of clients) await keepBusy(client);
  for (const { pid } of service.tree()) if (pid !== service.pid) process.kill(pid, 'SIGSTOP');
  const took = await stop(service);
  assert.ok(took < tenSeconds, `the stop took ${Math.round(took)} ms`);
  assert.is((await job).status, 503);
  for (const { closed } of clients) assert.is((await closed).code, 1001);
  await disconnected(playwright);
  reader.close();
});

test('idle sockets are closed first; one in use gets its response before it is closed', async () => {
  const service = await startService();
  const idle = await watched(service);
  const used = await watched(service);
  const { answer } = await keepBusy(used, 'new Promise((done) => setTimeout(() => done(42), 3_500))');
  const took = await stop(service);
  assert.equal((await answer).result?.['result'], { type: 'number', value: 42, description: '42' });
  assert.ok((await idle.closedAt) < (await used.closedAt) - 500, 'the idle one was closed first');
  assert.equal([(await idle.closed).code, (await used.closed).code], [1001, 1001]);
  // The server stops when the last client is idle, not at the limit.
  assert.ok(took < tenSeconds, `the stop took ${Math.round(took)} ms`);
});

test.needs('a full Chromium');
test('a BrowserQL request keeps running after sockets of its session are closed', async () => {
  const service = await startService({ env: { SOCKET_DRAIN_MS: '500', TIMEOUT: '60000' } });
  const created = await service.post('/session', { stealth: true });
  const { browserQL, connect: endpoint } = succeeded(created).json<{ browserQL: string; connect: string }>();
  const socket = await rawClient(endpoint);
  const query = 'mutation { waitForTimeout(time: 3000) { time } url { url } }';
  const running = service.post(new URL(browserQL).pathname, { query });
  await until('the document to run', async () => {
    const { pressure } = (await service.get('/pressure')).json<{ pressure: { running: number } }>();
    return pressure.running > 0;
  });
  await keepBusy(socket);
  const took = await stop(service);
  assert.match(succeeded(await running).text, /about:blank/);
  assert.is((await socket.closed).code, 1001);
  assert.ok(took < tenSeconds, `the stop took ${Math.round(took)} ms`);
});

test.proves('DRAIN_TIMEOUT_MS SOCKET_DRAIN_MS');
test('SOCKET_DRAIN_MS=0 closes sockets immediately, DRAIN_TIMEOUT_MS=0 also ends jobs', async () => {
  for (const name of ['SOCKET_DRAIN_MS', 'DRAIN_TIMEOUT_MS']) {
    const service = await startService({ env: { [name]: '0' } });
    const client = await watched(service);
    await keepBusy(client);
    const job = name === 'DRAIN_TIMEOUT_MS' ? service.post('/content', { url: `${site.url}/hang` }) : undefined;
    if (job) await site.waitForRequest('/hang');
    const took = await stop(service);
    assert.is((await client.closed).code, 1001);
    assert.ok(took < 3_000, `with ${name}=0 the stop took ${Math.round(took)} ms`);
    if (job) assert.is((await job).status, 503);
  }
});

test.proves('SHUTDOWN_DELAY_MS');
test('SHUTDOWN_DELAY_MS: /ready fails while requests are still served, on connections that then close', async () => {
  const service = await startService({ env: { SHUTDOWN_DELAY_MS: '2000' } });
  await until('the server to be ready', async () => (await service.get('/ready')).status === 200);
  const ended = stop(service);
  await until('the signal to arrive', async () => (await service.get('/ready')).status === 503);
  const told = performance.now();
  assert.is((await service.get('/pressure')).json<{ pressure: { reason: string } }>().pressure.reason, 'stopping');
  const late = await sendCall(`${service.url}/content`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'keep-alive' },
    body: JSON.stringify({ html: '<h1>late</h1>' }),
  });
  assert.match(succeeded(late).text, /late/);
  assert.is(late.headers.connection, 'close');
  await ended;
  assert.ok(performance.now() - told > 1_500, 'the server waits for the full delay');
});

test('DRAIN_TIMEOUT_MS and a second signal cut the shutdown delay short', async () => {
  const short = await startService({ env: { SHUTDOWN_DELAY_MS: '60000', DRAIN_TIMEOUT_MS: '1000' } });
  const took = await stop(short);
  assert.ok(took < 4_000, `${took} ms`);
  const twice = await startProcess({ env: { SHUTDOWN_DELAY_MS: '60000', DRAIN_TIMEOUT_MS: '60000' } });
  process.kill(twice.pid, 'SIGTERM');
  await until('the first signal to arrive', async () => (await twice.get('/ready')).status === 503);
  const again = await stop(twice);
  assert.ok(again < 4_000, `${again} ms`);
});

test('a negative time is rejected with a message', async () => {
  const { code, output } = await runMain({ env: { SOCKET_DRAIN_MS: '-1', DRAIN_TIMEOUT_MS: '-1' } });
  assert.is(code, 78);
  assert.match(output, /SOCKET_DRAIN_MS .*a whole number of milliseconds from 0 \(immediately\)/);
  assert.match(output, /DRAIN_TIMEOUT_MS .*a whole number of milliseconds from 0 \(immediately\)/);
});

test('a stop while the first browser starts does not log a failure', async () => {
  // This browser never responds, so it is still starting when the server stops.
  const directory = temporaryDirectory();
  const silent = join(directory, 'browser');
  writeFileSync(silent, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  const service = await startService({ env: { SHELL_PATH: silent } });
  await until('its browser to start', () => service.tree().some(({ command }) => command.startsWith('sleep 600')));
  const took = await stop(service);
  assert.ok(took < tenSeconds, `the stop took ${Math.round(took)} ms`);
  const told = service.logs().filter(({ event = '' }) => /failed|crashed|incomplete|uncaught/.test(event));
  assert.equal(told, []);
});
