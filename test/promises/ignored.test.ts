// Parameters that a call accepts but does not act on are listed in X-Ignored-Parameters and in the log; those that have
// an effect are not (compatibility.mdx#parameters-without-effect). The tables of effects define both for every kind of
// call.
import * as assert from 'uvu/assert';
import { type CallKind, launchEffects, parameterEffects } from '../../src/base/schema/request/effects.ts';
import { quickStealth } from '../bql/quick-stealth.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, sessionsOf } from '../support/clients/clients.ts';
import { version } from '../support/clients/playwright.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

// Nothing listens there: the test only creates a session with this proxy.
const RESIDENTIAL_PROXY_URL = 'http://customer:secret@127.0.0.1:1';
const { test, service } = fixtureSuite('ignored parameters', {
  timeoutMs: 90_000,
  env: { ...quickStealth, MAX_RECONNECT_TIME: '60000', RESIDENTIAL_PROXY_URL },
});
test.after.each(async () => {
  await service.get('/kill/all');
  await until('all sessions to end', async () => (await sessionsOf(service)).length === 0, 30_000);
});

/** A value for each parameter that may have no effect somewhere. */
const parameters: Record<string, string> = {
  debug: 'true',
  blockAds: 'true',
  isolation: 'process',
  blockAdsInclude: 'easylist',
  trackingId: 'mine',
  profile: 'login',
  proxy: 'residential',
  proxyCountry: 'us',
  proxyCity: 'Boston',
  proxyState: 'Texas',
  proxySticky: 'true',
  proxyLocaleMatch: '1',
  proxyPreset: 'px',
  record: 'true',
  replay: 'true',
  solveCaptchas: 'true',
  humanlike: 'true',
  blockConsentModals: 'true',
  integrations: 'vault',
  force: 'true',
  browserId: 'x',
  ttl: '1',
  keepalive: '1',
};

/** A value for each launch option that may have no effect somewhere; a profile is rejected with a different message. */
const options: Record<string, unknown> = {
  args: ['--lang=de'],
  defaultViewport: { width: 700, height: 500 },
  devtools: true,
  dumpio: true,
  stealth: true,
  timezone: 'Asia/Tokyo',
  waitForInitialPage: true,
  acceptInsecureCerts: true,
  headless: 'shell',
  ignoreDefaultArgs: ['--mute-audio'],
  slowMo: 1,
  timeout: 30_000,
  chromiumSandbox: true,
  downloadsPath: '/somewhere',
  tracesDir: '/elsewhere',
  firefoxUserPrefs: { 'a.b': 1 },
  channel: 'beta',
};

/** The parameters that a call of this kind does not act on, and the names its response gives them. */
function withoutEffect(kind: CallKind): { query: Record<string, string>; named: string[] } {
  const hasNoEffect = (effects: readonly CallKind[] | undefined) => !(effects ?? []).includes(kind);
  const known: Record<string, readonly CallKind[]> = parameterEffects;
  const members: Record<string, readonly CallKind[]> = launchEffects;
  const names = Object.keys(parameters).filter((name) => hasNoEffect(known[name]));
  const launch = Object.entries(options).filter(([name]) => hasNoEffect(members[name]));
  return {
    query: {
      ...Object.fromEntries(names.map((name) => [name, parameters[name] ?? ''])),
      launch: JSON.stringify(Object.fromEntries(launch)),
    },
    named: [...names, ...launch.map(([name]) => `launch.${name}`)].toSorted(),
  };
}

const namesOf = (header: string | string[] | null | undefined) =>
  String(header ?? '')
    .split(', ')
    .filter((name) => name !== '')
    .toSorted();

async function expectIgnoredByRest(path: string, kind: CallKind, body: unknown): Promise<void> {
  const { query, named } = withoutEffect(kind);
  const reply = succeeded(await service.post(path, body, { query }));
  assert.equal(namesOf(reply.headers['x-ignored-parameters']), named);
  const id = reply.headers['x-request-id'];
  const line = await until('the log line', () => service.logs().find((each) => each['id'] === id));
  assert.equal(namesOf(String(line['ignored']).replaceAll(',', ', ')), named);
}

/** Those that have no effect on any kind of call. */
const ineffective = (values: object, effects: Readonly<Record<string, readonly CallKind[]>>) =>
  Object.keys(values).filter((name) => effects[name]?.length === 0);

test.proves(...ineffective(parameters, parameterEffects));
test.proves(...ineffective(options, launchEffects).map((name) => `launch.${name}`));
test.differs('Parameters without effect are silently ignored');
test('REST on a page', () => expectIgnoredByRest('/content', 'page', { html: '<p>x' }));
test('/function', () => expectIgnoredByRest('/function', 'code', { code: 'export default async () => 1' }));
test('BrowserQL', () =>
  expectIgnoredByRest('/chromium/bql', 'bql', { query: 'mutation { content(html: "x") { time } }' }));

