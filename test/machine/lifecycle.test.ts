// Starting and stopping the server: settings, signals, draining, what a killed server leaves behind, webhooks, the log.
// @runs deno
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { runMain, type ServerProcess, type Service, startProcess, startService } from '../support/service.ts';
import { shells } from '../support/held.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { test, fixture } = fixtureSuite('life cycle', { env: { TOKEN: 'very-secret-token' } });

async function withService(env: Record<string, string>, body: (service: Service) => Promise<void>): Promise<void> {
  await using service = await startService({ env });
  await body(service);
}

test('--help lists the settings, --version prints the version', async () => {
  const help = await runMain({ args: ['--help'] });
  assert.is(help.code, 0);
  for (const name of [
    'HOST',
    'PORT',
    'TOKEN',
    'CONCURRENT',
    'QUEUED',
    'TIMEOUT',
    'EDGE_PATH',
    'CORS_MAX_AGE',
    'HEALTH',
  ]) {
    assert.match(help.output, new RegExp(`\\b${name}\\b`));
  }
  const version = await runMain({ args: ['--version'] });
  assert.is(version.code, 0);
  assert.match(version.output, /\d+\.\d+\.\d+/);
});

test('all invalid settings are reported together', async () => {
  const env = {
    PORT: 'abc',
    CONCURRENT: 'many',
    TIMEOUT: 'long',
    MAX_PAYLOAD_SIZE: '-5',
    MACHINE_STATS_SOURCE: 'guess',
  };
  const { code, output } = await runMain({ env });
  assert.is.not(code, 0);
  for (const name of Object.keys(env)) assert.match(output, new RegExp(`\\b${name}\\b`));
  const missing = await runMain({ env: { DATA_DIR: '/no/such/directory' } });
  assert.is(missing.code, 78);
  assert.match(missing.output, /DATA_DIR: \/no\/such\/directory does not exist/);
});

test.proves('PORT');
test('a port in use makes startup fail with the reason', async () => {
  const { code, output } = await runMain({ env: { PORT: String(fixture.site.port), HOST: '127.0.0.1' } });
  assert.is.not(code, 0);
  assert.match(output, /EADDRINUSE|in use|AddrInUse/i);
});

test.peer('management and settings');
test('renamed settings still work, and ignored ones are reported', async () => {
  const env = {
    MAX_CONCURRENT_SESSIONS: '3',
    QUEUE_LENGTH: '4',
    CONNECTION_TIMEOUT: '5000',
    ENABLE_API_GET: 'true',
    PREBOOT_CHROME: 'true',
  };
  // A process: the tests' own server accepts no unknown settings.
  await using service = await startProcess({ env: { ...env, SPARES: '0' } });
  const config = (await service.get('/config')).json<Record<string, unknown>>();
  assert.equal(
    [config['concurrent'], config['queued'], config['timeout'], config['allowGetCalls']],
    [3, 4, 5000, true],
  );
  assert.match(service.output(), /PREBOOT_CHROME/);
});

/** Removes what a test needs of a server that has ended, and fails when the server has left anything else. */
async function assertNothingLeft(service: ServerProcess): Promise<void> {
  await until('processes to exit', () => service.leftovers().processes.length === 0, 2_000);
  assert.equal(service.leftovers().files, []);
  rmSync(service.baseDir, { recursive: true });
}

for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) {
  test.peer('management and settings', 'stop signals shut the server down cleanly with exit code 0');
  test(`${signal} stops the server with exit code 0 and leaves nothing behind`, async () => {
    const service = await startProcess({ env: { SPARES: '0' } });
    assert.is(await service.end(signal), 0);
    await assertNothingLeft(service);
  });
}

test.proves('DRAIN_TIMEOUT_MS');
test.peer('management and settings', 'stop signals shut the server down cleanly with exit code 0');
test('while draining, running requests finish and new ones get a 503 with Retry-After', async () => {
  const { site } = fixture;
  const service = await startProcess();
  const running = service.post('/content', { url: `${site.url}/slow?ms=1500` });
  await site.waitForRequest('/slow');
  process.kill(service.pid, 'SIGTERM');
  await until('the drain to start', async () => (await service.get('/active')).status === 503);
  const late = refused(await service.post('/content', { html: 'x' }), 503, /shutting down/);
  assert.ok(Number(late.headers['retry-after']) >= 1);
  assert.match(succeeded(await running).text, /slow 1500/);
  assert.is(await service.exited, 0);
  await assertNothingLeft(service);
});

