// Browsers restricted to certain domains (allowedDomains): for every kind of call, a page tries every way out, and the
// outside site receives no request. The domains are set in the request, in the body of POST /session, or for a token by
// the operator. The file is long because it covers every endpoint that starts a browser.
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { BqlAnswer } from '../support/clients/bql.ts';
import { connect, handshake, type Query } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../support/clients/proxies.ts';
import { tokenOf, type TokenRow } from '../support/clients/tokens.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { installed } from '../support/programs.ts';
import { stopAll } from '../support/service.ts';
import { ways } from '../support/site/reaches.ts';
import { until } from '../support/until.ts';

const rows: TokenRow[] = [
  { name: 'fenced', allowedDomains: ['inside.localhost', 'other.localhost'] },
  { name: 'free' },
];
const { test, service, site, file } = fixtureSuite('allowed domains', {
  timeoutMs: 90_000,
  tokens: rows,
  env: { TIMEOUT: '90000' },
});
let proxies: TestProxy[] = [];
/** A page on an allowed host that tries to reach an outside host. */
let page: string;
let outside: string;

test.before(async () => {
  proxies = [await startHttpProxy(), await startSocksProxy()];
  outside = `http://outside.localhost:${site.port}`;
  page = `http://www.inside.localhost:${site.port}/reaches?to=${encodeURIComponent(outside)}`;
});
test.after(() => stopAll(...proxies));

const inside = { allowedDomains: 'inside.localhost' };
const waits = { fn: "() => document.title === 'tried'", timeout: 20_000 };
const hasTried = "document.title === 'tried'";
const watch = `new Promise((done) => {
  const look = () => document.title === 'tried' ? done('tried') : setTimeout(look, 50);
  look();
})`;
const document = `mutation Visit($url: String!, $watch: String!) {
  goto(url: $url) { status } evaluate(content: $watch) { value }
}`;
const code = `export default async ({ page, context }) => {
  await page.goto(context.url);
  await page.waitForFunction("document.title === 'tried'");
  await fetch(context.outside + '/out/code', { mode: 'no-cors' }).catch(() => {});
  await import(context.outside + '/out/import').catch(() => {});
  return { data: await page.title(), type: 'text/plain' };
}`;

/** Requests that the site received for the outside host. */
const leaks = () =>
  site.requests.filter(({ headers }) => headers['host']?.startsWith('outside.')).map(({ path }) => path);
/** Requested connections to the outside host that a proxy received. */
const leaksOf = (proxy: TestProxy | undefined) =>
  proxy?.targets().filter((target) => /^\S+ (http:\/\/)?outside\./.test(target));
const visited = () => site.requests.some(({ path }) => path === '/reaches');

type Visit = (query: Query) => Promise<unknown>;
const asks =
  (path: string, body: () => object, check: (text: string) => void = () => {}): Visit =>
  async ({ token, ...query }) =>
    check(succeeded(await service.post(path, body(), { query, ...(token ? { token: String(token) } : {}) })).text);
const tried = (text: string) => assert.match(text, 'tried');
const noErrors = (text: string) => assert.is((JSON.parse(text) as BqlAnswer).errors, undefined, text);
const audit = { settings: { onlyAudits: ['viewport'] } };
const bql = () => ({ query: document, variables: { url: page, watch } });

/** Every kind of call that starts a browser: how the names of options abbreviate it, and what it does in the browser. */
const kinds = {
  page: ['page', asks('/content', () => ({ url: page, waitForFunction: waits }), tried)],
  code: ['code', asks('/function', () => ({ code, context: { url: page, outside } }), tried)],
  audit: ['audit', asks('/performance', () => ({ url: page, config: audit }))],
  bql: ['bql', asks('/chromium/bql', bql, noErrors)],
  unblock: ['page', asks('/unblock', () => ({ url: page, content: true, waitForFunction: waits }), tried)],
  cdp: ['cdp', (query) => overCdp('/chromium', query)],
  'cdp in a process': ['cdp', (query) => overCdp('/', { ...query, isolation: 'process' })],
  'playwright chromium': ['playwright', (query) => overPlaywright('chromium', query)],
} satisfies Record<string, [short: string, visit: Visit]>;