async function expectIgnoredBySocket(
  path: string,
  kind: CallKind,
  headers: Record<string, string> = {},
): Promise<void> {
  const { query, named } = withoutEffect(kind);
  const response = await handshake(service, path, { ...query, vendorKey: 'v' }, headers);
  assert.is(response.status, 101, response.text);
  assert.equal(namesOf(response.headers['x-ignored-parameters']), [...named, 'vendorKey'].toSorted());
}

test.differs('An unknown parameter of a socket returns a 400');
test('a CDP socket', () => expectIgnoredBySocket('/chromium', 'cdp'));
test("Playwright's own protocol", () =>
  expectIgnoredBySocket('/chromium/playwright', 'playwright', { 'User-Agent': `Playwright/${version('1.65')}.0` }));

test('a socket to a running browser', async () => {
  const browser = await connect(service);
  const [entry] = await sessionsOf(service);
  await expectIgnoredBySocket(`/devtools/browser/${entry?.id}`, 'attach');
  const [page] = await browser.pages();
  assert.ok(page);
  await browser.disconnect();
});

test.proves('session:proxy.preset');
test.needs('a full Chromium');
test('a session, and BrowserQL on it', async () => {
  const made = succeeded(await service.post('/session', { stealth: true, headless: false }, { query: { extra: '1' } }));
  assert.equal(namesOf(made.headers['x-ignored-parameters']), ['extra', 'headless']);
  const proxy = { type: 'residential', preset: 'px' };
  const proxied = succeeded(await service.post('/session', { proxy }));
  assert.equal(namesOf(proxied.headers['x-ignored-parameters']), ['proxy.preset']);
  const { id } = made.json<{ id: string }>();
  const { query, named } = withoutEffect('session');
  const response = await handshake(service, `/session/connect/${id}`, { ...query, extra: '1' });
  assert.is(response.status, 101, response.text);
  assert.equal(namesOf(response.headers['x-ignored-parameters']), [...named, 'extra'].toSorted());
  await expectIgnoredByRest(`/session/bql/${id}`, 'bql-session', { query: 'mutation { url { url } }' });
  const deleted = await service.get(`/session/${id}`, { method: 'DELETE', query: { force: 'true', extra: '1' } });
  assert.is(deleted.status, 204);
  assert.equal(namesOf(deleted.headers['x-ignored-parameters']), ['extra']);
});

test.needs('a full Chromium');
test('a session with browser=stealth is a stealth session', async () => {
  const made = succeeded(await service.post('/session', { browser: 'stealth' }));
  assert.equal(namesOf(made.headers['x-ignored-parameters']), []);
  const { id } = made.json<{ id: string }>();
  succeeded(await service.post(`/session/bql/${id}`, { query: 'mutation { url { url } }' }));
});

test.needs('a full Chromium');
test('/stealth/bql lists headless as ignored, over HTTP and over a WebSocket', async () => {
  const query = { headless: 'true' };
  const document = { query: 'mutation { content(html: "x") { time } }' };
  const reply = succeeded(await service.post('/stealth/bql', document, { query }));
  assert.equal(namesOf(reply.headers['x-ignored-parameters']), ['headless']);
  const response = await handshake(service, '/stealth/bql', query, {
    'Sec-WebSocket-Protocol': 'graphql-transport-ws',
  });
  assert.equal(namesOf(response.headers['x-ignored-parameters']), ['headless']);
});

test('legacy parameters are listed as they were sent', async () => {
  const query = { slowMo: '5', '--no-sandbox': '' };
  const reply = succeeded(await service.post('/content', { html: 'x' }, { query }));
  assert.equal(namesOf(reply.headers['x-ignored-parameters']), ['--no-sandbox', 'slowMo']);
});

test('proxy parameters without a proxy', async () => {
  const query = { proxySticky: '', '--proxy-bypass-list': 'localhost' };
  const reply = succeeded(await service.post('/content', { html: 'x' }, { query }));
  assert.equal(namesOf(reply.headers['x-ignored-parameters']), ['--proxy-bypass-list', 'proxySticky']);
});

test.proves('page:cookies[].{size,session,sameParty,partitionKeyOpaque} page:gotoOptions.signal pdf:options.path');
test.proves('scrape:profile unblock:gotoOptions.signal');
test.needs('a full Chromium');
test('fields of a body', async () => {
  const ignored = async (path: string, fields: object) =>
    namesOf(succeeded(await service.post(path, fields)).headers['x-ignored-parameters']);
  const cookies = [
    { name: 'a', value: 'b', url: 'http://localhost/', size: 2, session: true, sameParty: false },
    { name: 'c', value: 'd', url: 'http://localhost/', partitionKeyOpaque: false },
  ];
  const body = { html: 'x', cookies, gotoOptions: { signal: {} }, options: { path: '/tmp/x.pdf' } };
  assert.equal(await ignored('/pdf', body), [
    'cookies[].partitionKeyOpaque',
    'cookies[].sameParty',
    'cookies[].session',
    'cookies[].size',
    'gotoOptions.signal',
    'options.path',
  ]);
  assert.equal(await ignored('/scrape', { html: 'x', elements: [{ selector: 'body' }], profile: 'x' }), ['profile']);
  const unblocked = { url: 'data:text/html,x', gotoOptions: { signal: {} } };
  assert.equal(await ignored('/unblock', unblocked), ['gotoOptions.signal']);
});

