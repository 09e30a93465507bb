// Proxies of browsers that clients attach to: sockets, sessions of POST /session, contexts created over CDP.
import puppeteer, { type Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { providerUrl, startProvider, startSocksProxy, type TestProxy } from '../support/clients/proxies.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { stopAll } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('proxies of sockets', {
  env: async () => {
    http = await startProvider();
    socks = await startSocksProxy();
    return { SPARES: '0', RESIDENTIAL_PROXY_URL: providerUrl(http, 'canary-customer[-{country}][-{session}]') };
  },
});
let http: TestProxy;
let socks: TestProxy;

test.after(() => stopAll(http, socks));
test.before.each(() => {
  http.seen.splice(0);
  socks.seen.splice(0);
});

async function connect<T>(
  path: string,
  query: Record<string, string>,
  body: (browser: Browser) => Promise<T>,
): Promise<T> {
  const url = new URL(path, service.url.replace('http', 'ws'));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const browser = await puppeteer.connect({ browserWSEndpoint: url.href, protocolTimeout: 30_000 });
  try {
    return await body(browser);
  } finally {
    await browser.disconnect();
  }
}

async function titleOf(browser: Browser, url = `${site.url}/small`): Promise<string> {
  const page = await browser.newPage();
  await page.goto(url);
  return page.title();
}

const goneFrom = (proxy: TestProxy) =>
  until('the proxy to have no connections', () => proxy.connections() === 0, 30_000);

test.proves('externalProxyServer@cdp');
test('a socket with externalProxyServer uses the proxy, and the password is not exposed', async () => {
  await connect('/chromium', { externalProxyServer: http.url() }, async (browser) => {
    assert.is(await titleOf(browser), 'Small');
    const texts = [
      (await service.get('/sessions')).text,
      service.output(),
      ...service.tree().map(({ command, environment }) => `${command} ${environment}`),
    ];
    for (const text of texts) assert.not.ok(text.includes('canary-proxy'), text);
  });
  assert.ok(http.targets().includes(`GET ${site.url}/small`), http.targets().join());
  await goneFrom(http);
});

test('a socket with --proxy-server in its launch options uses the SOCKS proxy', async () => {
  const launch = JSON.stringify({ args: [`--proxy-server=${socks.url()}`] });
  assert.is(await connect('/', { launch }, (browser) => titleOf(browser)), 'Small');
  assert.ok(socks.targets().includes(`CONNECT 127.0.0.1:${site.port}`));
  await goneFrom(socks);
});

test('with wrong credentials, the page fails to load, and the log gives the reason', async () => {
  await connect('/', { externalProxyServer: socks.url('x', 'canary-wrong') }, async (browser) => {
    const failure = await titleOf(browser).then(String, (error: Error) => error.message);
    assert.match(failure, 'net::ERR_SOCKS_CONNECTION_FAILED');
  });
  await connect('/', { externalProxyServer: http.url('x', 'canary-wrong') }, async (browser) => {
    const page = await browser.newPage();
    assert.is((await page.goto(`${site.url}/small`))?.status(), 502);
    const failure = await page.goto(`${site.secureUrl}/small`).then(String, (error: Error) => error.message);
    assert.match(failure, 'net::ERR_TUNNEL_CONNECTION_FAILED');
  });
  const lines = service.logs().filter(({ event }) => event === 'proxy.failed');
  assert.ok(lines.length >= 2);
  for (const line of lines) assert.match(String(line['reason']), 'it rejected the username or password');
});

test('a socket with an unreachable proxy gets an HTTP 502', async () => {
  const { host } = new URL(site.refusingUrl);
  const reply = await service.get('/', {
    query: { externalProxyServer: `http://u:canary-secret@${host}` },
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
    },
  });
  refused(reply, 502, 'could not be reached: it refused the connection');
  assert.not.match(reply.text, 'canary');
  const running = async () =>
    (await service.get('/pressure')).json<{ pressure: { running: number } }>().pressure.running;
  await until('all slots to be free', async () => (await running()) === 0, 30_000);
});

test.proves('session:proxy.type');
test('the browsers of a session keep its residential IP address', async () => {
  const reply = await service.post('/session', { ttl: 60_000, proxy: { type: 'residential' } });
  const { connect: address, stop } = succeeded(reply).json<{ connect: string; stop: string }>();
  const users = new Set<string | undefined>();
  for (let round = 0; round < 2; round++) {
    assert.is(await connect(address, {}, (browser) => titleOf(browser)), 'Small');
    for (const { credentials } of http.seen) users.add(credentials?.split(':')[0]);
    await until(
      'the browser to exit',
      async () => {
        const sessions = (await service.get('/sessions')).json<{ running: boolean }[]>();
        return sessions.every(({ running }) => !running) && http.connections() === 0;
      },
      30_000,
    );
  }
  assert.is(users.size, 1);
  assert.match([...users][0] ?? '', /^canary-customer-us-[0-9a-f]{8}$/);
  assert.is((await service.get(new URL(stop).pathname, { method: 'DELETE' })).status, 204);
  const city = { type: 'residential', city: 'Berlin' };
  refused(await service.post('/session', { proxy: city }), 400, '"proxy.city" is not available');
  const both = { proxy: { type: 'residential' }, args: ['--proxy-server=h:1'] };
  refused(await service.post('/session', both), 400, '"proxy" cannot be used together');
});

test('a context with its own proxy is subject to the network policy', async () => {
  await connect('/', {}, async (browser) => {
    const context = await browser.createBrowserContext({ proxyServer: http.url() });
    const page = await context.newPage();
    await page.goto(`${site.url}/small`);
    assert.is(await page.title(), 'Small');
    assert.ok(http.targets().includes(`GET ${site.url}/small`));
    assert.is((await page.goto('http://169.254.169.254/'))?.status(), 403);
    assert.is((await page.goto(`http://127.0.0.1:${service.port}/`))?.status(), 403);
    const direct = await browser.createBrowserContext({ proxyServer: 'direct://' }).then(
      () => 'made',
      (error: Error) => error.message,
    );
    assert.match(direct, 'must be a proxy');
  });
  await goneFrom(http);
});
