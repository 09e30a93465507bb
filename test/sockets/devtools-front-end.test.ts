// The DevTools front-end in a real browser: when opened with the URL from /json/list, it attaches and shows the page;
// it does not connect to any other host, and a page from another site cannot make it start a browser.
// @tier ci
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { connect, sessionsOf } from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service: open, site } = fixtureSuite('DevTools in a browser', { timeoutMs: 120_000 });
let closed: Service;
let reader: Reader;

test.before(async () => {
  closed = await startService({ env: { TOKEN: 'to&ken' } });
  reader = await startReader(['--ignore-certificate-errors']);
});
test.after(() => stopAll(reader, closed));

/** Opens a page on the site in a session, and the page's `devtoolsFrontendUrl`. */
async function inspected(service: Service, isolation = 'context') {
  const browser = await connect(service, '/', { isolation });
  const page = await browser.newPage();
  await page.goto(`${site.url}/`);
  const targets = (await service.get('/json/list')).json<{ url: string; devtoolsFrontendUrl: string }[]>();
  const address = targets.find(({ url }) => url === `${site.url}/`)?.devtoolsFrontendUrl ?? '';
  return { browser, page, address, [Symbol.asyncDispose]: () => browser.close() };
}

interface Watched {
  page: Page;
  /** URLs of all requests and sockets, without data: and blob: URLs. */
  requestedUrls: string[];
  /** Violations of the Content-Security-Policy reported by the page. */
  violations(): string[];
}

async function watchedPage(): Promise<Watched> {
  const page = await reader.open();
  const requestedUrls: string[] = [];
  const messages: string[] = [];
  const client = await page.createCDPSession();
  await client.send('Network.enable');
  client.on('Network.webSocketCreated', ({ url }) => requestedUrls.push(url));
  page.on('request', (request) => requestedUrls.push(request.url()));
  page.on('console', (message) => messages.push(message.text()));
  return {
    page,
    get requestedUrls() {
      return requestedUrls.filter((url) => !/^(data|blob):/.test(url));
    },
    violations: () => messages.filter((text) => text.includes('Content Security Policy')),
  };
}

/**
 * All text of the page, including that of shadow trees, which contain the panels; without the spaces that allow line
 * breaks.
 */
async function textOf(page: Page): Promise<string> {
  const text = await page.evaluate(`(() => {
    const read = (node) => {
      if (node.nodeType === 3) return node.data;
      if (node.nodeName === 'STYLE') return '';
      return [node.shadowRoot, ...node.childNodes].map((each) => (each ? read(each) : '')).join('');
    };
    return read(document.body);
  })()`);
  return String(text).replaceAll('\u200b', '');
}

async function showsThePage({ page }: Watched) {
  let seen = '';
  await until(
    () => `the elements in: ${seen}`,
    async () => {
      seen = await textOf(page);
      // The elements tree shows markup; the page preview has no text at all.
      return seen.includes('<h1>Hello</h1>');
    },
    60_000,
  );
}

test('devtoolsFrontendUrl shows the elements of a live page', async () => {
  await using target = await inspected(open);
  const devtools = await watchedPage();
  await devtools.page.goto(`${open.url}${target.address}`);
  await showsThePage(devtools);
  await target.page.evaluate("document.querySelector('h1').after(document.createElement('later-one'))");
  await until('the new element', async () => (await textOf(devtools.page)).includes('<later-one>'));
  const { host } = new URL(open.url);
  assert.equal(
    devtools.requestedUrls.filter((url) => new URL(url).host !== host),
    [],
  );
  assert.is(devtools.requestedUrls.filter((url) => url.startsWith('ws:')).length, 1);
  assert.equal(devtools.violations(), []);
  await devtools.page.close();
});