test.proves('GET/kill/:id?{browserId,trackingId}');
test('session parameters that /kill does not act on', async () => {
  const reply = await service.get('/kill/all', { query: { browserId: 'x', trackingId: 'y' } });
  assert.is(reply.status, 204);
  assert.equal(namesOf(reply.headers['x-ignored-parameters']), ['browserId', 'trackingId']);
});

test('a request whose parameters all have an effect lists nothing', async () => {
  const reply = succeeded(await service.post('/content', { html: 'x' }, { query: { timeout: '20000', blockAds: '' } }));
  assert.is(reply.headers['x-ignored-parameters'], undefined);
});

test('unknown names are still a 400 on REST and /sessions, with the closest name', async () => {
  refused(await service.post('/content', { html: 'x' }, { query: { blockAd: 'true' } }), 400, 'blockAds');
  refused(await service.get('/sessions', { query: { color: 'red' } }), 400, 'color');
});

test('names cannot break the header or overflow it', async () => {
  const query: Record<string, string> = { 'a\r\nX-Injected: 1': '1', ['n'.repeat(5_000)]: '1' };
  for (let index = 0; index < 100; index++) query[`k${index}`] = '1';
  const response = await handshake(service, '/chromium', query);
  assert.is(response.status, 101);
  assert.is(response.headers['x-injected'], undefined);
  const header = String(response.headers['x-ignored-parameters']);
  assert.ok(header.length < 4_000, String(header.length));
  assert.match(header, /^a\?\?X-Injected:\?1, n{60}, k0, /);
  assert.match(header, / 62 more$/);
});

test('a field that another one deprives of its effect is listed, and only then', async () => {
  const html = '<title>x</title><p>x</p>';
  const url = 'data:text/html,<p>x</p>';
  const referrer = { referer: 'https://from.test/', referrerPolicy: 'origin' };
  const lost = 'gotoOptions.referer, gotoOptions.referrerPolicy';
  const elements = [{ selector: 'p' }];
  const cases: readonly [route: string, body: Record<string, unknown>, ignored: string | undefined][] = [
    ['/content', { html, gotoOptions: referrer }, lost],
    ['/pdf', { html, gotoOptions: referrer }, lost],
    ['/screenshot', { html, gotoOptions: { referer: '' } }, 'gotoOptions.referer'],
    ['/scrape', { html, elements, gotoOptions: { ...referrer, waitUntil: 'load' } }, lost],
    ['/markdown', { html, url: '', gotoOptions: { referrerPolicy: 'origin' } }, 'gotoOptions.referrerPolicy'],
    ['/content', { url, html, gotoOptions: referrer }, 'html'],
    ['/content', { url, gotoOptions: referrer }, undefined],
    ['/pdf', { html, options: { format: 'A5', width: 300, height: 300 } }, 'options.width, options.height'],
    ['/pdf', { html, options: { width: 300, height: '5in' } }, undefined],
    ['/pdf', { html, options: { fullPage: true, preferCSSPageSize: true } }, 'options.preferCSSPageSize'],
    ['/pdf', { html, options: { fullPage: true, preferCSSPageSize: false } }, undefined],
    ['/pdf', { html, options: { outline: true, tagged: false } }, 'options.tagged'],
    ['/pdf', { html, options: { outline: true, tagged: true } }, undefined],
    ['/pdf', { html, options: { headerTemplate: 'x', displayHeaderFooter: false } }, 'options.headerTemplate'],
    ['/screenshot', { html, options: { type: 'jpeg', omitBackground: true } }, 'options.omitBackground'],
    ['/screenshot', { html, options: { type: 'webp', omitBackground: true } }, undefined],
    ['/screenshot', { html, options: { type: 'webp', optimizeForSpeed: true } }, 'options.optimizeForSpeed'],
    ['/screenshot', { html, options: { optimizeForSpeed: true, omitBackground: true } }, undefined],
    [
      '/screenshot',
      { html, selector: 'p', options: { captureBeyondViewport: false } },
      'options.captureBeyondViewport',
    ],
    ['/content', { html, gotoOptions: { waitUntil: 'load', timeout: 5_000 } }, undefined],
  ];
  for (const [route, body, ignored] of cases) {
    const reply = succeeded(await service.post(route, body));
    assert.is(reply.headers['x-ignored-parameters'], ignored, `${route} ${JSON.stringify(body)}`);
  }
});
