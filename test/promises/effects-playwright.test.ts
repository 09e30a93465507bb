// What sockets for Playwright's Firefox and WebKit do with each parameter and launch option that they claim to act on.
// Firefox is Debian's. WebKit does not run here: a program that records how it was started stands in for it.
// @tier ci
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { handshake, type Query, sessionsOf } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { providerUrl, startProvider, type TestProxy } from '../support/clients/proxies.ts';
import { writeProgram } from '../support/clients/slow-entry-points.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { missing } from '../support/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

let provider: TestProxy;
const directory = temporaryDirectory();
const argumentsFile = join(directory, 'arguments');
const statusFile = join(directory, 'status');

const { test, service, site } = fixtureSuite('effects of parameters in Firefox and WebKit', {
  timeoutMs: 120_000,
  async env() {
    const page = `http://browserd-only.test:${site.port}/small`;
    const ask = `curl --silent --output /dev/null --write-out '%{http_code}' --proxy "\${each#--proxy=}" ${page}`;
    // Stands in for WebKit: records its arguments and the status of a page that it requests through its proxy.
    const script = [
      `echo "$@" > ${argumentsFile}.new && mv ${argumentsFile}.new ${argumentsFile}`,
      `for each in "$@"; do case $each in --proxy=*) ${ask} > ${statusFile}.new; mv ${statusFile}.new ${statusFile};; esac; done`,
      'exec sleep 100',
    ];
    const WEBKIT_PATH = writeProgram(directory, 'pw_run.sh', script.join('\n'));
    provider = await startProvider();
    const RESIDENTIAL_PROXY_URL = providerUrl(provider);
    return { TOKEN: 'secret-token', TIMEOUT: '100000', SPARES: '0', WEBKIT_PATH, RESIDENTIAL_PROXY_URL };
  },
});
test.after(() => provider?.close());
test.before.each(() => void provider.seen.splice(0));

const launch = (options: unknown) => ({ launch: JSON.stringify(options) });
const residential = {
  proxy: 'residential',
  proxyCountry: 'BR',
  proxyState: 'Rio de Janeiro',
  proxyCity: 'Rio',
  proxySticky: false,
};

const agent = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
const usersOf = (proxy: TestProxy) => [...new Set(proxy.seen.map(({ credentials }) => credentials?.split(':')[0]))];

test.proves(
  '{trackingId,proxy,proxyCountry,proxyCity,proxyState,proxySticky,proxyLocaleMatch}@playwright-firefox',
  'launch.{args,headless,slowMo,firefoxUserPrefs}@playwright-firefox',
);
test.needs('Firefox', 'a display');
test('all options that can be combined: Firefox', async () => {
  await using browser = await connectPlaywright(service, '/firefox/playwright', {
    trackingId: 'my-firefox',
    ...residential,
    proxyLocaleMatch: true,
    ...launch({
      headless: false,
      slowMo: 300,
      args: ['--kiosk'],
      firefoxUserPrefs: { 'general.useragent.override': 'from-the-preferences' },
    }),
  });
  assert.is((await sessionsOf(service))[0]?.trackingId, 'my-firefox');
  const page = await (await browser.newContext({ viewport: null })).newPage();
  await page.goto(`http://browserd-only.test:${site.port}/echo-headers`);
  const headers = JSON.parse((await page.textContent('pre')) ?? '');
  assert.is(headers['user-agent'], 'from-the-preferences');
  assert.match(headers['accept-language'], /^pt-BR,pt\b/);
  // Without a window the screen has its own size; with one there are bars around the page.
  const { screen, bars } = await page.evaluate<{ screen: string; bars: number }>(
    '({ screen: `${screen.width}x${screen.height}`, bars: outerHeight - innerHeight })',
  );
  assert.is.not(screen, '1366x768');
  assert.is(bars, 0);
  const began = performance.now();
  for (let index = 0; index < 3; index++) await page.mouse.move(index, index);
  assert.ok(performance.now() - began >= 3 * 295);
  assert.equal(usersOf(provider), ['customer-cc-br-st-Rio_de_Janeiro-city-Rio']);
});

test.proves(
  '{timeout,trackingId,proxy,proxyCountry,proxyCity,proxyState,proxySticky,launch.headless}@playwright-webkit',
);
test.unless(missing('a display') ?? missing('curl'))('all options that can be combined: WebKit', async () => {
  const query = { trackingId: 'my-webkit', timeout: 4_000, ...residential, ...launch({ headless: false }) };
  const call = handshake(service, '/webkit/playwright', query, agent);
  const given = await until(
    'WebKit to be started',
    () => existsSync(argumentsFile) && readFileSync(argumentsFile, 'utf8'),
    20_000,
  );
  assert.not.match(given, '--headless');
  assert.is(
    await until('the response of a page', () => existsSync(statusFile) && readFileSync(statusFile, 'utf8')),
    '200',
  );
  assert.equal(usersOf(provider), ['customer-cc-br-st-Rio_de_Janeiro-city-Rio']);
  const { status, text } = await call;
  assert.is(status, 408, text);
  const line = await until('the log line', () => service.logs().find((each) => each['trackingId'] === 'my-webkit'));
  assert.is(line['status'], 408);
  assert.is(line['ignored'], undefined);
});

for (const browser of ['firefox', 'webkit'] as const) {
  const reason = browser === 'firefox' ? missing('Firefox') : undefined;
  test.proves(`{token,isolation,externalProxyServer,launch.timeout,launch.proxy}@playwright-${browser}`);
  test.unless(reason)(`what fails before a browser runs: ${browser}`, async () => {
    const responseTo = (query: Query) => handshake(service, `/${browser}/playwright`, query, agent);
    assert.is((await responseTo({ token: 'wrong' })).status, 401);
    assert.match((await responseTo({ isolation: 'context' })).text, 'always gets its own process. Leave it out');
    const absent = site.refusingUrl.replace(/\/$/, '');
    const external = await responseTo({ externalProxyServer: absent });
    assert.is(external.status, 502);
    assert.match(external.text, 'The proxy from externalProxyServer at');
    const own = await responseTo(launch({ proxy: { server: absent } }));
    assert.match(own.text, 'The proxy from launch.proxy.server at');
    const late = await responseTo(launch({ timeout: 700 }));
    assert.is(late.status, 500, late.text);
    assert.match(late.text, 'it was not ready within 700 ms');
    if (browser === 'webkit') assert.match(readFileSync(argumentsFile, 'utf8'), '--headless');
    const named = (await responseTo({ timeout: 1, proxyLocaleMatch: '0' })).headers['x-ignored-parameters'];
    assert.is(named, browser === 'webkit' ? 'proxyLocaleMatch' : undefined);
  });
}

test('timeout: a launch that is abandoned at any moment leaves nothing behind', async () => {
  // At most of these times the browser is already running; at some, Playwright is about to start it.
  for (let timeout = 2; timeout < 60; timeout += 4) {
    assert.is((await handshake(service, '/webkit/playwright', { timeout }, agent)).status, 408);
  }
  await until('all files to be removed', () => service.leftovers().files.length === 0, 20_000);
});