/** The call requested the page on the allowed host, which reached nothing outside. */
function stayedInside(what = 'the page'): void {
  assert.ok(visited(), `${what}: the page on the allowed host was not requested`);
  assert.equal(leaks(), [], what);
}

/** The first page, and one in a context that the client creates. */
async function overCdp(path: string, query: Query): Promise<void> {
  const browser = await connect(service, path, query);
  const [first] = await browser.pages();
  const context = await browser.createBrowserContext({ proxyBypassList: ['*'] });
  for (const each of [first, await context.newPage()]) {
    await each?.goto(page);
    await each?.waitForFunction(hasTried);
  }
  await browser.close();
}

async function overPlaywright(browser: string, query: Query): Promise<void> {
  const client = await connectPlaywright(service, `/${browser}/playwright`, query);
  const tab = await client.newPage();
  await tab.goto(page);
  await tab.waitForFunction(hasTried);
  // A context's requests are made by Playwright's server, not by the browser.
  const reply = await tab.request.get(`${outside}/out/request`).catch((error: Error) => error.message);
  assert.type(reply, 'string');
  assert.is((await tab.request.get(`http://inside.localhost:${site.port}/small`)).status(), 200);
  await client.close();
}

test('without the list, a page reaches the outside host in every way', async () => {
  await kinds.page[1]({});
  const missing = () => ways.filter((way) => !leaks().includes(`/out/${way}`));
  await until(`all ways, still missing ${missing().join()}`, () => missing().length === 0, 10_000);
});

for (const [kind, [short, visit]] of Object.entries(kinds)) {
  test.proves(`allowedDomains@${short}`);
  test.shows('widened-plan', 'REST', 'function', 'BrowserQL', 'CDP', 'Playwright');
  if (kind === 'unblock') test.needs('a full Chromium');
  test(`allowedDomains in the request: ${kind}`, async () => {
    await visit(inside);
    stayedInside();
  });
}

test.proves('allowedDomains@playwright-firefox allowedDomains@playwright-webkit');
test('allowedDomains in the request: Firefox and WebKit, if installed', async () => {
  for (const browser of ['firefox', 'webkit'] as const) {
    if (!installed(browser)) continue;
    await overPlaywright(browser, inside);
    stayedInside(browser);
    site.clear();
  }
});

test("a token's list applies to all of its requests, which can narrow it", async () => {
  const token = tokenOf('fenced');
  // All kinds of calls combine the lists in the same place.
  for (const kind of ['page', 'cdp'] as const) {
    await kinds[kind][1]({ token });
    stayedInside(kind);
    site.clear();
  }
  const get = (allowedDomains: string) => service.post('/content', { url: page }, { query: { allowedDomains }, token });
  refused(
    await get('outside.localhost'),
    403,
    'www.inside.localhost is not one of the allowed domains (outside.localhost)',
  );
  refused(await get('other.localhost'), 403, 'not one of the allowed domains (other.localhost)');
  const wider = { allowedDomains: 'inside.localhost,outside.localhost' };
  succeeded(await service.post('/content', { url: page, waitForFunction: waits }, { query: wider, token }));
  assert.equal(leaks(), []);
  const account = succeeded(await service.get('/account', { token })).json<{ allowedDomains: string[] | null }>();
  assert.equal(account.allowedDomains, ['inside.localhost', 'other.localhost']);
  const free = succeeded(await service.get('/account', { token: tokenOf('free') })).json<typeof account>();
  assert.is(free.allowedDomains, null);
});

