// http://playground.localhost/: the server's browsers open its pages through every entry point, and nothing else on
// this machine by that name. Readers see the same pages under the documentation, without the privileges of its origin.
// @tier ci
import process from 'node:process';
import * as assert from 'uvu/assert';
import { demoSiteLimits } from '../../src/base/limits.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, rawClient, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../support/clients/proxies.ts';
import { valueOf } from '../support/clients/targets.ts';
import { portsOf } from '../support/listeners.ts';
import { processTree } from '../support/processes.ts';
import { missing } from '../support/programs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';

const test = suite('playground', { timeoutMs: 120_000 });
const home = 'http://playground.localhost';
let service: Service;
/** Allows private addresses, and needs no token. */
let open: Service;
/** The ports on which each of the two servers listens. */
let ports: { service: number[]; open: number[] };
let site: Site;
let proxies: TestProxy[];

/** Ports on which this process and the processes below it listen. */
const listening = () => portsOf(processTree(process.pid).map(({ pid }) => pid));

test.before(async () => {
  site = await startSite();
  proxies = [await startHttpProxy(), await startSocksProxy()];
  const others = new Set(listening());
  open = await startService({ env: { SPARES: '0' } });
  // The site starts with the first request for it.
  succeeded(await open.post('/content', { url: `${home}/` }));
  const ofOpen = listening().filter((port) => !others.has(port));
  service = await startService({ env: { TOKEN: 'secret-token', BLOCK_PRIVATE_NETWORK: 'true', SPARES: '0' } });
  succeeded(await content(`${home}/`));
  ports = { open: ofOpen, service: listening().filter((port) => !others.has(port) && !ofOpen.includes(port)) };
});
test.after(async () => {
  await stopAll(service, open, site, ...proxies);
});

const content = (url: string, fields = {}) => service.post('/content', { url, ...fields });

test('REST opens its pages even if private addresses are blocked', async () => {
  for (const [path, text] of [
    ['/', '<h1>Playground</h1>'],
    ['/account', '<h1>Login</h1>'],
    ['/redirect', '<h1>Playground</h1>'],
    ['/no-such-page', 'Not found'],
  ] as const) {
    assert.match(succeeded(await content(`${home}${path}`)).text, text, path);
  }
  assert.match(succeeded(await content('http://PLAYGROUND.localhost./shop')).text, 'Northwind');
  const made = succeeded(await service.post('/session', { ttl: 30_000, url: `${home}/shop` }));
  await service.get(`${new URL(made.json<{ stop: string }>().stop).pathname}?force=true`, { method: 'DELETE' });
});

test('functions and BrowserQL open its pages', async () => {
  const pages: Record<string, string> = {
    '/shop': 'Roasted on Tuesday',
    '/shop/huila': '€ 14.50',
    '/search?q=kenya': '1 coffee found',
    '/form': '<h1>Form</h1>',
    '/form/sent?name=Ada': 'Thank you, Ada',
    '/list?page=2': 'Entry 11',
    '/table': 'Neptune',
    '/login': '<h1>Login</h1>',
    '/scroll': 'Entry 1',
    '/frames': '<iframe',
    '/slow?ms=50': 'Waited 50 ms',
  };
  const code = `export default async ({ page, context }) => {
  const texts = {};
  for (const path of context.paths) {
    await page.goto('${home}' + path);
    texts[path] = await page.content();
  }
  return texts;
};`;
  const answer = await service.post('/function', { code, context: { paths: Object.keys(pages) } });
  const texts = succeeded(answer).json<Record<string, string>>();
  for (const [path, text] of Object.entries(pages)) assert.match(texts[path] ?? '', text, path);
  const query = `mutation { goto(url: "${home}/login") { status } type(selector: "#user", text: "ada") { time } a: type(selector: "#password", text: "lovelace") { time } click(selector: "#sign-in") { time } text(selector: ".orders") { text } }`;
  assert.match(succeeded(await service.post('/chromium/bql', { query })).text, 'You have 3 orders.');
});

test('CDP and Playwright clients open its pages', async () => {
  const browser = await connect(service);
  const page = await browser.newPage();
  await page.goto(`${home}/scroll`);
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await page.waitForSelector('.item[data-number="20"]');
  await page.goto(`${home}/upload`);
  await page.goto(`${home}/frames`);
  await page.waitForFunction(`document.querySelector('iframe').contentDocument.querySelector('#name') !== null`);
  await browser.close();
  const other = await connectPlaywright(service);
  const tab = await other.newPage();
  await tab.goto(`${home}/download`);
  const [download] = await Promise.all([tab.waitForEvent('download'), tab.click('#csv')]);
  assert.is(download.suggestedFilename(), 'planets.csv');
  await other.close();
});

const firefox = missing('Firefox');
test.unless(firefox)('Firefox opens its pages', async () => {
  const browser = await connectPlaywright(service, '/firefox/playwright');
  const page = await browser.newPage();
  await page.goto(`${home}/shop`);
  assert.is(await page.title(), 'Northwind Coffee');
  await browser.close();
});

