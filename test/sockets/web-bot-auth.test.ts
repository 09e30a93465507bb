// Signed documents (WEB_BOT_AUTH_KEY) at every endpoint: the requests that the site receives are verified without the
// server's own code.
// @tier ci
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { assertSigned, newKey } from '../support/checks/signatures.ts';
import { connect } from '../support/clients/clients.ts';
import { startHttpProxy } from '../support/clients/proxies.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { missing } from '../support/programs.ts';
import { type Service, startService } from '../support/service.ts';
import type { SiteRequest } from '../support/site/site.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('signed documents', {
  env: () => {
    const WEB_BOT_AUTH_KEY = JSON.stringify(key);
    return { WEB_BOT_AUTH_KEY, WEB_BOT_AUTH_DIRECTORY: directory, TOKEN: 'secret' };
  },
});
const key = newKey();
const directory = 'https://bots.example.com';

const signed = (request: SiteRequest | undefined) => assertSigned(request, { key, directory });
const requestsOf = (path: string) => site.requests.filter((request) => request.path === path);

/** Checks that there is one request for this path, and that it is signed. */
function signedOnce(path: string): Record<string, string | number> {
  const found = requestsOf(path);
  assert.is(found.length, 1, `${path}: ${found.length} requests`);
  return signed(found[0]);
}

/** Each kind of call that loads a page. */
const calls: Record<string, (url: string) => Promise<unknown>> = {
  '/content': async (url) => succeeded(await service.post('/content', { url })),
  '/content in its own browser': async (url) =>
    succeeded(await service.post('/content', { url }, { query: { launch: '{"args":["--lang=de"]}' } })),
  '/export': async (url) => succeeded(await service.post('/export', { url })),
  '/function': async (url) => {
    const code = 'export default async ({ page, context }) => void (await page.goto(context.url))';
    succeeded(await service.post('/function', { code, context: { url } }));
  },
  '/performance': async (url) =>
    succeeded(await service.post('/performance', { url, config: { settings: { onlyAudits: ['viewport'] } } })),
  BrowserQL: (url) => byDocument('/chromium/bql', url),
  'a virtual browser': (url) => bySocket('/', url, { isolation: 'context' }),
  'a browser process': (url) => bySocket('/', url, { isolation: 'process' }),
  'a full browser': (url) => bySocket('/', url, { launch: '{"headless":"new"}' }),
  'a session, over its socket': async (url) => {
    const made = succeeded(await service.post('/session', {})).json<{ connect: string }>();
    await bySocket(new URL(made.connect).pathname, url);
  },
  'a kept browser, with a BrowserQL document': async (url) => {
    const query = 'mutation { reconnect(timeout: 60000) { browserQLEndpoint } }';
    const kept = succeeded(await service.post('/chromium/bql', { query }));
    const { data } = kept.json<{ data: { reconnect: { browserQLEndpoint: string } } }>();
    await byDocument(new URL(data.reconnect.browserQLEndpoint).pathname, url);
  },
};

async function bySocket(path: string, url: string, query: Record<string, string> = {}): Promise<void> {
  const browser = await connect(service, path, query);
  await (await browser.newPage()).goto(url);
  await (await (await browser.createBrowserContext()).newPage()).goto(url);
  await browser.close();
}

async function byDocument(path: string, url: string): Promise<void> {
  const query = `mutation { goto(url: "${url}") { status } }`;
  assert.not(succeeded(await service.post(path, { query })).json<{ errors?: unknown }>().errors);
}

for (const [name, call] of Object.entries(calls)) {
  const declare = name === 'a full browser' ? test.unless(missing('a full Chromium')) : test;
  declare(`a document is signed: ${name}`, async () => {
    await call(`${site.url}/small`);
    for (const request of requestsOf('/small')) signed(request);
    assert.ok(requestsOf('/small').length > 0);
  });
}

test('HTTPS and a port in the URL are supported, and each signature has its own nonce', async () => {
  const launch = JSON.stringify({ acceptInsecureCerts: true });
  succeeded(await service.post('/content', { url: `${site.secureUrl}/small` }, { query: { launch } }));
  const first = signedOnce('/small');
  assert.ok(requestsOf('/small')[0]?.secure);
  site.clear();
  await calls['/content']?.(`${site.url}/small`);
  const second = signedOnce('/small');
  assert.is(requestsOf('/small')[0]?.headers['host'], `127.0.0.1:${site.port}`);
  assert.is.not(first['nonce'], second['nonce']);
  assert.is(Buffer.from(String(first['nonce']), 'base64').length, 64);
});