test("a client's own proxy must be in the token's list, because it could bypass the list", async () => {
  const token = tokenOf('fenced');
  const [proxy] = proxies;
  const server = proxy?.url() ?? '';
  const said =
    /is not allowed for this token: 127\.0\.0\.1 is not one of the allowed domains \(inside\.localhost, other/;
  proxy?.seen.splice(0);
  const launch = JSON.stringify({ proxy: { server } });
  for (const query of [{ externalProxyServer: server }, { launch }]) {
    refused(await service.post('/content', { url: page }, { query, token }), 403, said);
    assert.match((await handshake(service, '/', { ...query, token })).text, said);
  }
  const made = succeeded(await service.post('/session', { args: [`--proxy-server=${server}`] }, { token }));
  const { pathname } = new URL(made.json<{ connect: string }>().connect);
  assert.match((await handshake(service, pathname, { token })).text, said);
  const proxied = await service.post('/chromium/bql', steps(`proxy(server: "${server}", url: "*") { time }`), {
    token,
  });
  assert.match(proxied.text, said);
  const browser = await connect(service, '/', { isolation: 'process', token });
  const failure = (error: Error) => error.message;
  assert.match(String(await browser.createBrowserContext({ proxyServer: server }).catch(failure)), said);
  const client = await connectPlaywright(service, '/chromium/playwright', { token });
  assert.match(String(await client.newContext({ proxy: { server } }).catch(failure)), said);
  await Promise.all([browser.close(), client.close()]);
  assert.equal(proxy?.targets(), []);
});

test('a changed list also applies to the next browser of an existing session', async () => {
  const token = tokenOf('free');
  const made = succeeded(await service.post('/session', { stealth: false }, { token })).json<{ connect: string }>();
  const path = new URL(made.connect).pathname;
  const query = { token, launch: JSON.stringify({ headless: 'shell' }) };
  const browser = await connect(service, path, query);
  await (await browser.pages())[0]?.goto(`${outside}/small`);
  await browser.close();
  assert.ok(leaks().includes('/small'));
  file.write([{ name: 'fenced' }, { name: 'free', allowedDomains: ['inside.localhost'] }]);
  const allowed = async () =>
    (await service.get('/account', { token })).json<{ allowedDomains: unknown }>().allowedDomains;
  await until('the list to apply', async () => Array.isArray(await allowed()));
  // The browser closed when its client disconnected.
  site.clear();
  await overCdp(path, query);
  stayedInside();
  file.write(rows);
  await until('the list to be removed', async () => (await allowed()) === null);
});

test('navigating outside returns a 403 that names the host and the domains; POST /session returns it immediately', async () => {
  const said = 'outside.localhost is not one of the allowed domains (inside.localhost)';
  const query = inside;
  refused(await service.post('/content', { url: outside }, { query }), 403, said);
  refused(
    await service.post('/pdf', { url: `${site.url}/redirect?to=${outside}` }, { query }),
    403,
    '127.0.0.1 is not one',
  );
  const to = `http://inside.localhost:${site.port}/redirect?to=${encodeURIComponent(outside)}`;
  refused(await service.post('/content', { url: to }, { query }), 403, said);
  const made = await service.post('/session', { url: outside, allowedDomains: ['inside.localhost'] });
  refused(made, 403, `"url" cannot be opened: Navigation to "${outside}" is not allowed: ${said}`);
  assert.equal(leaks(), []);
});

test("the list applies through the client's proxy, even to hosts in its bypass list", async () => {
  const [http, socks] = proxies;
  const launch = JSON.stringify({ proxy: { server: socks?.url(), bypass: 'outside.localhost' } });
  for (const [proxy, kind, query] of [
    [http, 'page', { externalProxyServer: http?.url() ?? '' }],
    [socks, 'cdp', { launch }],
    [socks, 'page', { launch }],
  ] as const) {
    proxy?.seen.splice(0);
    await kinds[kind][1]({ ...inside, ...query });
    assert.ok(
      proxy?.targets().some((target) => target.includes('inside.localhost')),
      proxy?.targets().join(),
    );
    assert.equal(leaksOf(proxy), []);
    stayedInside();
    site.clear();
  }
});

test('the list applies to contexts with their own proxy, over CDP and Playwright', async () => {
  const [proxy] = proxies;
  const server = proxy?.url() ?? '';
  const { username, password, host } = new URL(server);
  const read = decodeURIComponent;
  const browser = await connect(service, '/chromium', { ...inside, isolation: 'process' });
  const context = await browser.createBrowserContext({ proxyServer: server });
  const client = await connectPlaywright(service, '/chromium/playwright', inside);
  const credentials = { server: `http://${host}`, username: read(username), password: read(password) };
  const views = { cdp: await context.newPage(), playwright: await client.newPage({ proxy: credentials }) };
  const visits = [
    () => views.cdp.goto(page).then(() => views.cdp.waitForFunction(hasTried)),
    () => views.playwright.goto(page).then(() => views.playwright.waitForFunction(hasTried)),
  ];
  for (const visit of visits) {
    proxy?.seen.splice(0);
    await visit();
    assert.ok(proxy?.targets().some((target) => target.includes('www.inside.localhost')));
    assert.equal(leaksOf(proxy), []);
  }
  await Promise.all([browser.close(), client.close()]);
  assert.equal(leaks(), []);
});

const steps = (text: string, variables: object = { url: page, watch }) => ({
  query: `mutation Steps($url: String!, $watch: String!) { ${text} goto(url: $url) { status } evaluate(content: $watch) { value } }`,
  variables,
});
const reached = (reply: { text: string }) => {
  noErrors(reply.text);
  stayedInside();
};

test.proves('allowedDomains@bql-session allowedDomains@session session:allowedDomains[]');
test.needs('a full Chromium');
test('POST /session: the list applies to its BrowserQL documents, their proxies, and its clients', async () => {
  const body = { stealth: true, allowedDomains: ['inside.localhost'] };
  const made = succeeded(await service.post('/session', body)).json<{ connect: string; browserQL: string }>();
  const paths = { bql: new URL(made.browserQL).pathname, socket: new URL(made.connect).pathname };
  reached(await service.post(paths.bql, steps('')));
  const server = proxies[0]?.url() ?? '';
  const proxied = await service.post(paths.bql, steps(`proxy(server: "${server}", url: "*") { time }`));
  assert.match(proxied.text, 'This stealth browser already has a proxy or allowed domains');
  await overCdp(paths.socket, {});
  assert.equal(leaks(), []);
  const said = 'set the domains in the body of POST /session';
  refused(await service.post(paths.bql, steps(''), { query: inside }), 400, said);
  assert.match((await handshake(service, paths.socket, inside)).text, said);
});

test.proves('allowedDomains@bql-kept allowedDomains@attach allowedDomains@code-running');
test('BrowserQL: the list applies with proxy(server:) and to a kept browser, which rejects a different list', async () => {
  const [proxy] = proxies;
  proxy?.seen.splice(0);
  const text = `proxy(server: "${proxy?.url()}", url: "*") { time } reconnect(timeout: 30000) { browserQLEndpoint browserWSEndpoint }`;
  const first = await service.post('/chromium/bql', steps(text), { query: inside });
  reached(first);
  assert.equal(leaksOf(proxy), []);
  const { reconnect } = first.json<{ data: { reconnect: { browserQLEndpoint: string; browserWSEndpoint: string } } }>()
    .data;
  const [kept, socket] = [reconnect.browserQLEndpoint, reconnect.browserWSEndpoint].map((url) => new URL(url).pathname);
  const runs = '"allowedDomains" is not supported here: this browser is already running';
  refused(await service.post(kept ?? '', steps(''), { query: inside }), 400, runs);
  const module = { code: 'export default () => 1' };
  refused(await service.post(`/function/${kept?.split('/').at(-1)}`, module, { query: inside }), 400, runs);
  const told = await service.post(
    kept ?? '',
    steps('reconnect(timeout: 30000) { browserQLEndpoint }', { url: outside, watch: '1' }),
  );
  assert.match(told.text, 'outside.localhost is not one of the allowed domains (inside.localhost)');
  assert.match((await handshake(service, socket ?? '', inside)).text, runs);
  site.clear();
  await overCdp(socket ?? '', {});
  assert.equal(leaks(), []);
});

test('an invalid list returns a 400 that names the field and the fix', async () => {
  for (const [allowedDomains, said] of [
    [',', 'must contain at least one domain'],
    ['https://inside.localhost', 'contains "https://inside.localhost", which is not a domain: write "example.com"'],
    ['inside.localhost:80', 'which is not a domain'],
    ['inside.localhost/x', 'which is not a domain'],
    ['*', 'which is not a domain'],
    ['a.*.example.com', 'which is not a domain'],
    [Array.from({ length: 101 }, (_, index) => `a${index}.example`).join(), 'may contain at most 100 domains'],
  ] as const) {
    const reply = await service.post('/content', { html: 'x' }, { query: { allowedDomains } });
    refused(reply, 400, said);
    assert.match(reply.text, 'allowedDomains');
  }
  refused(await service.post('/session', { allowedDomains: [] }), 400, 'must contain at least one domain');
  refused(await service.post('/session', { allowedDomains: ['a b'] }), 400, 'which is not a domain');
});