test('requests with their own proxy get these pages without using the proxy', async () => {
  // The proxies have a private address.
  for (const proxy of proxies) {
    const before = proxy.targets().length;
    const query = { externalProxyServer: proxy.url() };
    const reply = await open.post('/content', { url: `${home}/shop` }, { query });
    assert.match(succeeded(reply).text, 'Northwind Coffee');
    assert.equal(proxy.targets().slice(before), []);
  }
});

test('the name does not give access to other ports, schemes, or hosts', async () => {
  for (const url of [
    'https://playground.localhost/',
    `http://playground.localhost:${service.port}/active`,
    `http://playground.localhost.:${service.port}/active`,
    'http://playground.localhost:8080/',
    'http://other.playground.localhost/',
    'http://localhost/',
  ]) {
    refused(await content(url), 403);
    refused(await service.post('/session', { ttl: 1_000, url }), 403);
  }
  refused(
    await content(`http://playground.localhost:${service.port}/`),
    403,
    'available only at http://playground.localhost/',
  );
  // Also without BLOCK_PRIVATE_NETWORK: the name does not belong to the machine.
  for (const port of [open.port, Number(new URL(site.url).port)]) {
    refused(await open.post('/content', { url: `http://playground.localhost:${port}/` }), 403);
  }
});

test('only its own pages are reachable: no path, method, or body reaches a route of the server', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  try {
    const { targetId } = (await client.send('Target.createTarget', { url: `${home}/` })).result ?? {};
    const { sessionId } = (await client.send('Target.attachToTarget', { targetId, flatten: true })).result ?? {};
    const run = (expression: string) => valueOf(client, expression, String(sessionId));
    const statuses = await run(`(async () => {
      const seen = [];
      const ask = async (path, options) => seen.push([path, (await fetch(path, options)).status]);
      for (const path of ['/config', '/active', '/json/version', '/sessions', '/kill/all', '/_docs/playground/', '/docs-facts', '/../config', '/%2e%2e/config', '/..%2fconfig', '/shop/../config', '/shop/%5c..%5cconfig', '/__proto__', '/constructor', '/toString'])
        await ask(path);
      for (const path of ['/', '/content', '/chromium/bql', '/session', '/docs-sign-in'])
        await ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"html":"x"}' });
      await ask('/login', { method: 'POST', body: 'x'.repeat(${demoSiteLimits.formBytes + 1}) });
      for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) await ask('/login', { method });
      return JSON.stringify(seen);
    })()`);
    for (const [path, status] of JSON.parse(String(statuses))) {
      const expectedStatuses = path === '/' || path === '/login' ? [405, 413] : [404];
      assert.ok(expectedStatuses.includes(status), `${path}: ${status}`);
    }
  } finally {
    client.socket.close();
  }
});

test('its server cannot be reached through its port or a redirect to it', async () => {
  assert.ok(ports.service.length > 1 && ports.open.length > 1, JSON.stringify(ports));
  for (const port of ports.service) {
    refused(await content(`http://127.0.0.1:${port}/`), 403);
    refused(await content(`http://localhost:${port}/`), 403);
  }
  for (const port of ports.open) {
    refused(await open.post('/content', { url: `http://127.0.0.1:${port}/` }), 403, 'belongs to this service');
    const away = `${site.url}/redirect?to=${encodeURIComponent(`http://playground.localhost:${port}/`)}`;
    const reply = await open.post('/content', { url: away });
    assert.not.match(reply.text, /<h1>(?:Playground|Not found)/);
  }
});

test('readers see the pages under the documentation, with a different origin and without cookies', async () => {
  const ask = (path: string, options = {}) => service.get(`/_docs/playground${path}`, { token: null, ...options });
  const shop = await ask('/shop');
  assert.is(shop.status, 200);
  assert.match(shop.text, 'href="/_docs/playground/shop/huila"');
  assert.match(shop.headers['content-security-policy'] ?? '', /^sandbox allow-scripts allow-forms allow-downloads;/);
  assert.not.match(shop.headers['content-security-policy'] ?? '', /same-origin|unsafe/);
  assert.is((await ask('/nowhere')).status, 404);
  assert.is((await ask('/constructor')).status, 404);
  assert.is((await ask('/login', { method: 'POST' })).status, 404);
  const hostile = await ask('/search', { query: { q: `"><script>alert(1)</script>` } });
  assert.not.match(hostile.text, '<script>alert');
  const sent = await ask('/form/sent', { query: { name: '<img src=x onerror=alert(1)>', '<b>': '<i>' } });
  assert.not.match(sent.text, /<img src=x|<b>|<i>/);
  for (const path of ['/../config', '/%2e%2e/config', '/..%2f..%2fconfig'])
    assert.ok([401, 404].includes((await ask(path)).status), path);
  assert.is((await ask('/account', { headers: { cookie: 'playground=ada' } })).headers['set-cookie'], undefined);
});
