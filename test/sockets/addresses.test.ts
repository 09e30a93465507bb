// Clients that request the socket URL over HTTP, through a forwarded port and a different hostname: the URLs in the
// responses must point back to the port that the client used (compatibility.mdx#urls-in-responses).
import { request as httpsRequest } from 'node:https';
import puppeteer from 'puppeteer-core';
import { chromium } from 'playwright-core';
import * as assert from 'uvu/assert';
import { endAll, handshake, rawClient, socketUrl } from '../support/clients/clients.ts';
import { send } from '../support/clients/http.ts';
import { refused } from '../support/checks/expect.ts';
import { certificate, type Forwarder, startForwarder } from '../support/clients/forwarder.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('addresses for clients behind a forwarded port', { env: { HOST: '0.0.0.0' } });
let forwarder: Forwarder;
/** The service's host as clients see it: hostname and port differ from those it listens on. */
let base: string;

test.before(async () => {
  forwarder = await startForwarder(service.port);
  base = `localhost:${forwarder.port}`;
});
test.after(() => forwarder.close());
test.after.each(() => endAll(service));

test('puppeteer.connect({ browserURL }) goes through the forwarded port', async () => {
  const before = forwarder.count();
  const browser = await puppeteer.connect({ browserURL: `http://${base}` });
  assert.is(new URL(browser.wsEndpoint()).host, base);
  assert.ok(forwarder.count() >= before + 2, 'the socket bypassed the forwarded port');
  const page = await browser.newPage();
  assert.is(await page.evaluate('1 + 1'), 2);
  forwarder.cut();
  await until('the socket to close along with the forwarded port', () => !browser.connected);
});

test("Playwright's connectOverCDP with an HTTP URL goes through the forwarded port", async () => {
  const before = forwarder.count();
  const browser = await chromium.connectOverCDP(`http://${base}`);
  assert.ok(forwarder.count() >= before + 2, 'the socket bypassed the forwarded port');
  const page = await browser.newPage();
  assert.is(await page.evaluate('1 + 1'), 2);
  forwarder.cut();
  await until('the socket to close along with the forwarded port', () => !browser.isConnected());
});

test('Browserless.reconnect returns a URL on the host that the client connected to, even if another client started the browser', async () => {
  const first = await rawClient(`ws://127.0.0.1:${service.port}/`);
  const { result: direct } = await first.send('Browserless.reconnect', { timeout: 60_000 });
  const endpoint = new URL(String(direct?.['browserWSEndpoint']));
  assert.is(endpoint.host, `127.0.0.1:${service.port}`);
  const second = await rawClient(`ws://${base}${endpoint.pathname}`);
  const { result } = await second.send('Browserless.reconnect', { timeout: 60_000 });
  assert.is(result?.['browserWSEndpoint'], `ws://${base}${endpoint.pathname}`);
  const again = await rawClient(String(result?.['browserWSEndpoint']));
  assert.match(String((await again.send('Browser.getVersion')).result?.['product']), 'Chrome');
  for (const { socket, closed } of [first, second, again]) {
    socket.close();
    await closed;
  }
});

interface Promised {
  webSocketDebuggerUrl: string;
  devtoolsFrontendUrl: string;
}

/** Opens the page reserved by a /json/new response, at the URL that DevTools would read from its own URL. */
async function openFromDevTools({ webSocketDebuggerUrl, devtoolsFrontendUrl }: Promised, ca?: Uint8Array) {
  const [[scheme, rest] = []] = new URL(devtoolsFrontendUrl, 'http://any').searchParams;
  assert.is(`${scheme}://${rest}`, webSocketDebuggerUrl);
  const page = await rawClient(webSocketDebuggerUrl, {}, ca);
  assert.equal((await page.send('Page.enable')).result, {});
  page.socket.close();
  await page.closed;
}

test('a page reserved with PUT /json/new opens at the URL in the response', async () => {
  const promised = (await send(`http://${base}/json/new`, { method: 'PUT' })).json<Promised>();
  assert.is(new URL(promised.webSocketDebuggerUrl).host, base);
  await openFromDevTools(promised);
});

test('behind a TLS-terminating proxy, the returned URLs use TLS', async () => {
  const proxy = await startForwarder(service.port, { tls: 'ends' });
  try {
    const head = await rawClient(`wss://localhost:${proxy.port}/`, {}, certificate);
    const { result } = await head.send('Browserless.reconnect', { timeout: 60_000 });
    const back = await rawClient(String(result?.['browserWSEndpoint']), {}, certificate);
    assert.match(String((await back.send('Browser.getVersion')).result?.['product']), 'Chrome');
    const { promise, resolve, reject } = Promise.withResolvers<Promised>();
    const options = { method: 'PUT', ca: certificate, agent: false };
    const request = httpsRequest(`https://localhost:${proxy.port}/json/new`, options, (answer) => {
      answer.on('data', (chunk: Buffer) => resolve(JSON.parse(chunk.toString())));
    });
    request.on('error', reject).end();
    const promised = await promise;
    assert.match(promised.webSocketDebuggerUrl, `wss://localhost:${proxy.port}/devtools/page/`);
    await openFromDevTools(promised, certificate);
    for (const { socket, closed } of [head, back]) {
      socket.close();
      await closed;
    }
  } finally {
    await proxy.close();
  }
});

const notHosts = ['evil.example/path', 'user@evil.example', '1.2.3.999', '\xe9vil.example', 'a+b.evil.example'];

test('without a token, the server rejects an invalid Host header on requests and sockets', async () => {
  for (const host of notHosts) {
    assert.is((await handshake(service, '/', {}, { host })).status, 403, host);
    refused(await service.get('/json/version', { headers: { host } }), 403, 'does not accept the hostname');
  }
});

test('with a token, a socket with an invalid Host header gets a URL on localhost', async () => {
  await using guarded = await startService({ env: { HOST: '0.0.0.0', TOKEN: 'browserless' } });
  for (const host of [...notHosts, 'e'.repeat(9_000)]) {
    const client = await rawClient(socketUrl(guarded, '/'), { host });
    const { result } = await client.send('Browserless.reconnect', { timeout: 1_000 });
    assert.match(String(result?.['browserWSEndpoint']), `ws://localhost:${guarded.port}/reconnect/`, host);
    client.socket.close();
    await client.closed;
  }
  refused(await guarded.get('/kill/all'), 204);
});
