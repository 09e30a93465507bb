// What Chromium remembers about sites and what clients set: nothing leaks between calls that share a browser process
// (calls of one token do), nor between tenants, which have separate processes.
// @tier ci
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { shellExecutable } from '../support/checks/reader.ts';
import { type Query, type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { writeProgram } from '../support/clients/slow-entry-points.ts';
import { attach, member, openPage, valueOf } from '../support/clients/targets.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { cannotUnshare } from '../support/namespaces.ts';
import { missing, placeOf } from '../support/programs.ts';
import { type ServerProcess, startProcess, stopAll } from '../support/service.ts';
import {
  addresses,
  type RememberedRequest,
  type RememberedSite,
  startRememberedSite,
} from '../support/site/remembered.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('state of a browser process', { timeoutMs: 120_000 });
const check = test.unless(cannotUnshare('--mount') ?? missing('a full Chromium'));
const directory = temporaryDirectory();
const hosts = join(directory, 'hosts');
let service: ServerProcess;
let site: RememberedSite;

test.before(async () => {
  const file = tokensFile([{ name: 'ours' }, { name: 'theirs' }]);
  site = await startRememberedSite();
  pointNamesAt(addresses[0]);
  const trusting = (name: string, path: string) =>
    writeProgram(directory, name, `exec '${path}' '${site.trustingSwitch}' "$@"`);
  service = await startProcess({
    env: {
      TOKENS_FILE: file.path,
      TOKEN: 'operator-token',
      SESSION_ISOLATION: 'context',
      SHELL_PATH: trusting('shell', await shellExecutable()),
      CHROMIUM_PATH: trusting('chromium', placeOf('chromium') ?? ''),
    },
    under: ['unshare', '--mount', 'sh', '-c', `mount --bind '${hosts}' /etc/hosts && exec "$@"`, 'sh'],
  });
});
test.after(() => stopAll(service, site));

/** Makes all of the site's hostnames resolve to this address on the server immediately. */
function pointNamesAt(address: string): void {
  const names = Object.keys(states).map((state) => `${state}.test`);
  writeFileSync(hosts, `127.0.0.1 localhost\n${address} ${names.join(' ')}\n`);
}

interface State {
  /** The URL that leaves the state in the browser. */
  plant: string;
  /** Runs between `plant` and `look`. */
  change?: () => void;
  look: string;
  /** Whether the request shows the planted state; the request is undefined if none arrived. */
  found(request: RememberedRequest | undefined, planted: RememberedRequest): boolean;
  /** The path of the request to check, if it differs from the path of the URLs. */
  path?: string;
}

/** Keyed by the hostname on which each is tested; `:` is replaced by the rest of the origin. */
const states: Record<string, State> = {
  hsts: { plant: 'https:/strict', look: 'http:/page', found: (request) => request?.secure === true },
  logins: {
    plant: 'http:user:password@/login',
    look: 'http:/login',
    found: (request) => request?.authorization !== undefined,
  },
  'tls-sessions': { plant: 'https:/once', look: 'https:/once', found: (request) => request?.resumed === true },
  connections: {
    plant: 'http:/page',
    look: 'http:/page',
    found: (request, planted) => request?.connection === planted.connection,
  },
  cache: {
    plant: 'http:/with-script/1',
    look: 'http:/with-script/2',
    path: '/kept.js',
    found: (request) => request === undefined,
  },
  names: {
    plant: 'http:/once',
    change: () => pointNamesAt(addresses[1]),
    look: 'http:/once',
    found: (request) => request?.address !== addresses[1],
  },
};

const addressOf = (state: string, short: string) =>
  short.replace(/^(https?):(.*@)?/, (_, scheme, login = '') => `${scheme}://${login}${state}.test:${site.port}`);

/** Opens URLs at an endpoint, as calls of a tenant; over CDP sequentially in one context. */
type Enter = (tenant: string) => Promise<(url: string) => Promise<unknown>>;

/** Clients that are still connected. */
const staying: RawClient[] = [];
const leave = async () => {
  const leaving = staying.splice(0);
  for (const { socket } of leaving) socket.close();
  await Promise.all(leaving.map(({ closed }) => closed));
};
test.after.each(leave);

async function stay(tenant: string): Promise<RawClient> {
  const client = await rawClient(socketUrl(service, '/', { token: tokenOf(tenant) }));
  staying.push(client);
  return client;
}

const calls =
  (path: string, bodyOf: (url: string) => object, query: Query = {}): Enter =>
  async (tenant) =>
  async (url) =>
    // A full browser responds with an error to a page that asks for a login: only what the site received counts.
    service.post(path, bodyOf(url), { token: tokenOf(tenant), query });

const endpoints = {
  CDP: async (tenant) => {
    const client = await stay(tenant);
    const { result } = await client.send('Target.createTarget', { url: 'about:blank' });
    const sessionId = await attach(client, String(result?.['targetId']));
    return async (url) => {
      await client.send('Page.navigate', { url }, sessionId);
      await until('the page', () => valueOf(client, 'document.readyState === "complete"', sessionId));
    };
  },
  REST: calls('/content', (url) => ({ url })),
  'REST, full browser': calls('/content', (url) => ({ url }), { launch: '{"headless":"new"}' }),
  function: calls('/function', (url) => ({
    code: `export default async ({ page }) => { await page.goto('${url}'); return 'done'; }`,
  })),
  BrowserQL: calls('/chromium/bql', (url) => ({ query: `mutation { goto(url: "${url}") { status } }` })),
} satisfies Record<string, Enter>;

type Visitor = Awaited<ReturnType<Enter>>;

/** Plants each state with one visitor and checks for it with others. @returns the states that each of them finds */
async function found(from: Visitor, to: readonly Visitor[]): Promise<string[][]> {
  const seenBy = to.map((): string[] => []);
  for (const [name, state] of Object.entries(states)) {
    const path = state.path ?? state.look.replace(/^[^/]*/, '');
    pointNamesAt(addresses[0]);
    const visit = async (open: Visitor, address: string) => {
      const before = site.requests.length;
      await open(addressOf(name, address));
      return site.requests.slice(before).filter((request) => request.host === `${name}.test`);
    };
    const planted = (await visit(from, state.plant)).at(-1);
    assert.ok(planted, `${name}: the first visit reaches the site`);
    state.change?.();
    for (const [at, visitor] of to.entries()) {
      const seen = await visit(visitor, state.look);
      assert.ok(seen.length > 0, `${name}: the second visit reaches the site`);
      const last = seen.findLast((request) => request.path === path);
      if (state.found(last, planted)) seenBy[at]?.push(name);
    }
  }
  return seenBy;
}

check('a context sees the state that it left itself, except for resolved names', async () => {
  const visitor = await endpoints.CDP('ours');
  assert.equal(await found(visitor, [visitor]), [Object.keys(states).filter((name) => name !== 'names')]);
});

/** Chromium's main processes. */
const browsers = () => {
  const mains = service
    .tree()
    .filter(({ command }) => command.includes('--remote-debugging-pipe') && !command.includes('--type='));
  // A forked child has the same command line until it executes its own program.
  return mains.filter(({ parent }) => !mains.some(({ pid }) => pid === parent));
};

test.shows('process-state', 'REST', 'function', 'BrowserQL', 'CDP');
for (const [endpoint, enter] of Object.entries<Enter>(endpoints)) {
  const title = `${endpoint}: network state that a call leaves behind is not visible to other calls and tenants`;
  const body = async () => {
    const others = [await enter('ours'), await enter('theirs')];
    assert.equal(await found(await enter('ours'), others), [[], []]);
  };
  check(title, body, { timeoutMs: 240_000 });
}

/** Opens a page on the site with a client that stays connected. */
async function openOwn(tenant: string) {
  const client = await stay(tenant);
  const { sessionId } = await openPage(client, addressOf('hsts', 'https:/page'));
  return {
    client,
    sessionId,
    send: (method: string, params: object = {}) => client.send(method, params, sessionId),
    value: (expression: string) => valueOf(client, expression, sessionId),
  };
}

/** What a page can see of settings that clients change. */
const look = `(async () => ({
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  locale: Intl.NumberFormat().resolvedOptions().locale,
  width: innerWidth,
  pixels: devicePixelRatio,
  processors: navigator.hardwareConcurrency,
  agent: navigator.userAgent,
  touch: navigator.maxTouchPoints,
  dark: matchMedia('(prefers-color-scheme: dark)').matches,
  online: navigator.onLine,
  place: await new Promise((resolve) =>
    navigator.geolocation.getCurrentPosition(({ coords }) => resolve(coords.latitude), (e) => resolve(e.code), { timeout: 300 })),
  cookie: document.cookie,
  stored: localStorage.name,
  cached: await fetch('/kept.js', { cache: 'only-if-cached', mode: 'same-origin' }).then(({ ok }) => ok, () => false),
  saving: navigator.connection?.saveData,
}))()`;

const fill = `document.cookie = 'kept=yes'; localStorage.name = 'kept'; fetch('/kept.js').then((r) => r.text()).then(() => 'filled')`;

const settings: [method: string, params: object][] = [
  ['Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' }],
  ['Emulation.setLocaleOverride', { locale: 'de-DE' }],
  [
    'Emulation.setDeviceMetricsOverride',
    { width: 321, height: 400, screenWidth: 321, deviceScaleFactor: 3, mobile: false },
  ],
  ['Emulation.setHardwareConcurrencyOverride', { hardwareConcurrency: 77 }],
  ['Emulation.setUserAgentOverride', { userAgent: 'agent of ours' }],
  ['Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 7 }],
  ['Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] }],
  ['Emulation.setGeolocationOverride', { latitude: 44, longitude: 2, accuracy: 1 }],
  ['Emulation.setDataSaverOverride', { dataSaverEnabled: true }],
  ['Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' }],
  ['Network.enable', {}],
  ['Network.clearBrowserCache', {}],
  ['Network.clearBrowserCookies', {}],
  ['Network.setBlockedURLs', { urlPatterns: [{ urlPattern: '*://*:*/*', block: true }] }],
  ['Network.setExtraHTTPHeaders', { headers: { 'x-of': 'ours' } }],
  ['Network.emulateNetworkConditions', { offline: true, latency: 1, downloadThroughput: 1, uploadThroughput: 1 }],
];

/** Opens pages of three clients: the second shares a browser process with the first, the third has another tenant's. */
async function openThree() {
  const mine = await openOwn('ours');
  const running = browsers().length;
  const others = [await openOwn('ours')];
  assert.is(browsers().length, running, 'they share a process');
  others.push(await openOwn('theirs'));
  return { mine, others };
}

test.shows('process-state', 'CDP');
check('what a client emulates, blocks and clears does not affect other clients and tenants', async () => {
  const { mine, others } = await openThree();
  for (const { client, value } of [mine, ...others]) {
    await client.send('Browser.grantPermissions', { permissions: ['geolocation'] });
    assert.is(await value(fill), 'filled');
  }
  const looks = () => Promise.all(others.map(({ value }) => value(look)));
  const [before, theirs] = [await mine.value(look), await looks()];
  for (const [method, params] of settings) {
    assert.is((await mine.send(method, params)).error, undefined, method);
  }
  assert.equal(await looks(), theirs);
  const own = await mine.value(look);
  for (const name of Object.keys(Object(before))) {
    assert.is.not(member(own, name), member(before, name), `${name}: the client's own value`);
  }
});

test.shows('process-state', 'CDP');
check('storage events, shared workers and downloads of a client are separate from those of others', async () => {
  const { mine, others } = await openThree();
  const again = await openPage(mine.client, addressOf('hsts', 'https:/page'));
  await mine.value("window.heard = []; addEventListener('storage', ({ newValue }) => heard.push(newValue)); 1");
  for (const { value } of others) await value("localStorage.name = 'of another'");
  await valueOf(mine.client, "localStorage.name = 'own'", again.sessionId);
  await until('its own event', () => mine.value('heard.length > 0'));
  assert.equal(await mine.value('heard'), ['own']);

  const count = `new Promise((resolve) => {
    window.worker = new SharedWorker('/counter.js');
    worker.port.onmessage = ({ data }) => resolve(data);
  })`;
  for (const { value } of [mine, ...others]) assert.is(await value(count), 1);
  assert.is(await valueOf(mine.client, count, again.sessionId), 2);

  await mine.client.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  for (const { client } of others) {
    await client.send('Browser.setDownloadBehavior', { behavior: 'allow', eventsEnabled: true });
  }
  for (const [at, { client, value }] of [...others, mine].entries()) {
    const name = `of-${at}.txt`;
    await value(`Object.assign(document.createElement('a'), { download: '${name}', href: 'data:,x' }).click()`);
    const end = await until('a download to end', () => {
      const progress = client.events.filter(({ method }) => method === 'Browser.downloadProgress');
      return progress.map(({ params }) => params?.['state']).find((state) => state !== 'inProgress');
    });
    assert.is(end, client === mine.client ? 'canceled' : 'completed');
  }
  for (const [at, { client }] of [...others, mine].entries()) {
    const begun = client.events.filter(({ method }) => method === 'Browser.downloadWillBegin');
    assert.equal(
      begun.map(({ params }) => params?.['suggestedFilename']),
      [`of-${at}.txt`],
    );
  }
});

test.shows('process-state', 'REST');
check(
  'the IP address of a site that one tenant visited is not reported to another that mocks the response',
  async () => {
    const url = addressOf('names', 'http:/page');
    const own = await service.post('/content', { url }, { token: tokenOf('ours') });
    assert.ok(own.headers['x-response-ip']);
    for (const status of [200, 404]) {
      const requestInterceptors = [{ pattern: '.', response: { status, body: 'made up', contentType: 'text/html' } }];
      const { headers, text } = await service.post(
        '/content',
        { url, requestInterceptors },
        { token: tokenOf('theirs') },
      );
      assert.match(text, 'made up');
      assert.is(headers['x-response-ip'], undefined);
    }
  },
);

check('WebRTC does not reveal an address that would show two clients that they share a machine', async () => {
  const { value } = await openOwn('ours');
  const candidates = await value(`new Promise((resolve) => {
    const [peer, all] = [new RTCPeerConnection(), []];
    peer.createDataChannel('x');
    peer.onicecandidate = ({ candidate }) => (candidate ? all.push(candidate.candidate) : resolve(all));
    void peer.setLocalDescription();
  })`);
  assert.equal(candidates, []);
});
