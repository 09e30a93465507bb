// Errors about a proxy use the endpoint's own name for it, and suggest the fix that this endpoint offers.
import * as assert from 'uvu/assert';
import { refused } from '../support/checks/expect.ts';
import { handshake, rawClient, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, service, site } = fixtureSuite('names of proxies in errors', { timeoutMs: 120_000 });
/** The URL of a proxy that does not exist. */
let absent: string;

test.before(() => (absent = site.refusingUrl.replace(/\/$/, '')));

const invalid = 'direct://';
const launch = (options: object) => ({ launch: JSON.stringify(options) });

/** Query parameters that set a proxy, by the name that errors must use. */
const inAddresses: Record<string, (server: string) => Record<string, string>> = {
  externalProxyServer: (server) => ({ externalProxyServer: server }),
  '--proxy-server': (server) => ({ '--proxy-server': server }),
  '--proxy-server (launch.args)': (server) => launch({ args: [`--proxy-server=${server}`] }),
  'launch.proxy.server': (server) => launch({ proxy: { server } }),
};
for (const [way, query] of Object.entries(inAddresses)) {
  const name = way.replace(/ .*/, '');
  test(`${way}: errors on requests and sockets use this name`, async () => {
    const body = { html: 'x' };
    const wrong = refused(
      await service.post('/content', body, { query: query(invalid) }),
      400,
      `"${name}" must be a proxy`,
    );
    assert.not.match(wrong.text, name === 'externalProxyServer' ? '--proxy-server' : 'externalProxyServer');
    refused(await service.post('/content', body, { query: query(absent) }), 502, `The proxy from ${name} at`);
    assert.match((await handshake(service, '/', query(invalid))).text, `"${name}" must be a proxy`);
    assert.match((await handshake(service, '/', query(absent))).text, `The proxy from ${name} at`);
  });
}

test('a username with a colon: the error names launch.proxy.username', async () => {
  const query = launch({ proxy: { server: 'http://h:1', username: 'a:b', password: 'c' } });
  refused(
    await service.post('/content', { html: 'x' }, { query }),
    400,
    '"launch.proxy.username" cannot be sent',
    'must not contain a colon',
  );
});

test("without a proxy provider, each endpoint's error suggests its own way to set a proxy", async () => {
  const query = { proxy: 'residential' };
  refused(await service.post('/content', { html: 'x' }, { query }), 400, 'your own proxy with externalProxyServer');
  const session = await service.post('/session', { proxy: { type: 'residential' } });
  refused(session, 400, 'your own proxy with --proxy-server in "args"');
  assert.not.match(session.text, 'externalProxyServer');
  const document = 'mutation { proxy(country: DE, url: "*") { time } }';
  const { text } = await service.post('/chromium/bql', { query: document });
  assert.match(text, 'your own proxy with proxy(server:)');
  assert.not.match(text, /externalProxyServer|": /);
});

test('POST /session: errors name the switch in "args"', async () => {
  const create = (server: string) => service.post('/session', { args: [`--proxy-server=${server}`] });
  const reply = await service.post(
    '/session',
    { args: [`--proxy-server=${invalid}`] },
    { headers: { accept: 'application/json' } },
  );
  refused(reply, 400, '"--proxy-server" must be a proxy');
  assert.equal(
    reply.json<{ issues: { path: string }[] }>().issues.map(({ path }) => path),
    ['args'],
  );
  const { connect } = (await create(absent)).json<{ connect: string }>();
  const { pathname } = new URL(connect);
  assert.match((await handshake(service, pathname)).text, 'The proxy from --proxy-server at');
});

test('BrowserQL: errors name proxy(server:)', async () => {
  for (const [server, said] of [
    [invalid, '"proxy(server:)" must be a proxy'],
    [absent, 'The proxy from proxy(server:) at'],
  ] as const) {
    const query = `mutation { proxy(server: "${server}", url: "*") { time } }`;
    const { errors } = (await service.post('/chromium/bql', { query })).json<{ errors: { message: string }[] }>();
    assert.match(errors[0]?.message ?? '', said);
  }
});

test('contexts: errors name proxyServer over CDP and proxy.server for Playwright', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const made = (proxyServer: string) => client.send('Target.createBrowserContext', { proxyServer });
  assert.match((await made(invalid)).error?.message ?? '', '"proxyServer" must be a proxy');
  assert.match((await made(absent)).error?.message ?? '', 'The proxy from proxyServer at');
  client.socket.close();
  const browser = await connectPlaywright(service);
  const contextError = (server: string) =>
    browser.newContext({ proxy: { server } }).then(
      () => 'made',
      (error: Error) => error.message,
    );
  assert.match(await contextError(invalid), '"proxy.server" must be a proxy');
  assert.match(await contextError(absent), 'The proxy from proxy.server at');
  const cdp = await browser.newBrowserCDPSession();
  const direct = cdp.send('Target.createBrowserContext', { proxyServer: invalid });
  assert.match(String(await direct.catch((error: unknown) => error)), '"proxyServer" must be a proxy');
  await browser.close();
});
