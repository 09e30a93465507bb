// The probes /healthz and /ready: open to every client, ahead of every check and of the queue, fast, without a trace in
// log and metrics; /ready reports truthfully whether a request would be accepted.
import { chmodSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { handshake } from '../support/clients/clients.ts';
import { send } from '../support/clients/http.ts';
import { succeeded } from '../support/checks/expect.ts';
import { placeOf } from '../support/programs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { figure, suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('probes', { timeoutMs: 120_000 });
let site: Site;
let open: Service;
let closed: Service;

test.before(async () => {
  site = await startSite();
  open = await startService({ env: { SPARES: '0', ALLOW_GET: 'true', CORS: 'true' } });
  const env = { SPARES: '0', TOKEN: 'secret-token', LOG_LEVEL: 'debug', CONCURRENT: '1', QUEUED: '0', DOCS: 'token' };
  closed = await startService({ env });
  for (const service of [open, closed]) await becomesReady(service);
});
test.after(() => stopAll(open, closed, site));

const probe = (service: Service, path: string) => send(`${service.url}${path}`);
const becomesReady = (service: Service, limitMs = 30_000) =>
  until('the server to be ready', async () => (await probe(service, '/ready')).status === 200, limitMs);

const bodies = { '/healthz': 'ok\n', '/ready': 'ready\n' };

for (const [path, body] of Object.entries(bodies)) {
  test(`${path} responds to every client with only its word`, async () => {
    const callers: Record<string, string>[] = [
      {},
      { Host: 'evil.example' },
      { Host: '' },
      { Host: '[::1]:99999' },
      { Host: 'a b' },
      { Origin: 'https://evil.example' },
      { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
      { 'X-Forwarded-For': '203.0.113.9' },
      { Authorization: 'Bearer wrong' },
      { Authorization: `Basic ${btoa('wrong:')}`, Origin: 'https://evil.example' },
      { Accept: 'application/json', 'Content-Type': 'application/json' },
      { 'X-Request-Id': '<script>' },
    ];
    for (const service of [open, closed]) {
      for (const headers of callers) {
        const reply = await send(`${service.url}${path}`, { headers });
        // The HTTP library itself rejects an invalid Host.
        if (reply.status === 400 && /^(a b|\[::1\]:99999)$/.test(headers['Host'] ?? '')) continue;
        assert.is(reply.status, 200, JSON.stringify(headers));
        assert.is(reply.text, body);
        const names = Object.keys(reply.headers).filter((name) => !['connection', 'date', 'keep-alive'].includes(name));
        assert.equal(
          names.toSorted(),
          [
            'cache-control',
            'content-type',
            reply.headers['content-length'] ? 'content-length' : 'transfer-encoding',
          ].toSorted(),
        );
        assert.is(reply.headers['cache-control'], 'no-store');
      }
    }
  });

  test(`${path} works in every spelling, and with a query that other routes use`, async () => {
    for (const spelling of [`${path}/`, `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`]) {
      assert.is((await probe(closed, spelling)).text, body, spelling);
    }
    for (const query of ['?token=wrong', '?body={"html":"x"}', '?timeout=wrong', '?%zz', `?${'x'.repeat(4_000)}`]) {
      assert.is((await probe(open, `${path}${query}`)).text, body, query);
    }
    assert.is.not((await probe(closed, `${path}/config`)).status, 200);
    assert.is.not((await probe(closed, `${path}%2f..%2fconfig`)).status, 200);
  });

  test(`HEAD ${path} has no body; other methods return 405 regardless of their body; it is not a socket`, async () => {
    const head = await send(`${closed.url}${path}`, { method: 'HEAD' });
    assert.equal([head.status, head.text], [200, '']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const bytes = method === 'POST' ? 2 ** 20 : 2;
      const headers = { 'content-type': 'application/json', Origin: 'https://evil.example' };
      // An OPTIONS request with a body would return a 400.
      const sent = method === 'OPTIONS' ? {} : { body: ' '.repeat(bytes) };
      const reply = await send(`${open.url}${path}`, { method, headers, ...sent });
      assert.is(reply.status, 405, method);
      assert.is(reply.headers['allow'], 'GET, HEAD');
      assert.is(reply.headers['access-control-allow-origin'], undefined);
    }
    for (const headers of [{}, { Host: 'evil.example' }]) {
      assert.ok([401, 403, 404].includes((await handshake(closed, path, { token: '' }, headers)).status));
    }
  });

  test(`${path} takes less than a millisecond`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () =>
      new Promise<number>((resolve, reject) => {
        const began = performance.now();
        const request = get(`${closed.url}${path}`, { agent }, (response) => {
          response.resume();
          response.once('end', () => resolve(performance.now() - began));
        });
        request.once('error', reject);
      });
    const times: number[] = [];
    for (let round = 0; round < 200; round++) times.push(await ask());
    agent.destroy();
    const median = times.toSorted((a, b) => a - b)[times.length / 2] ?? Infinity;
    figure(`${path} answers within ${median.toFixed(2)} ms (median of ${times.length}, at most 1)`);
    assert.ok(median < 1, `${median} ms`);
  });
}

test('probes do not appear in the log or metrics', async () => {
  const total = async () => (await closed.get('/metrics', { headers: { accept: 'text/plain' } })).text;
  const counted = (text: string) => text.split('\n').filter((line) => /^\w+_(total|count)/.test(line));
  const routes = () => closed.logs().flatMap(({ route }) => (typeof route === 'string' ? [route] : []));
  await closed.get('/active');
  // A log line is written some time after its response.
  await until('the line of /active', () => routes().includes('/active'));
  const before = { lines: routes().length, counts: counted(await total()) };
  for (const path of Object.keys(bodies)) {
    await probe(closed, path);
    await send(`${closed.url}${path}`, { method: 'POST' });
  }
  const after = counted(await total());
  assert.ok(before.counts.length > 0);
  assert.equal(
    after.filter((line) => /healthz|ready/.test(line)),
    [],
  );
  assert.equal(
    after.filter((line) => /request|unauthorized|rejected/.test(line)),
    before.counts.filter((line) => /request|unauthorized|rejected/.test(line)),
  );
  const since = () => routes().slice(before.lines);
  await until('the lines of both requests', () => since().length >= 2);
  assert.equal(since(), ['/metrics', '/metrics']);
});

test('with all slots and queue places taken, the server is live but not ready', async () => {
  const leave = new AbortController();
  const running = closed.post('/content', { url: `${site.url}/hang` }, { signal: leave.signal }).catch(() => undefined);
  await site.waitForRequest('/hang');
  const reply = await probe(closed, '/ready');
  assert.equal([reply.status, reply.text, reply.headers['retry-after']], [503, 'unavailable\n', '5']);
  assert.is((await probe(closed, '/healthz')).status, 200);
  leave.abort();
  await running;
  await becomesReady(closed);
});

/** Requests /ready and /pressure at the same time. @returns whether each says that a request would be served, and why not */
async function readiness(service: Service): Promise<{ ready: boolean; available: boolean; reason: string }> {
  const [ready, told] = await Promise.all([probe(service, '/ready'), service.get('/pressure')]);
  const { isAvailable, reason } = told.json<{ pressure: { isAvailable: boolean; reason: string } }>().pressure;
  return { ready: ready.status === 200, available: isAvailable, reason };
}

test('the first response of /ready after startup agrees with /pressure; without enough memory, the server is not ready', async () => {
  for (const percent of ['1', '100']) {
    const env = { SPARES: '0', HEALTH: 'true', MAX_CPU_PERCENT: '100', MAX_MEMORY_PERCENT: percent };
    await using service = await startService({ env });
    let first = await probe(service, '/ready');
    while (first.text === 'starting\n') first = await probe(service, '/ready');
    if (percent === '1') {
      // Probes alone trigger the measurement.
      await until('the memory to be measured', async () => (await probe(service, '/ready')).text === 'unavailable\n');
      assert.is((await probe(service, '/healthz')).status, 200);
    }
    const { available } = await readiness(service);
    assert.is(first.status === 200, available, `${percent}: ${first.text}`);
  }
});

test('probing an idle server does not start a browser', async () => {
  for (let round = 0; round < 5; round++) await probe(open, '/ready');
  const { processes } = open.leftovers();
  assert.equal(
    processes.filter(({ command }) => command.includes('--remote-debugging-pipe')),
    [],
  );
});

test('SIGTERM: not ready within 100 ms, live until the end', async () => {
  const service = await startService();
  await becomesReady(service);
  const running = service.post('/content', { url: `${site.url}/slow?ms=2000` });
  await site.waitForRequest('/slow');
  const began = performance.now();
  const stopped = service.stop();
  try {
    let reply = await probe(service, '/ready');
    while (reply.status === 200 && performance.now() - began < 5_000) reply = await probe(service, '/ready');
    const took = performance.now() - began;
    figure(`/ready fails ${took.toFixed(0)} ms after SIGTERM (at most 100)`);
    assert.ok(took < 100, `${took} ms`);
    assert.equal([reply.status, reply.text, reply.headers['retry-after']], [503, 'stopping\n', '10']);
    for (let round = 0; round < 10; round++) assert.is((await probe(service, '/healthz')).text, 'ok\n');
    assert.match(succeeded(await running).text, /slow 2000/);
  } finally {
    await stopped;
  }
});

const real = placeOf('shell') ?? placeOf('chromium');
const withBrowser = test.unless(real === undefined ? 'needs a browser: apt-get install chromium' : undefined);

/** Starts a server whose browser is this script. */
async function withScript(script: string, use: (service: Service, path: string, go: string) => Promise<void>) {
  const directory = temporaryDirectory();
  const path = join(directory, 'browser');
  const go = join(directory, 'go');
  writeFileSync(
    path,
    `#!/bin/sh\ncase "$1" in --version) exec '${real}' "$@";; esac\n${script.replaceAll('GO', go)}\n`,
  );
  chmodSync(path, 0o755);
  await using service = await startService({ env: { SHELL_PATH: path } });
  await use(service, path, go);
}

withBrowser('until its first browser is running, the server is live but not ready', () =>
  withScript(`while [ ! -e GO ]; do sleep 0.05; done\nexec '${real}' "$@"`, async (service, _, go) => {
    const reply = await probe(service, '/ready');
    assert.equal([reply.status, reply.text, reply.headers['retry-after']], [503, 'starting\n', '1']);
    assert.is((await probe(service, '/healthz')).status, 200);
    writeFileSync(go, '');
    await becomesReady(service);
  }),
);

withBrowser('a server whose browser does not start is not ready until a request succeeds', () =>
  withScript(`[ -e GO ] || exit 3\nexec '${real}' "$@"`, async (service, _, go) => {
    const unready = async () => {
      const { status, text } = await probe(service, '/ready');
      assert.is(status, 503);
      return text === 'unavailable\n';
    };
    await until('the browser to fail to start', unready, 30_000);
    assert.is((await probe(service, '/healthz')).status, 200);
    writeFileSync(go, '');
    succeeded(await service.post('/content', { html: 'x' }));
    assert.is((await probe(service, '/ready')).status, 200);
  }),
);
