// Management routes (compatibility.mdx#management, compatibility.mdx#metrics).
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { until } from '../support/until.ts';

interface SessionEntry {
  type: string;
  id: string;
  browserId: string;
  browser: string;
  trackingId: string | null;
  initialConnectURL: string;
  killURL: string;
  numbConnected: number;
  startedOn: number;
  timeAliveMs: number;
  running: boolean;
  launchOptions: Record<string, unknown>;
}

const json = 'application/json; charset=UTF-8';

const { test, service, site } = fixtureSuite('management', {
  env: { SPARES: '0', TOKEN: 'browserless', CONCURRENT: '2', QUEUED: '1' },
});

const sessions = async (query = {}) => (await service.get('/sessions', { query })).json<SessionEntry[]>();

/** Starts a job that hangs until it is killed or the returned controller aborts. */
async function hangingJob(query: Record<string, string> = {}) {
  const leave = new AbortController();
  site.clear();
  const reply = service.post('/content', { url: `${site.url}/hang` }, { query, signal: leave.signal });
  const outcome = reply.then(
    (answer) => answer.status,
    () => 'gone',
  );
  await site.waitForRequest('/hang');
  return { leave, reply, outcome };
}

for (const path of ['/config', '/meta', '/metrics', '/metrics/total', '/pressure', '/sessions']) {
  test.peer('management and settings');
  test(`GET ${path} is JSON`, async () => {
    succeeded(await service.get(path), json).json();
  });
  test.differs('A GET with a JSON content type and no body returns a 400');
  test(`GET ${path} with a JSON content type is tolerated`, async () => {
    succeeded(await service.get(path, { headers: { 'content-type': 'application/json' } }), json);
  });
  test.peer('management and settings');
  test(`GET ${path} returns 401 without a token`, async () => {
    refused(await service.get(path, { token: null }), 401, 'Bad or missing authentication.');
  });
}

for (const method of ['GET', 'HEAD']) {
  test.peer('management and settings');
  test(`${method} /active returns an empty 204`, async () => {
    const reply = await service.get('/active', { method });
    assert.is(reply.status, 204);
    assert.is(reply.headers['content-type'], 'text/plain; charset=UTF-8');
    assert.is(reply.bytes.length, 0);
  });
}

test.peer('management and settings');
test('a trailing slash and a query are allowed; a different case is not', async () => {
  assert.is((await service.get('/active/')).status, 204);
  assert.is((await service.get('/active', { query: { anything: 'x' } })).status, 204);
  refused(await service.get('/Active'), 404, /^Not Found/);
});

test.differs('`/config` shows the token');
test('/config returns the documented names and no token', async () => {
  const config = succeeded(await service.get('/config')).json<Record<string, unknown>>();
  const names =
    'allowCORS allowFileProtocol allowGetCalls concurrent data debug errorAlertURL healthFailureURL host maxCPU maxMemory metricsJSONPath port queued queuedAlertURL rejectAlertURL retries timeout timeoutAlertURL token';
  assert.equal(
    names.split(' ').filter((name) => !(name in config)),
    [],
  );
  assert.is(config['concurrent'], 2);
  assert.is(config['queued'], 1);
  assert.is(config['data'] === service.dataDir, true);
  assert.not.match(JSON.stringify(config), /browserless/);
});

test.differs("`/meta` reports browserless's versions");
test('/meta lists versions', async () => {
  const meta = succeeded(await service.get('/meta')).json<Record<string, unknown>>();
  assert.match(String(meta['version']), /^\d+\.\d+\.\d+/);
  assert.match(String(meta['chromium']), /^\d+\.\d+/);
  for (const name of ['firefox', 'webkit', 'playwright', 'puppeteer']) assert.ok(name in meta, `${name} is missing`);
  assert.ok(Array.isArray(meta['playwright']) && Array.isArray(meta['puppeteer']));
});

