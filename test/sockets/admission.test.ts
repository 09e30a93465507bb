// Admission of sockets and its metrics: tokens, a server without a token, slots, limits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { connect, handshake, noSessions, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright, rawPlaywright } from '../support/clients/playwright.ts';
import { busyProcessors } from '../support/processors.ts';
import { installed } from '../support/programs.ts';
import { type Service, startService } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('admission of sockets', { timeoutMs: 120_000 });

const playwright = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
/** Every kind of socket that starts a browser, with the headers of its clients. */
const endpoints: readonly (readonly [path: string, headers: Record<string, string>])[] = [
  ['/', {}],
  ['/chromium', {}],
  ['/chromium/playwright', playwright],
  ...(installed('firefox') ? [['/firefox/playwright', playwright] as const] : []),
];

type Totals = Record<'successful' | 'error' | 'timedout' | 'queued' | 'rejected', number>;

async function totals(service: Service): Promise<Totals> {
  const all = (await service.get('/metrics/total')).json<Totals>();
  const { successful, error, timedout, queued, rejected } = all;
  return { successful, error, timedout, queued, rejected };
}

const nothing: Totals = { successful: 0, error: 0, timedout: 0, queued: 0, rejected: 0 };

async function withService(env: Record<string, string>, work: (service: Service) => Promise<void>): Promise<void> {
  await using service = await startService({ env: { SPARES: '0', ...env } });
  await work(service);
}

test.peer('sockets');
test('a missing or wrong token is counted as unauthorized and nothing else', async () => {
  const directory = temporaryDirectory();
  const env = { TOKEN: 'secret-token', METRICS_JSON_PATH: join(directory, 'metrics.json') };
  await withService(env, async (service) => {
    for (const [path, headers] of endpoints) {
      for (const token of ['', 'wrong']) {
        const { status, text } = await handshake(service, path, { token }, headers);
        assert.is(status, 401, path);
        assert.is(text, 'Bad or missing authentication.\n');
      }
    }
    assert.equal(await totals(service), nothing);
    assert.equal(await sessionsOf(service), []);
  });
  // The period that the server wrote when it stopped.
  const { unauthorized, rejected } = JSON.parse(readFileSync(env.METRICS_JSON_PATH, 'utf8').trim());
  assert.equal([unauthorized, rejected], [endpoints.length * 2, 0]);
});

test.peer('sockets');
test.peer('sockets', 'Playwright: a connection that closed normally counts as successful');
test('a server without a token accepts clients with or without one', () =>
  withService({}, async (service) => {
    for (const query of [{}, { token: 'any' }]) {
      const browser = await connect(service, '/', query);
      assert.match(await browser.version(), /Chrome/);
      await browser.close();
    }
    const library = await connectPlaywright(service);
    assert.is((await (await library.newPage()).goto('about:blank'))?.status(), undefined);
    await library.close();
    await until('all three to be counted', async () => (await totals(service)).successful === 3);
    assert.equal(await totals(service), { ...nothing, successful: 3 });
  }));

test.peer('sockets');
test('without slots and a queue, every socket gets a 429 and counts as rejected', () =>
  withService({ TOKEN: 'secret-token', CONCURRENT: '0', QUEUED: '0' }, async (service) => {
    for (const [path, headers] of endpoints) {
      const { status, text } = await handshake(service, path, {}, headers);
      assert.is(status, 429, path);
      assert.is(text, 'Too many requests\n');
    }
    assert.equal(await totals(service), { ...nothing, rejected: endpoints.length });
  }));

test.peer('sockets');
test('with one slot, a second Playwright client waits and both succeed', () =>
  withService({ CONCURRENT: '1' }, async (service) => {
    const first = await connectPlaywright(service);
    const waiting = connectPlaywright(service);
    await until('a queued client', async () => (await totals(service)).queued === 1);
    await first.close();
    await (await waiting).close();
    await until('both to be counted', async () => (await totals(service)).successful === 2);
    assert.equal(await totals(service), { ...nothing, successful: 2, queued: 1 });
  }));

