// SESSION_IDLE_MS and SESSIONS_PER_SECOND: sessions with silent clients end, and the rate at which sessions start is
// limited.
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { connect, endAll, handshake, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright, disconnected } from '../support/clients/playwright.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type Service, startService } from '../support/service.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const idleMs = 1_500;
/** By then an idle session has long ended. */
const longMs = idleMs * 2.5;
const { test, fixture } = fixtureSuite('idle sessions', { env: { SESSION_IDLE_MS: String(idleMs), TIMEOUT: '0' } });

test.after.each(() => endAll(fixture.service));

const playwright = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };

/** Resolves with how a silent socket is closed. */
function ending(path: string, protocols: string[] = []) {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number; reason: string; ms: number }>();
  const headers = path.includes('playwright') ? playwright : {};
  // Do not start at 'open': on a busy machine that event arrives late in this process, and the server does not wait for
  // it.
  const began = performance.now();
  const socket = new WebSocket(socketUrl(fixture.service, path), protocols, { headers });
  socket.on('error', reject);
  socket.on('close', (code, reason) => resolve({ code, reason: String(reason), ms: performance.now() - began }));
  return promise;
}

function isIdle({ code, reason }: { code: number; reason: string }, what?: string): void {
  assert.is(code, 4408, what);
  assert.match(reason, `${idleMs} ms`);
  assert.match(reason, 'SESSION_IDLE_MS');
}

/** Repeats an action for longer than the idle limit. */
async function busy(action: () => Promise<unknown>): Promise<void> {
  for (const began = performance.now(); performance.now() - began < longMs;) {
    await action();
    // More often than the limit requires, without using up a CPU.
    await pause(50);
  }
}

test.proves('SESSION_IDLE_MS');
test('a socket whose client sends nothing is closed with 4408', async () => {
  const { id } = succeeded(await fixture.service.post('/session', { ttl: 60_000 })).json<{ id: string }>();
  const graphql = ['graphql-transport-ws'];
  const paths: [string, string[]?][] = [
    ['/'],
    ['/chromium/playwright'],
    ['/chromium/bql', graphql],
    [`/session/connect/${id}`],
  ];
  const endings = await Promise.all(
    paths.map(async ([path, protocols]) => [path, await ending(path, protocols)] as const),
  );
  for (const [path, end] of endings) {
    isIdle(end, path);
    assert.ok(end.ms > idleMs * 0.9, `${path}: closed after ${end.ms} ms`);
  }
  const left = await sessionsOf(fixture.service);
  assert.equal(
    left.map((each) => each.id),
    [id],
    'only the session of POST /session is left',
  );
});

test('commands from CDP clients keep a session alive', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/'));
  await busy(() => client.send('Browser.getVersion'));
  isIdle(await client.closed);
});

test('activity of Playwright clients keeps a session alive', async () => {
  const browser = await connectPlaywright(fixture.service);
  const page = await browser.newPage();
  await busy(() => page.evaluate('1'));
  assert.ok(browser.isConnected());
  await disconnected(browser);
});

const slow = `mutation { waitForTimeout(time: ${longMs}) { time } }`;

test('a BrowserQL document counts as activity until it finishes, on a socket and over HTTP', async () => {
  let closed: unknown;
  const ended = Promise.withResolvers<void>();
  const client = createClient({
    url: socketUrl(fixture.service, '/chromium/bql'),
    webSocketImpl: WebSocket,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
    on: {
      closed: (event) => {
        closed = event;
        ended.resolve();
      },
    },
  });
  const answer = await new Promise((resolve, reject) => {
    let value: unknown;
    client.subscribe({ query: slow }, { next: (one) => (value = one), error: reject, complete: () => resolve(value) });
  });
  assert.match(JSON.stringify(answer), '"time"');
  await ended.promise;
  const { code, reason } = closed as CloseEvent; // graphql-ws types it as unknown.
  isIdle({ code, reason });

  const kept = await fixture.service.post('/chromium/bql', {
    query: `mutation { reconnect(timeout: 100) { browserWSEndpoint } waitForTimeout(time: ${longMs}) { time } }`,
  });
  assert.is(succeeded(kept).json<{ errors?: object[] }>().errors, undefined);
});

test('a kept browser only loses its idle clients, and does not time out without clients', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/'));
  const { result } = await client.send('Browserless.reconnect', { timeout: 60_000 });
  isIdle(await client.closed);
  // Use a session that starts now to wait for the idle limit once more.
  isIdle(await ending('/'));
  const back = await connect(fixture.service, new URL(String(result?.['browserWSEndpoint'])).pathname);
  assert.match(await back.version(), /Chrome/);
});

/** Runs the work with a server that lets few sessions start. */
async function withFew(perSecond: number, work: (service: Service) => Promise<void>): Promise<void> {
  await using service = await startService({ env: { SESSIONS_PER_SECOND: String(perSecond), CONCURRENT: '20' } });
  await work(service);
}

test.proves('SESSIONS_PER_SECOND');
test('sessions that start too fast are rejected, at every endpoint that starts one', () =>
  withFew(1, async (service) => {
    const page = (await service.get('/json/new', { method: 'PUT' })).json<{ webSocketDebuggerUrl: string }>();
    const promised = new URL(page.webSocketDebuggerUrl).pathname;
    const keeping = { query: 'mutation { reconnect(timeout: 100) { browserWSEndpoint } }' };
    const graphql = { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' };
    const endpoints: Record<string, () => Promise<{ status: number; text: string; headers: object }>> = {
      'POST /session': () => service.post('/session', {}),
      'POST /chromium/bql': () => service.post('/chromium/bql', keeping),
      '/': () => handshake(service, '/'),
      '/chromium/playwright': () => handshake(service, '/chromium/playwright', {}, playwright),
      '/chromium/bql': () => handshake(service, '/chromium/bql', {}, graphql),
      '/devtools/page': () => handshake(service, promised),
    };
    for (const [name, open] of Object.entries(endpoints)) {
      // Sessions of POST /session start immediately: one uses up the rest of this second, unless the machine is slow.
      await until(`${name} to be refused`, async () => {
        await service.post('/session', {});
        const { status, text, headers } = await open();
        if (status !== 429) return false;
        assert.match(text, 'SESSIONS_PER_SECOND allows 1 per second', name);
        assert.is(Number(new Map(Object.entries(headers)).get('retry-after')), 1, name);
        return true;
      });
    }
    succeeded(await service.post('/content', { html: 'jobs are not sessions' }));
    const metrics = await service.get('/metrics', { headers: { Accept: 'text/plain' } });
    assert.match(metrics.text, /browserd_rejected_total\{reason="rate"\} [1-9]/);
  }));

test('the allowed number of sessions can start at the same time; the browser of a session is not counted separately', () =>
  withFew(3, async (service) => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => service.post('/session', {})));
    const made = replies.filter(({ status }) => status === 200).map((reply) => reply.json<{ id: string }>());
    assert.ok(made.length >= 3 && made.length < 8, `${made.length} were created`);
    const connected = made.map(({ id }) => handshake(service, `/session/connect/${id}`));
    assert.equal(
      (await Promise.all(connected)).map(({ status }) => status),
      made.map(() => 101),
    );
    refused(await service.get('/kill/all'), 204);
  }));