test('on a server with a token, the URL needs it, either next to ws or inside it', async () => {
  await using target = await inspected(closed);
  const refused = await watchedPage();
  await refused.page.goto(`${closed.url}${target.address}`);
  await until('the refusal', async () => /disconnected/i.test(await textOf(refused.page)));
  await refused.page.close();
  const token = encodeURIComponent('to&ken');
  for (const ending of [`&token=${token}`, encodeURIComponent(`?token=${token}`)]) {
    const devtools = await watchedPage();
    await devtools.page.goto(`${closed.url}${target.address}${ending}`);
    await showsThePage(devtools);
    await devtools.page.close();
  }
  assert.not.match(closed.output(), /to&ken|to%26ken/);
});

test('behind a TLS proxy, the socket uses wss:', async () => {
  await using target = await inspected(open, 'process');
  const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../support/fixtures', name));
  const options = { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') };
  await using proxy = await listening(
    createTlsServer(options, (client) => {
      const server = connectTcp(open.port, '127.0.0.1');
      for (const each of [client, server]) each.on('error', () => [client, server].map((end) => end.destroy()));
      client.pipe(server).pipe(client);
    }),
  );
  const devtools = await watchedPage();
  const outside = `localhost:${proxy.port}`;
  await devtools.page.goto(`https://${outside}${target.address.replace(new URL(open.url).host, outside)}`);
  await showsThePage(devtools);
  assert.equal(
    devtools.requestedUrls.filter((url) => url.startsWith('ws')).map((url) => new URL(url).origin),
    [`wss://${outside}`],
  );
  await devtools.page.close();
});

/** Starts a server on a free port; disposal closes it and all its connections. */
async function listening(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server on a port has an address of this form.
  return {
    port,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a foreign host in ws or another parameter is not contacted', async () => {
  await using foreignServer = await listening(createServer((socket) => socket.on('error', () => {})));
  const evil = `127.0.0.1:${foreignServer.port}`;
  const socket = `${evil}/devtools/page/0123456789ABCDEF`;
  const queries = [
    `ws=${socket}`,
    `ws=${encodeURIComponent(`${new URL(open.url).host}@${socket}`)}`,
    `remoteBase=http://${evil}/&remoteFrontendUrl=http://${evil}/&loadTimelineFromURL=http://${evil}/t.json`,
  ];
  for (const query of queries) {
    const devtools = await watchedPage();
    await devtools.page.goto(`${open.url}/devtools/inspector.html?${query}`);
    if (query.includes('ws')) await until(`a violation by ${query}`, () => devtools.violations().length > 0);
    else await devtools.page.waitForNetworkIdle();
    assert.is(foreignServer.connections(), 0, query);
    await devtools.page.close();
  }
  // Without the policy, the front-end connects, which proves that the test can fail.
  const bare = await watchedPage();
  await bare.page.setBypassCSP(true);
  await bare.page.goto(`${open.url}/devtools/inspector.html?ws=${socket}`);
  await until('a connection', () => foreignServer.connections() > 0);
  await bare.page.close();
});

test('a page from another site cannot make it start a browser, and cannot frame it', async () => {
  const promised = `${new URL(open.url).host}/devtools/page/BLESS${'A'.repeat(27)}`;
  const address = `${open.url}/devtools/inspector.html?ws=${promised}`;
  const page = await reader.open();
  for (const origin of [site.url, site.otherUrl]) {
    await page.goto(`${origin}/small`);
    const [answer] = await Promise.all([
      page.waitForNavigation(),
      page.evaluate(`location.href = ${JSON.stringify(address)}`),
    ]);
    assert.is(answer?.status(), 403, origin);
  }
  await page.goto(`${site.url}/small`);
  const blocked = new Promise<string>((resolve) => page.on('console', (message) => resolve(message.text())));
  const frame = `Object.assign(document.createElement('iframe'), { src: '${open.url}/devtools/inspector.html' })`;
  await page.evaluate(`document.body.append(${frame})`);
  assert.match(await blocked, /frame-ancestors/);
  assert.is((await sessionsOf(open)).length, 0);
  // When a person opens it, it starts a browser, which closes when the page does.
  const devtools = await watchedPage();
  await devtools.page.goto(address);
  await until('its browser', async () => (await sessionsOf(open)).length > 0);
  await devtools.page.close();
  await until('its session to end', async () => (await sessionsOf(open)).length === 0);
  await page.close();
});
