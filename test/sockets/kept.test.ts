// Browsers that outlive their clients: Browserless.reconnect, pageId, heartbeat (compatibility.mdx#kept-browsers).
import * as assert from 'uvu/assert';
import {
  connect,
  endAll,
  handshake,
  noSessions,
  rawClient,
  sessionsOf,
  socketUrl,
} from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('kept browsers', {
  env: {
    TOKEN: 'secret-token',
    MAX_RECONNECT_TIME: '20000',
    PING_INTERVAL_MS: '300',
    EXTERNAL: 'https://b.example/at/',
  },
});

test.after.each(() => endAll(fixture.service));

interface Kept {
  error: string | null;
  browserWSEndpoint: string;
}

/** The path of a URL under EXTERNAL, where no server listens in this test. */
const pathOf = (endpoint: string) => {
  assert.match(endpoint, /^wss:\/\/b\.example\/at\/reconnect\/[\w-]+$/);
  return new URL(endpoint).pathname.replace(/^\/at/, '');
};

/** Sends one of this server's commands, which Puppeteer's types do not include. */
const command = (session: unknown, method: string, params: object = {}) =>
  (session as { send(method: string, params: object): Promise<unknown> }).send(method, params);

test('tabs, state and cookies survive a disconnect and Browser.close', async () => {
  const browser = await connect(fixture.service);
  const page = await browser.newPage();
  await page.goto(`${fixture.site.url}/cookies`);
  await page.evaluate('document.cookie = "kept=1"; window.state = { count: 3 }');
  const session = await page.createCDPSession();
  const first = (await command(session, 'Browserless.reconnect', { timeout: 15_000 })) as Kept;
  assert.is(first.error, null);
  const path = pathOf(first.browserWSEndpoint);
  await browser.disconnect();
  await until('the client to disconnect', async () => (await sessionsOf(fixture.service))[0]?.numbConnected === 0);

  const again = await connect(fixture.service, path);
  const same = (await again.pages()).find((each) => each.url() === `${fixture.site.url}/cookies`);
  assert.equal(await same?.evaluate('[window.state.count, document.cookie]'), [3, 'kept=1']);
  // Closing is intercepted: the browser stays open.
  await again.close();
  const third = await connect(fixture.service, path);
  assert.is((await third.pages()).length, 2);
  refused(await fixture.service.get('/kill/all'), 204);
  await until('the client to be disconnected', () => !third.connected);
  await noSessions(fixture.service);
  assert.is((await handshake(fixture.service, path)).status, 404);
});

test('an ordinary GET of the reconnect URL returns the socket URL and the pages', async () => {
  const browser = await connect(fixture.service);
  const session = await browser.target().createCDPSession();
  const { browserWSEndpoint } = (await command(session, 'Browserless.reconnect', { timeout: 15_000 })) as Kept;
  const path = pathOf(browserWSEndpoint);
  const info = succeeded(await fixture.service.get(path)).json<{
    webSocketDebuggerUrl: string;
    pages: { url: string }[];
  }>();
  assert.is(info.webSocketDebuggerUrl, browserWSEndpoint);
  assert.equal(
    info.pages.map(({ url }) => url),
    ['about:blank'],
  );
  refused(await fixture.service.get(path, { token: null }), 401);
  refused(await fixture.service.get('/kill/all'), 204);
  await noSessions(fixture.service);
});

test("a token set by the command replaces the server's token", async () => {
  const client = await rawClient(socketUrl(fixture.service, '/'));
  const { result } = await client.send('Browserless.reconnect', { timeout: 15_000, auth: 'only-mine' });
  const path = pathOf(String(result?.['browserWSEndpoint']));
  client.socket.close();
  await client.closed;
  assert.is((await handshake(fixture.service, path)).status, 401);
  assert.is((await handshake(fixture.service, path, { token: '' })).status, 401);
  const back = await rawClient(socketUrl(fixture.service, path, { token: 'only-mine' }));
  assert.not.match(fixture.service.output(), /only-mine/);
  refused(await fixture.service.get('/kill/all'), 204);
  assert.is((await back.closed).code, 4410);
});

test('a kept browser closes after its timeout, which each command resets', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/'));
  await client.send('Browserless.reconnect', { timeout: 15_000 });
  const { result } = await client.send('Browserless.reconnect', { timeout: 500 });
  const path = pathOf(String(result?.['browserWSEndpoint']));
  client.socket.close();
  await noSessions(fixture.service);
  assert.is((await handshake(fixture.service, path)).status, 404);
});

test('the time limit disconnects the client, but the kept browser stays', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/', { timeout: 4_000 }));
  const { result } = await client.send('Browserless.reconnect', { timeout: 15_000 });
  const path = pathOf(String(result?.['browserWSEndpoint']));
  assert.is((await client.closed).code, 4408);
  const back = await connect(fixture.service, path);
  assert.match(await back.version(), /Chrome/);
  refused(await fixture.service.get('/kill/all'), 204);
  await noSessions(fixture.service);
});

test('invalid parameters are an error in the result; unknown commands are a protocol error', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/'));
  for (const params of [{ timeout: -1 }, { timeout: 'long' }, { auth: '' }, { auth: 5 }, { other: 1 }]) {
    const { result } = await client.send('Browserless.reconnect', params);
    assert.match(String(result?.['error']), /timeout|auth|other/);
    assert.is(result?.['browserWSEndpoint'], null);
  }
  const { error } = await client.send('Browserless.nothing');
  assert.is(error?.code, -32_601);
  client.socket.close();
  await noSessions(fixture.service);
});

test('pageId and heartbeat work on page and browser sessions', async () => {
  const browser = await connect(fixture.service);
  const [page] = await browser.pages();
  const session = await page?.createCDPSession();
  let beats = 0;
  // The event is specific to this server: Puppeteer's types do not include it.
  (session as unknown as { on(event: string, listener: () => void): void }).on('Browserless.heartbeat', () => beats++);
  await until('two heartbeats', () => beats >= 2, 30_000);
  const { pageId } = (await command(session, 'Browserless.pageId')) as { pageId: string };
  const targets = (await fixture.service.get('/json/list')).json<{ id: string }[]>();
  assert.equal(
    targets.map(({ id }) => id),
    [pageId],
  );
  await browser.close();
  await noSessions(fixture.service);

  const client = await rawClient(socketUrl(fixture.service, '/'));
  await until('a heartbeat', () => client.events.some(({ method }) => method === 'Browserless.heartbeat'), 30_000);
  const { result } = await client.send('Browserless.pageId');
  assert.match(String(result?.['pageId']), /^[0-9A-F]{32}$/);
  client.socket.close();
  await noSessions(fixture.service);
});

test.proves('PING_INTERVAL_MS');
test('a client that does not answer pings is disconnected', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/'));
  client.socket.pause();
  await noSessions(fixture.service);
  client.socket.terminate();
});
