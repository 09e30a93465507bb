// What calls on a running browser, or one that a session starts, do with each parameter and launch option that they
// claim to act on: kept browsers, sessions, sockets to both.
import * as assert from 'uvu/assert';
import { quickStealth } from '../bql/quick-stealth.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type BqlAnswer, placed } from '../support/clients/bql.ts';
import { connect, handshake, type Query, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { providerUrl, startProvider, type TestProxy } from '../support/clients/proxies.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

let provider: TestProxy;
const { test, service, site } = fixtureSuite('effects of parameters on browsers that run', {
  env: async () => {
    provider = await startProvider();
    const RESIDENTIAL_PROXY_URL = providerUrl(provider);
    return { ...quickStealth, TOKEN: 'secret-token', MAX_RECONNECT_TIME: '60000', RESIDENTIAL_PROXY_URL };
  },
});
test.after(() => provider?.close());
test.after.each(async () => {
  await service.get('/kill/all');
  await until('all sessions to end', async () => (await sessionsOf(service)).length === 0, 30_000);
});

const pathOf = (address: string) => new URL(address).pathname;
const launch = (options: unknown) => ({ launch: JSON.stringify(options) });

/** Runs the steps of a document that keeps its browser. */
async function steps(path: string, text: string, query: Query = {}): Promise<BqlAnswer['data']> {
  const document = `mutation { ${text} keep: reconnect(timeout: 30000) { browserQLEndpoint } }`;
  const reply = succeeded(await service.post(path, { query: placed(document, { site }) }, { query }));
  const { data, errors } = reply.json<BqlAnswer>();
  assert.is(errors, undefined, reply.text);
  return data;
}

/** Creates a session with POST /session. @returns the paths of its sockets and of BrowserQL */
async function session(body: object = {}): Promise<{ connect: string; bql: string }> {
  const made = succeeded(await service.post('/session', { stealth: true, ...body }));
  const { connect: socket, browserQL } = made.json<{ connect: string; browserQL: string }>();
  return { connect: pathOf(socket), bql: pathOf(browserQL) };
}

/** The path of each kind of call on an existing browser. */
const endpoints: Record<string, () => Promise<string>> = {
  'bql-kept': async () => pathOf((await steps('/chromium/bql', ''))['keep'].browserQLEndpoint),
  'bql-session': async () => (await session()).bql,
  attach: async () => {
    const { keep } = await steps('/chromium/bql', '');
    return `/devtools/browser/${pathOf(keep.browserQLEndpoint).split('/').at(-1)}`;
  },
  session: async () => (await session()).connect,
  'code-running': async () => {
    const { keep } = await steps('/chromium/bql', '');
    return `/function/${pathOf(keep.browserQLEndpoint).split('/').at(-1)}`;
  },
};
const isPost = (kind: string) => kind.startsWith('bql') || kind === 'code-running';

for (const [kind, open] of Object.entries(endpoints)) {
  test.proves(`{token,timeout}@${kind}`);
  if (/session/.test(kind)) test.needs('a full Chromium');
  test(`token and timeout: ${kind}`, async () => {
    const path = await open();
    const body =
      kind === 'code-running'
        ? { code: 'export default () => new Promise(() => {})' }
        : { query: 'mutation { waitForTimeout(time: 60000) { time } }' };
    const post = (query: Query) => service.post(path, body, { query, token: null });
    const status = async (token: string) =>
      isPost(kind) ? (await post({ token, timeout: 700 })).status : (await handshake(service, path, { token })).status;
    assert.is(await status('wrong'), 401);
    if (isPost(kind)) return assert.is(await status('secret-token'), 408);
    const began = idleNow();
    const joined = rawClient(socketUrl(service, path, { timeout: 1_500 }));
    // On a loaded machine the session's browser may not be ready in time.
    const ended = await joined.then(({ closed }) => closed.then(({ code }) => `closed with ${code}`), String);
    assert.match(ended, '408');
    assert.ok(idleNow() - began < 20_000);
  });
}

for (const kind of ['bql-kept', 'bql-session']) {
  test.proves(`{humanlike,launch.slowMo}@${kind}`);
  if (/session/.test(kind)) test.needs('a full Chromium');
  test(`humanlike, slowMo: ${kind}`, async () => {
    const path = await (endpoints[kind]?.() ?? '');
    const move =
      'a: hover(x: 5, y: 5) { x } b: hover(x: 400, y: 300) { x } moves: evaluate(content: "moves") { value }';
    const moves = async (query: Query) =>
      Number((await steps(path, `goto(url: "SITE/bql/form") { status } ${move}`, query))['moves'].value);
    const [straight, curved] = [await moves({}), await moves({ humanlike: true })];
    assert.ok(straight < 8 && curved > 16, `${straight} moves, ${curved} like a person`);
    const elapsedMs = async (query: Query) => {
      const began = performance.now();
      await steps(path, 'a: hover(x: 1, y: 1) { x } b: hover(x: 2, y: 2) { x }', query);
      return performance.now() - began;
    };
    const [slow, fast] = [await elapsedMs(launch({ slowMo: 300 })), await elapsedMs({})];
    assert.ok(slow >= 2 * 295 && slow > fast + 300, `${slow} ms, ${fast} ms without`);
  });
}

const options = launch({ args: ['--user-agent=from-the-call'], headless: 'new', slowMo: 100 });

test.proves('launch.args@session launch.headless@session launch.slowMo@session');
test.needs('a full Chromium');
test('launch: session', async () => {
  const path = (await session({ stealth: false })).connect;
  const browser = await connect(service, path, options, { defaultViewport: null });
  assert.ok(service.tree().some(({ command }) => command.includes('--headless=new')));
  const page = await browser.newPage();
  assert.is(await page.evaluate('navigator.userAgent'), 'from-the-call');
  const began = performance.now();
  await page.evaluate('1');
  assert.ok(performance.now() - began >= 95);
  await browser.disconnect();
});

test.proves('launch.args@bql-session');
test.needs('a full Chromium');
test('launch: bql-session', async () => {
  const expression = 'navigator.userAgent';
  const { bql } = await session();
  const document = `goto(url: "SITE/small") { status } told: evaluate(content: "${expression}") { value }`;
  assert.is((await steps(bql, document, options))['told'].value, 'from-the-call');
});

test.proves('proxy@session proxyCountry@session proxyCity@session proxyState@session externalProxyServer@session');
test.needs('a full Chromium');
test('a session without a proxy rejects one that its client names', async () => {
  const { connect: path, bql } = await session();
  const responseTo = async (query: Query) => {
    const { status, text } = await handshake(service, path, query);
    return `${status} ${text}`;
  };
  const noProxy = '400 This session has no proxy';
  assert.match(await responseTo({ externalProxyServer: provider.url() }), noProxy);
  assert.match(await responseTo({ proxy: 'residential' }), noProxy);
  assert.match(await responseTo({ '--proxy-server': provider.url() }), noProxy);
  for (const name of ['proxyCountry', 'proxyCity', 'proxyState']) {
    assert.match(await responseTo({ [name]: 'us' }), `"${name}" has no effect without proxy=residential`);
  }
  const document = { query: 'mutation { url { url } }' };
  const byArgs = { '--proxy-server': provider.url() };
  refused(await service.post(bql, document, { query: byArgs }), 400, 'This session has no proxy');
  refused(await service.post(bql, document, { query: { '--user-data-dir': 'p' } }), 400, 'a session has its own');
  assert.equal(provider.seen, []);
});

test.needs('a full Chromium');
test('a session with a proxy keeps it, and lists parameters for another one as ignored', async () => {
  const { connect: path } = await session({ args: [`--proxy-server=${provider.url('of-the-session')}`] });
  const choices = { proxyCountry: 'us', proxyCity: 'Boston', proxyState: 'MA', proxySticky: true };
  const browser = await connect(service, path);
  const named = await handshake(service, path, { proxy: 'residential', ...choices });
  assert.is(named.status, 101, named.text);
  assert.equal(String(named.headers['x-ignored-parameters']).split(', ').toSorted(), [
    'proxy',
    ...Object.keys(choices).toSorted(),
  ]);
  const external = await handshake(service, path, { externalProxyServer: provider.url(), proxySticky: true });
  assert.is(external.headers['x-ignored-parameters'], 'proxySticky, externalProxyServer');
  await (await browser.newPage()).goto(`${site.url}/small`);
  const users = new Set(provider.seen.map(({ credentials }) => credentials?.split(':')[0]));
  assert.equal([...users], ['of-the-session']);
  await browser.disconnect();
});