test('a stop right after /kill waits until the files of killed sessions are gone', async () => {
  const service = await startService();
  succeeded(await service.post('/session', {}));
  refused(await service.get('/kill/all'), 204);
  await service.stop();
});

test('DRAIN_TIMEOUT_MS limits the drain, and a second signal ends it early', async () => {
  const { site } = fixture;
  const hang = (service: Service) =>
    service.post('/content', { url: `${site.url}/hang` }).then(
      (reply) => reply.status,
      () => 'cut',
    );
  const limited = await startService({ env: { DRAIN_TIMEOUT_MS: '300' } });
  const cut = hang(limited);
  await site.waitForRequest('/hang');
  const stopping = idleNow();
  await limited.stop();
  assert.ok([503, 'cut'].includes(await cut));
  assert.ok(idleNow() - stopping < 5_000);
  const service = await startProcess();
  site.clear();
  const running = hang(service);
  await site.waitForRequest('/hang');
  const began = idleNow();
  for (let sent = 0; sent < 2; sent++) {
    process.kill(service.pid, 'SIGTERM');
    await until(
      'the signal to be logged',
      () => service.logs().filter(({ event }) => event === 'stopping').length > sent,
    );
  }
  assert.ok([503, 'cut'].includes(await running));
  await until('the server to exit', () => service.tree().length === 0);
  assert.ok(idleNow() - began < 5_000);
  await assertNothingLeft(service);
});

test("a killed server's browsers exit, and the restarted server removes its directories", async () => {
  const first = await startProcess();
  succeeded(await first.post('/content', { html: 'x' }));
  assert.ok(first.tree().length > 1);
  await first.end('SIGKILL');
  await until('the browsers to exit', () => first.leftovers().processes.length === 0);
  const { dataDir, scratchDir } = first;
  const second = await startService({ env: { DATA_DIR: dataDir, SCRATCH_DIR: scratchDir } });
  const old = first.leftovers().files.map((file) => file.split('/').at(-1));
  succeeded(await second.post('/content', { html: 'x' }));
  await second.stop();
  assert.equal(first.leftovers().files, [], `left by the first server: ${old.join(', ')}`);
  rmSync(first.baseDir, { recursive: true });
});

test.proves('ISOLATION');
test('ISOLATION=process: each request has its own browser, which closes when the request ends', async () => {
  await withService({ ISOLATION: 'process' }, async (service) => {
    for (const text of ['one', 'two']) {
      assert.match(succeeded(await service.post('/content', { html: `<h1>${text}</h1>` })).text, new RegExp(text));
    }
    assert.ok(succeeded(await service.post('/screenshot', { url: `${fixture.site.url}/tall` })).bytes.length > 0);
  });
});

test.proves('RECYCLE_JOBS');
test('a browser is replaced after RECYCLE_JOBS requests', async () => {
  await withService({ RECYCLE_JOBS: '2' }, async (service) => {
    const main = () => shells(service).flatMap(({ pid, command }) => (command.includes(service.baseDir) ? [pid] : []));
    succeeded(await service.post('/content', { html: 'x' }));
    const [first] = main();
    for (let call = 0; call < 4; call++) succeeded(await service.post('/content', { html: 'x' }));
    await until('a new browser', () => main().length > 0 && !main().includes(first ?? 0));
  });
});

