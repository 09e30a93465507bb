// What calls that start Chromium do with each parameter and launch option that they claim to act on: one call of each
// kind with as many as can be combined, observed from the site, the proxy, the processes and the registry.
// @tier ci
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { quickStealth } from '../bql/quick-stealth.ts';
import { succeeded } from '../support/checks/expect.ts';
import { connect, handshake, type Query, sessionsOf } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { providerUrl, startProvider, type TestProxy } from '../support/clients/proxies.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

let provider: TestProxy;
const { test, service, site } = fixtureSuite('effects of parameters', {
  timeoutMs: 90_000,
  env: async () => {
    provider = await startProvider();
    const RESIDENTIAL_PROXY_URL = providerUrl(provider);
    return { ...quickStealth, TOKEN: 'secret-token', CONCURRENT: '3', TIMEOUT: '80000', RESIDENTIAL_PROXY_URL };
  },
});
test.after(() => provider?.close());
test.before.each(() => void provider.seen.splice(0));

const agent = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
const auditConfig = {
  settings: {
    onlyAudits: ['viewport'],
    throttlingMethod: 'provided',
    // Otherwise Lighthouse would name another browser.
    emulatedUserAgent: false,
    formFactor: 'desktop',
    screenEmulation: { disabled: true },
  },
};
const code = `export default async ({ page, context }) => {
  await page.goto(context.url);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { data: await page.content(), type: 'text/html' };
}`;
const document = `mutation Visit($url: String!) {
  goto(url: $url) { status } waitForTimeout(time: 500) { time } html { html }
}`;

/** REST requests that open a URL: the path and the body. */
const posts: Record<string, (url: string) => [path: string, body: object]> = {
  page: (url) => ['/content', { url, waitForTimeout: 500 }],
  code: (url) => ['/function', { code, context: { url } }],
  audit: (url) => ['/performance', { url, config: auditConfig }],
  bql: (url) => ['/chromium/bql', { query: document, variables: { url } }],
};
/** Sockets: the path, and the headers that their clients send. */
const sockets: Record<string, [path: string, headers: Record<string, string>]> = {
  cdp: ['/chromium', {}],
  playwright: ['/chromium/playwright', agent],
};
const kinds = [...Object.keys(posts), ...Object.keys(sockets)];

/** The response to a call of this kind that is rejected. */
function refusal(kind: string, query: Query): Promise<{ status: number; text: string }> {
  const [path, headers] = sockets[kind] ?? [];
  if (path !== undefined) return handshake(service, path, query, headers);
  const [route = '', body = {}] = posts[kind]?.(`${site.url}/small`) ?? [];
  return service.post(route, body, { query, ...(query['token'] === undefined ? {} : { token: null }) });
}

/** How long three mouse moves of the last Playwright client took. */
let movesMs = 0;

/** Opens a URL in a browser with this kind of call. @returns the text of the response or the page */
async function visit(kind: string, url: string, query: Query): Promise<string> {
  const post = posts[kind]?.(url);
  if (post) return succeeded(await service.post(post[0], post[1], { query })).text;
  if (kind === 'playwright') {
    const browser = await connectPlaywright(service, '/chromium/playwright', query);
    const page = await browser.newPage();
    await page.goto(url);
    const text = await page.content();
    const began = performance.now();
    for (let index = 0; index < 3; index++) await page.mouse.move(index, index);
    movesMs = performance.now() - began;
    await browser.close();
    return text;
  }
  const browser = await connect(service, '/chromium', query, { defaultViewport: null });
  const [page] = await browser.pages();
  await page?.goto(url);
  const text = (await page?.content()) ?? '';
  await browser.close();
  return text;
}

const entryOf = async (trackingId: string) =>
  (await sessionsOf(service)).find((entry) => entry.trackingId === trackingId);
const browserCommands = () => service.tree().flatMap(({ command }) => (/--type=/.test(command) ? [] : [command]));
const launch = (options: unknown) => ({ launch: JSON.stringify(options) });