test.peer('sockets');
test.peer('sockets', 'a client that names a missing browser does not bypass a full queue');
test('a running browser accepts more clients while all slots are taken', () =>
  withService({ CONCURRENT: '1', QUEUED: '0' }, async (service) => {
    const first = await rawClient(socketUrl(service, '/'));
    const [entry] = await sessionsOf(service);
    assert.is((await handshake(service, '/')).status, 429);
    const second = await rawClient(socketUrl(service, `/devtools/browser/${entry?.id}`));
    assert.match(String((await second.send('Browser.getVersion')).result?.['product']), 'Chrome');
    // A client that requests a nonexistent browser is not treated as an additional client.
    assert.is((await handshake(service, '/devtools/browser/unknown')).status, 404);
    for (const { socket } of [second, first]) socket.close();
    await noSessions(service);
  }));

test.peer('sockets');
test.peer('management and settings', 'health: CPU load causes rejections, an idle machine accepts requests');
test('an overloaded machine rejects new browsers, but not more clients of a running one', async () => {
  const env = { HEALTH: 'true', MAX_CPU_PERCENT: '90', CPU_OVERLOAD_HYSTERESIS: '0', CPU_SAMPLE_INTERVAL_MS: '50' };
  await withService(env, async (service) => {
    const open = () => rawClient(socketUrl(service, '/')).catch(() => undefined);
    const first = await until('the machine to be idle', open, 60_000);
    const [entry] = await sessionsOf(service);
    const rest = busyProcessors();
    try {
      const refused = async () => (await handshake(service, '/')).status === 429;
      await until('the machine to be overloaded', refused, 60_000);
      const second = await rawClient(socketUrl(service, `/devtools/browser/${entry?.id}`));
      assert.match(String((await second.send('Browser.getVersion')).result?.['product']), 'Chrome');
      second.socket.close();
    } finally {
      rest();
    }
    first.socket.close();
    await noSessions(service);
  });
});

test.peer('sockets');
test('?timeout= disconnects a client even with TIMEOUT=-1, and counts as timed out', () =>
  withService({ TIMEOUT: '-1', CONCURRENT: '3' }, async (service) => {
    const [cdp, other] = [await rawClient(socketUrl(service, '/', { timeout: 3_000 })), await rawPlaywright(service)];
    assert.is((await cdp.closed).code, 4408);
    await until('the timeout to be counted', async () => (await totals(service)).timedout === 1);
    assert.is(other.socket.readyState, other.socket.OPEN, 'the client that requested no limit stays connected');
    assert.equal(await totals(service), { ...nothing, timedout: 1 });
    other.socket.close();
    await noSessions(service);
  }));

test.peer('sockets');
test.peer('sockets', 'temporary directory: removed after /kill, and /sessions is empty immediately');
test('/kill/all disconnects the clients of all browsers, and /sessions is empty immediately', () =>
  withService({ CONCURRENT: '3' }, async (service) => {
    const clients = [
      await rawClient(socketUrl(service, '/')),
      await rawClient(socketUrl(service, '/', { isolation: 'process' })),
      await rawPlaywright(service),
    ];
    const directories = (await sessionsOf(service)).flatMap(({ userDataDir }) => userDataDir ?? []);
    assert.ok(directories.length >= 1, 'at least one of them has its own directory');
    assert.is((await service.get('/kill/all')).status, 204);
    assert.equal(await sessionsOf(service), []);
    for (const { closed } of clients) assert.is((await closed).code, 4410);
    await until('their directories to be gone', () => service.leftovers().files.length === 0, 30_000);
  }));

test.peer('sockets');
test('a browser that fails to start gives its client a 500 and leaves no directory behind', () =>
  withService({ SHELL_PATH: '/bin/false', CHROMIUM_PATH: '/bin/false', RETRIES: '0' }, async (service) => {
    const failure = await connect(service).catch((error: Error) => error.message);
    assert.match(String(failure), '500');
    assert.match((await handshake(service, '/')).text, 'could not be started');
    assert.equal(service.leftovers().files, []);
  }));