test.proves('CONCURRENT QUEUED QUEUE_ALERT_URL REJECT_ALERT_URL TIMEOUT_ALERT_URL ERROR_ALERT_URL');
test.peer('management and settings');
test.peer('management and settings', 'an error reaches its client and does not stop the queue');
test('webhooks are called for queueing, rejection, timeout and error', async () => {
  const { site } = fixture;
  const hook = (name: string) => `${site.url}/status/200?${name}`;
  const env = {
    CONCURRENT: '1',
    QUEUED: '1',
    QUEUE_ALERT_URL: hook('queue'),
    REJECT_ALERT_URL: hook('reject'),
    TIMEOUT_ALERT_URL: hook('timeout'),
    ERROR_ALERT_URL: hook('error'),
  };
  await withService(env, async (service) => {
    const called = (name: string) => site.requests.find(({ path, query }) => path === '/status/200' && query.has(name));
    const running = service.post('/content', { url: `${site.url}/hang` }, { query: { timeout: 3_000 } });
    await site.waitForRequest('/hang');
    const queued = service.post('/content', { url: site.refusingUrl });
    await until('the queue webhook', () => called('queue'));
    refused(await service.post('/content', { html: 'x' }), 429);
    await until('the reject webhook', () => called('reject'));
    refused(await running, 408);
    await until('the timeout webhook', () => called('timeout'));
    refused(await queued, 500);
    const error = await until('the error webhook', () => called('error'));
    assert.match(error.query.get('error') ?? '', /refused the connection/);
    assert.is(error.method, 'GET');
    const each = () =>
      site.requests.filter(({ path }) => path === '/status/200').map(({ query }) => [...query.keys()][0]);
    succeeded(await service.post('/content', { html: 'x' }));
    assert.equal(
      each().toSorted(),
      ['error', 'queue', 'reject', 'timeout'],
      'each is called once, and none for a request that succeeds',
    );
  });
});

test('logs one JSON line per request, without secrets', async () => {
  const { service, site } = fixture;
  const query = { token: 'very-secret-token', trackingId: 'logged' };
  const authenticate = { username: 'user', password: 'very-secret-password' };
  const cookies = [{ name: 'n', value: 'very-secret-cookie' }];
  const body = { url: `${site.url}/auth`, authenticate, cookies };
  succeeded(await service.post('/chromium/content', body, { query, token: null }));
  const told = () => service.logs().filter(({ event }) => event === 'request');
  // The line is written once the response has been sent.
  const lines = await until('the log line of the request', () => (told().length > 0 ? told() : undefined));
  assert.is(lines.length, 1);
  const [line = {}] = lines;
  assert.equal([line['route'], line['status'], line['trackingId']], ['/chromium/content', 200, 'logged']);
  for (const name of ['id', 'ms', 'queueMs', 'session', 'time', 'level']) assert.ok(name in line, `${name} is missing`);
  assert.not.match(service.output(), /very-secret/);
  assert.equal(
    service.logs().filter((entry) => 'text' in entry),
    [],
  );
});

test('requests are logged with the X-Request-Id of their response, which is the client-supplied id if it is valid', async () => {
  const { service } = fixture;
  const named = await service.post('/content', { html: 'x' }, { headers: { 'x-request-id': 'trace-17.a' } });
  assert.is(named.headers['x-request-id'], 'trace-17.a');
  const given = await service.post('/content', { html: 'x' }, { headers: { 'x-request-id': 'no "id"' } });
  assert.match(given.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
  for (const id of ['trace-17.a', given.headers['x-request-id']]) {
    await until(`the log line of ${id}`, () =>
      service.logs().some((line) => line.event === 'request' && line['id'] === id),
    );
  }
});

test.proves('METRICS_JSON_PATH');
test.peer('management and settings');
test('METRICS_JSON_PATH preserves the counters across restarts', async () => {
  const directory = temporaryDirectory();
  const env = { METRICS_JSON_PATH: join(directory, 'metrics.json') };
  await withService(env, async (service) => void succeeded(await service.post('/content', { html: 'x' })));
  assert.ok(existsSync(env.METRICS_JSON_PATH), 'no file was written');
  assert.is(JSON.parse(readFileSync(env.METRICS_JSON_PATH, 'utf8').trim().split('\n').at(-1) ?? '').successful, 1);
  await withService(env, async (service) => {
    assert.is((await service.get('/metrics')).json<unknown[]>().length, 1);
    assert.is((await service.get('/metrics/total')).json<{ successful: number }>().successful, 1);
  });
});