test.peer('management and settings', '/metrics: successful requests are counted');
test('/metrics returns a list, and /metrics/total returns the totals', async () => {
  const periods = await service.get('/metrics');
  assert.ok(Array.isArray(periods.json()));
  assert.match(periods.text, /\n$/);
  succeeded(await service.post('/content', { html: '<h1>x</h1>' }));
  const total = (await service.get('/metrics/total')).json<Record<string, unknown>>();
  const names =
    'successful error timedout queued rejected unhealthy maxConcurrent sessionTimes maxTime minTime meanTime totalTime units estimatedMonthlyUnits minutesOfMetricsAvailable';
  assert.equal(
    names.split(' ').filter((name) => !(name in total)),
    [],
  );
  assert.ok(Number(total['successful']) >= 1);
  assert.ok(Number(total['maxTime']) >= Number(total['minTime']));
});

test('/metrics returns Prometheus text if Accept requests it', async () => {
  const reply = succeeded(await service.get('/metrics', { headers: { accept: 'text/plain;version=0.0.4' } }));
  assert.match(reply.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(reply.text, /^# HELP /m);
  assert.match(reply.text, /^# TYPE \w+ (counter|gauge|histogram)$/m);
});

test('/pressure reports whether a request would be accepted', async () => {
  const { pressure } = (await service.get('/pressure')).json<{ pressure: Record<string, unknown> }>();
  assert.equal(
    ['maxConcurrent', 'maxQueued', 'queued', 'running', 'isAvailable', 'reason'].map((name) => pressure[name]),
    [2, 1, 0, 0, true, ''],
  );
  assert.ok(Math.abs(Number(pressure['date']) - Date.now()) < 60_000);
  for (const name of ['cpu', 'memory', 'recentlyRejected', 'message'])
    assert.ok(name in pressure, `${name} is missing`);
  const text = { accept: 'text/plain' };
  const reply = succeeded(await service.get('/pressure', { headers: text }));
  assert.match(reply.headers['content-type'] ?? '', /^text\/plain/);
});

test.peer('management and settings');
test.peer('management and settings', '/pressure with Accept: text/plain returns the message, and 503 if not available');
test('/pressure reports a full server, and the next request returns 429', async () => {
  const jobs = [await hangingJob(), await hangingJob()];
  const leave = new AbortController();
  const queued = service.post('/content', { html: 'x' }, { signal: leave.signal }).catch(() => 'left the queue');
  const pressure = async () => (await service.get('/pressure')).json<{ pressure: Record<string, unknown> }>().pressure;
  await until('a queued request', async () => (await pressure())['queued'] === 1);
  const full = await pressure();
  assert.equal([full['running'], full['isAvailable'], full['reason']], [2, false, 'full']);
  refused(await service.get('/pressure', { headers: { accept: 'text/plain' } }), 503, /full/);
  refused(await service.post('/content', { html: 'x' }), 429, 'Too many requests');
  leave.abort();
  assert.is(await queued, 'left the queue');
  await until('the queue to be empty', async () => (await pressure())['queued'] === 0);
  for (const job of jobs) job.leave.abort();
  await until('all slots to be free', async () => (await pressure())['running'] === 0);
});

test.peer('management and settings');
test('a queued request runs when a slot is free', async () => {
  const jobs = [await hangingJob(), await hangingJob()];
  const queued = service.post('/content', { html: '<h1>my turn</h1>' });
  await until('a queued request', async () => {
    const { pressure } = (await service.get('/pressure')).json<{ pressure: { queued: number } }>();
    return pressure.queued === 1;
  });
  jobs[0]?.leave.abort();
  assert.match(succeeded(await queued).text, /my turn/);
  jobs[1]?.leave.abort();
});

test.proves('GET/sessions?trackingId');
test('/sessions lists a running request', async () => {
  const { leave, outcome } = await hangingJob({ trackingId: 'my-call_1', timeout: '20000' });
  const [entry, ...others] = await sessions({ trackingId: 'my-call_1' });
  assert.ok(entry !== undefined && others.length === 0, 'one entry');
  assert.is(entry.type, 'browser');
  assert.is(entry.trackingId, 'my-call_1');
  assert.match(entry.browserId, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  assert.match(entry.browser, /^Chrom(e|ium)CDP$/);
  assert.match(entry.initialConnectURL, /^http:\/\/127\.0\.0\.1:\d+\/content\?/);
  assert.not.match(JSON.stringify(entry), /browserless(?!-)/);
  assert.is(entry.killURL, `${service.url}/kill/${entry.browserId}`);
  assert.is(entry.running, true);
  assert.ok(Math.abs(entry.startedOn - Date.now()) < 60_000 && entry.timeAliveMs >= 0);
  assert.equal(await sessions({ trackingId: 'another' }), []);
  leave.abort();
  assert.is(await outcome, 'gone');
  await until('the session to be gone', async () => (await sessions({ trackingId: 'my-call_1' })).length === 0);
});

test('/sessions returns 400 for unknown parameters', async () => {
  refused(await service.get('/sessions', { query: { color: 'red' } }), 400, 'color');
});

for (const name of ['browserId', 'trackingId'] as const) {
  test(`/kill/<${name}> stops the request`, async () => {
    const { reply } = await hangingJob({ trackingId: 'to-kill' });
    const [entry] = await sessions({ trackingId: 'to-kill' });
    const killed = await service.get(`/kill/${entry?.[name]}`);
    assert.is(killed.status, 204);
    assert.equal(await sessions(), []);
    refused(await reply, 500);
    await site.waitForConnections();
  });
}

test.peer('management and settings');
test.differs('`/kill` accepts GET');
test('/kill/all stops every request and returns 204', async () => {
  const jobs = [await hangingJob(), await hangingJob()];
  const none = await service.get('/kill/all');
  assert.equal([none.status, none.headers['content-type']], [204, 'text/plain; charset=UTF-8']);
  assert.equal(await sessions(), []);
  for (const job of jobs) refused(await job.reply, 500);
  for (const method of ['GET', 'POST', 'DELETE']) {
    const job = await hangingJob();
    assert.is((await service.get('/kill/all', { method })).status, 204, method);
    assert.equal(await sessions(), []);
    refused(await job.reply, 500);
  }
});

test.peer('management and settings');
test('/kill returns 404 for an unknown id', async () => {
  refused(await service.get('/kill/unknown'), 404, 'Couldn\'t locate session for id: "unknown"');
  refused(await service.get('/kill/not%20an%20id'), 404, /^Not Found/);
  refused(await service.get('/kill/all', { token: null }), 401);
  refused(await service.get('/kill/all', { method: 'PUT' }), 404, /^Not Found/);
});

test('a second request with the same trackingId is rejected', async () => {
  const { leave, outcome } = await hangingJob({ trackingId: 'twice' });
  const reply = await service.post('/content', { html: 'x' }, { query: { trackingId: 'twice' } });
  refused(reply, 400, 'A browser session with trackingId "twice" already exists');
  leave.abort();
  await outcome;
});

test.peer('management and settings');
test('Upgrade: h2c is handled as an ordinary request', async () => {
  const body = '{"html":"<p>sent with an upgrade</p>"}';
  const head = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA';
  const token = 'Authorization: Bearer browserless';
  const get = `GET /config HTTP/1.1\r\nHost: localhost\r\n${token}\r\n${head}\r\n\r\n`;
  const type = 'Content-Type: application/json';
  const post = `POST /content HTTP/1.1\r\nHost: localhost\r\n${token}\r\n${type}\r\n${head}`;
  const sized = `${post}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const chunked = `${post}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  for (const [parts, expected] of [
    [[get], '"concurrent"'],
    [[sized + body], 'sent with an upgrade'],
    [[sized, body], 'sent with an upgrade'],
    [[chunked, chunks], 'sent with an upgrade'],
  ] as const) {
    const socket = connect(service.port, '127.0.0.1');
    let text = '';
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes(expected)) resolve();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${text}`)));
    for (const part of parts) await new Promise((written) => socket.write(part, written));
    await promise;
    assert.match(text, /^HTTP\/1\.1 200 /);
    socket.destroy();
  }
});
