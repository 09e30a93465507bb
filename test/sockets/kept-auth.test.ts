// A token that Browserless.reconnect sets for a browser guards every endpoint of that browser
// (compatibility.mdx#kept-browsers).
import * as assert from 'uvu/assert';
import { endAll, handshake, type RawClient, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('tokens of kept browsers', { env: { TOKEN: 'secret-token' } });
/** A server without a token. */
let open: Service;

test.before(async () => (open = await startService()));
test.after(() => open.stop());
test.after.each(() => Promise.all([service, open].map(endAll)));

const ownToken = 'only-mine';
const document = { query: 'mutation { url { url } }' };

/** The ids of a client's browser and of its first page. */
async function idsOf(client: RawClient): Promise<{ browser: string; page: string }> {
  const { result } = await client.send('Browserless.reconnect', { timeout: 60_000, auth: ownToken });
  const { result: page } = await client.send('Browserless.pageId');
  const browser = String(result?.['browserWSEndpoint']).split('/').at(-1) ?? '';
  return { browser, page: String(page?.['pageId']) };
}

/** Checks that each endpoint accepts the token that was set, and no other. */
async function guarded(of: Service, { sockets, calls }: { sockets: string[]; calls: [string, 'GET' | 'POST'][] }) {
  const wrong = ['', 'other', ...(of.env['TOKEN'] === undefined ? [] : [of.env['TOKEN']])];
  for (const token of wrong) {
    for (const path of sockets) {
      const { status, text } = await handshake(of, path, { token });
      assert.is(status, 401, `${path} with "${token}": ${status} ${text}`);
    }
    for (const [path, method] of calls) {
      const sent = { token: token === '' ? null : token };
      refused(method === 'GET' ? await of.get(path, sent) : await of.post(path, document, sent), 401);
    }
  }
  for (const path of sockets) {
    const { status, text } = await handshake(of, path, { token: ownToken });
    assert.is(status, 101, `${path} with its token: ${status} ${text}`);
  }
  for (const [path, method] of calls) {
    const sent = { token: ownToken };
    succeeded(method === 'GET' ? await of.get(path, sent) : await of.post(path, document, sent));
  }
}

/** Endpoints of a kept browser. A document sent to the last one closes the browser, unless a client is connected. */
const keptEndpoints = ({ browser, page }: { browser: string; page: string }) => ({
  sockets: [
    `/reconnect/${browser}`,
    `/devtools/browser/${browser}`,
    `/function/connect/${browser}`,
    `/devtools/page/${page}`,
    `/chromium/bql/${browser}`,
    `/chrome/bql/${browser}`,
    `/stealth/bql/${browser}`,
  ],
  calls: [
    [`/reconnect/${browser}`, 'GET'],
    [`/chromium/bql/${browser}`, 'POST'],
  ] satisfies [string, 'GET' | 'POST'][],
});

for (const name of ['with a token', 'without one']) {
  test.shows('no-token', 'CDP', 'BrowserQL', 'function');
  test(`every endpoint of a kept browser requires its token, on a server ${name}`, async () => {
    const of = name === 'with a token' ? service : open;
    const client = await rawClient(socketUrl(of, '/'));
    const ids = await idsOf(client);
    await guarded(of, keptEndpoints(ids));
    // A document that does not call reconnect again does not remove the guard while a client is connected.
    await guarded(of, { sockets: [`/devtools/browser/${ids.browser}`, `/devtools/page/${ids.page}`], calls: [] });
    assert.is((await client.send('Browser.getVersion')).error, undefined);
  });
}

test.shows('no-token', 'sessions');
test.needs('a full Chromium');
test("every endpoint of a session requires its browser's token", async () => {
  const created = await service.post('/session', { stealth: true, ttl: 60_000 });
  const { id } = succeeded(created).json<{ id: string }>();
  const client = await rawClient(socketUrl(service, `/session/connect/${id}`));
  const ids = await idsOf(client);
  const { sockets, calls } = keptEndpoints(ids);
  await guarded(service, {
    sockets: [...sockets, `/session/connect/${id}`, `/session/bql/${id}`],
    calls: [[`/session/bql/${id}`, 'POST'], ...calls],
  });
});

test('a document that calls reconnect again does not remove the token', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const ids = await idsOf(client);
  client.socket.close();
  await client.closed;
  const keeping = { query: 'mutation { reconnect(timeout: 60000) { browserWSEndpoint } }' };
  succeeded(await service.post(`/chromium/bql/${ids.browser}`, keeping, { token: ownToken }));
  await guarded(service, keptEndpoints(ids));
});

test('a client that calls reconnect again without a token removes the token', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const { browser } = await idsOf(client);
  await client.send('Browserless.reconnect', { timeout: 60_000 });
  assert.is((await handshake(service, `/devtools/browser/${browser}`)).status, 101);
  assert.is((await handshake(service, `/devtools/browser/${browser}`, { token: ownToken })).status, 401);
});

test("a session's next browser does not inherit the previous browser's token", async () => {
  const created = await service.post('/session', { ttl: 60_000 });
  const { id } = succeeded(created).json<{ id: string }>();
  const client = await rawClient(socketUrl(service, `/session/connect/${id}`));
  await client.send('Browserless.reconnect', { timeout: 1, auth: ownToken });
  client.socket.close();
  await until('its browser to close', async () => (await sessionsOf(service)).every(({ running }) => !running));
  assert.is((await handshake(service, `/session/connect/${id}`)).status, 101);
});

test('an unknown id returns 401 without the token and 404 with it', async () => {
  const id = '00000000-0000-4000-8000-000000000000';
  for (const path of ['reconnect', 'devtools/browser', 'function/connect', 'devtools/page', 'session/connect']) {
    assert.is((await handshake(service, `/${path}/${id}`, { token: '' })).status, 401, path);
    assert.is((await handshake(service, `/${path}/${id}`)).status, 404, path);
  }
});