for (const kind of kinds) {
  const withProfile = kind !== 'playwright';
  const withViewport = kind !== 'playwright' && kind !== 'audit';
  test.proves(
    `trackingId@${kind} proxy{,Country,City,State,Sticky,LocaleMatch}@${kind}`,
    `launch.{args,headless,ignoreDefaultArgs,acceptInsecureCerts}@${kind}`,
    ...(withProfile ? [`launch.userDataDir@${kind}`] : []),
    ...(withViewport ? [`launch.defaultViewport@${kind}`] : []),
    ...(withProfile ? [] : [`launch.slowMo@${kind}`]),
  );
  test(`all options that can be combined: ${kind}`, async () => {
    const profileOptions = withProfile ? { userDataDir: join(service.baseDir, 'profiles', kind) } : {};
    const options = {
      ...profileOptions,
      args: [`--user-agent=from-${kind}`],
      headless: 'new',
      ignoreDefaultArgs: ['--mute-audio'],
      acceptInsecureCerts: true,
      ...(withViewport ? { defaultViewport: { width: 612, height: 456 } } : {}),
      ...(withProfile ? {} : { slowMo: 300 }),
    };
    const query = {
      trackingId: `id-${kind}`,
      proxy: 'residential',
      proxyCountry: 'BR',
      proxyState: 'Rio de Janeiro',
      proxyCity: 'Niterói',
      proxySticky: false,
      proxyLocaleMatch: true,
      ...launch(options),
    };
    const url = `https://browserd-only.test:${new URL(site.secureUrl).port}/wide`;
    const seen = until(
      'the browser of the call and its session',
      async () => {
        const entry = await entryOf(query.trackingId);
        const command = browserCommands().find((each) => each.includes(`--user-agent=from-${kind}`));
        const hasProfile =
          profileOptions.userDataDir === undefined || entry?.userDataDir === profileOptions.userDataDir;
        return entry && command !== undefined && hasProfile ? command : undefined;
      },
      60_000,
    );
    const [text, command] = await Promise.all([visit(kind, url, query), seen]);
    assert.match(command, '--headless=new');
    assert.not.match(command, '--mute-audio');
    const request = site.requests.find(({ path }) => path === '/wide');
    assert.ok(request?.secure, 'over TLS, despite the untrusted certificate');
    assert.is(request.headers['user-agent'], `from-${kind}`);
    assert.match(String(request.headers['accept-language']), /^pt-BR,pt\b/);
    const users = provider.seen.map(({ credentials }) => credentials?.split(':')[0]);
    assert.equal([...new Set(users)], ['customer-cc-br-st-Rio_de_Janeiro-city-Niterói']);
    if ('defaultViewport' in options) assert.match(text.replaceAll('\\', ''), '"w":612,"h":456');
    if (profileOptions.userDataDir !== undefined)
      assert.ok(existsSync(profileOptions.userDataDir), 'the profile is kept');
    else assert.ok(movesMs >= 3 * 295, `${movesMs} ms`);
  });

  test.proves(`{token,externalProxyServer,launch.proxy}@${kind}`);
  test(`an unreachable proxy and a wrong token are rejected: ${kind}`, async () => {
    const absent = site.refusingUrl.replace(/\/$/, '');
    const external = await refusal(kind, { externalProxyServer: absent });
    assert.match(external.text, 'The proxy from externalProxyServer at');
    assert.is(external.status, 502);
    assert.match(
      (await refusal(kind, launch({ proxy: { server: absent } }))).text,
      'The proxy from launch.proxy.server at',
    );
    assert.is((await refusal(kind, { token: 'wrong' })).status, 401);
  });

  test.proves(`timeout@${kind}`);
  test(`a time limit that expires immediately: ${kind}`, async () => {
    const { status, text } = await refusal(kind, { timeout: 1 });
    assert.is(status, 408, text);
  });
}

test.proves('blockAds@cdp');
test('blockAds: cdp', async () => {
  const adRequests = async (query: Query) => {
    site.clear();
    // EasyList exempts pages on 127.0.0.1.
    await visit('cdp', `${site.url.replace('127.0.0.1', 'news.localhost')}/ads`, query);
    return site.requests.filter(({ path }) => /^\/(pagead|banner_ads)\//.test(path)).length;
  };
  assert.is(await adRequests({}), 3);
  assert.is(await adRequests({ blockAds: true }), 0);
});

for (const kind of ['code', 'bql']) {
  test.proves(`isolation@${kind}`);
  test(`isolation: ${kind}`, async () => {
    const profiles: unknown[] = [];
    for (const isolation of ['context', 'process']) {
      site.clear();
      const trackingId = `${kind}-${isolation}`;
      const call = visit(kind, `${site.url}/slow?ms=700`, { isolation, trackingId });
      await site.waitForRequest('/slow');
      profiles.push(typeof (await entryOf(trackingId))?.userDataDir);
      // Without the options above, browsers have the switch that ignoreDefaultArgs removes, and another mode.
      const commands = browserCommands().filter((command) => command.includes('--remote-debugging-pipe'));
      assert.ok(commands.length >= profiles.length);
      for (const command of commands) assert.match(command, /^(?!.*--headless=new).*--mute-audio/);
      await call;
    }
    assert.equal(profiles, ['object', 'string']);
  });
}

for (const kind of Object.keys(sockets)) {
  test.proves(`launch.timeout@${kind}`);
  test(`launch.timeout: ${kind}`, async () => {
    const { status, text } = await refusal(kind, launch({ timeout: 1, args: ['--lang=de'] }));
    assert.is(status, 500, text);
  });
}

test('without these options: playwright', async () => {
  const browser = await connectPlaywright(service);
  const commands = browserCommands().filter((command) => command.includes('--remote-debugging-pipe'));
  assert.ok(commands.length > 0);
  for (const command of commands) assert.match(command, '--mute-audio');
  const page = await browser.newPage();
  const began = performance.now();
  for (let index = 0; index < 3; index++) await page.mouse.move(index, index);
  assert.ok(performance.now() - began < 3 * 295);
  await browser.close();
});