test('a default port is omitted', async () => {
  const ports = { 80: site.port, 443: Number(new URL(site.secureUrl).port) };
  await using proxy = await startHttpProxy({ ports });
  const launch = JSON.stringify({ acceptInsecureCerts: true });
  const query = { externalProxyServer: proxy.url(), launch };
  for (const url of ['http://Shop.test/small', 'https://shop.test:443/small']) {
    succeeded(await service.post('/content', { url }, { query }));
    signedOnce('/small');
    assert.is(requestsOf('/small')[0]?.headers['host'], 'shop.test');
    site.clear();
  }
});

test('same-site and cross-site frames are signed, even when they navigate', async () => {
  const browser = await connect(service);
  const page = await browser.newPage();
  await page.goto(`${site.url}/frames`);
  signedOnce('/frames');
  const small = requestsOf('/small');
  assert.equal(small.map(({ headers }) => headers['host']).toSorted(), [
    `127.0.0.1:${site.port}`,
    `localhost:${site.port}`,
  ]);
  for (const request of small) signed(request);
  for (const [index, frame] of page.frames().entries()) {
    if (index > 0) await frame.goto(`${site.otherUrl}/transparent?${index}`);
  }
  assert.is(requestsOf('/transparent').length, 2);
  for (const request of requestsOf('/transparent')) signed(request);
  await browser.close();
});

test('a popup, a link, a reload and a form are signed', async () => {
  const browser = await connect(service);
  const page = await browser.newPage();
  await page.goto(`${site.url}/popup`);
  await until('three popups', () => requestsOf('/small').length === 3);
  await page.reload();
  await page.setContent(`<form method="post" action="${site.otherUrl}/echo-headers"><input name="a" value="b"></form>`);
  await Promise.all([page.waitForNavigation(), page.evaluate('document.forms[0].submit()')]);
  await browser.close();
  assert.is(requestsOf('/echo-headers')[0]?.method, 'POST');
  assert.is(requestsOf('/popup').length, 2);
  for (const { path, headers, ...request } of site.requests) {
    if (path !== '/favicon.ico') signed({ path, headers, ...request });
  }
});

test('each hop of a redirect is signed for its own host', async () => {
  const there = `${site.otherUrl}/redirect?to=${encodeURIComponent(`${site.url}/small`)}`;
  succeeded(await service.post('/content', { url: `${site.url}/redirect?to=${encodeURIComponent(there)}` }));
  const hops = [...requestsOf('/redirect'), ...requestsOf('/small')];
  assert.equal(
    hops.map(({ headers }) => headers['host']?.split(':')[0]),
    ['127.0.0.1', 'localhost', '127.0.0.1'],
  );
  assert.is(new Set(hops.map((hop) => signed(hop)['nonce'])).size, 3);
});

test('nothing else changes: not other headers, other requests, or the referrer of a redirect', async () => {
  await using plain = await startService();
  const seen = await Promise.all([service, plain].map((each) => visit(each)));
  const [withKey, without] = seen.map((requests) =>
    requests.map(({ path, headers }) => ({ path, headers: others(headers) })),
  );
  assert.equal(withKey, without);
  for (const { path, headers } of seen[0] ?? []) {
    assert.is('signature' in headers, path !== '/json' && path !== '/images/blue-8x8.png', path);
  }
  const last = without?.find(({ path }) => path === '/small');
  assert.is(last?.headers['referer'], `http://127.0.0.1:${site.port}/`);
  for (const { headers } of seen[1] ?? []) assert.not.ok('signature-agent' in headers || 'signature' in headers);
});

/** Visits pages by a link, a redirect and scripts, and returns the requests ordered by path. */
async function visit(on: Service): Promise<SiteRequest[]> {
  const mark = `${on.port}`;
  const browser = await connect(on);
  const page = await browser.newPage();
  await page.setExtraHTTPHeaders({ 'X-Mark': mark });
  await page.goto(`${site.url}/set-cookie`);
  await page.evaluate("fetch('/json').then((answer) => answer.text())");
  await page.evaluate(
    "new Promise((done) => { const i = new Image(); i.onload = done; i.src = '/images/blue-8x8.png' })",
  );
  await Promise.all([
    page.waitForNavigation(),
    page.evaluate(`location.href = '/redirect?to=' + encodeURIComponent('${site.otherUrl}/small')`),
  ]);
  await browser.close();
  return site.requests
    .filter(({ path, headers }) => headers['x-mark'] === mark && path !== '/favicon.ico')
    .toSorted((a, b) => a.path.localeCompare(b.path));
}

/** All headers except those of a signature. */
const others = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(?:signature.*|x-mark)$/.test(name)));
