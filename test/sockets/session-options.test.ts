// Effects of the fields of POST /session on the session's browser: which browser it is, whether it has a window,
// whether it blocks advertisements, and what its proxy receives.
import * as assert from 'uvu/assert';
import { connect, sessionsOf } from '../support/clients/clients.ts';
import { providerUrl, proxyPassword, startProvider, type TestProxy } from '../support/clients/proxies.ts';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import { writeProgram } from '../support/clients/slow-entry-points.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { missing, placeOf } from '../support/programs.ts';
import { type Service, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { test, service, site } = fixtureSuite('options of sessions', {
  env: async () => {
    provider = await startProvider();
    const chrome = full && { CHROME_PATH: writeProgram(directory, 'chrome', `exec '${full}' ${mark} "$@"`) };
    return { SPARES: '0', RESIDENTIAL_PROXY_URL: providerUrl(provider), ...chrome };
  },
});
const directory = temporaryDirectory();
/** A switch of the installed Chrome. */
const mark = '--installed-as-chrome';
const full = placeOf('chromium');
let provider: TestProxy;

test.after(() => provider.close());

interface Seen {
  /** Command line of the browser. */
  command: string;
  /** User names that the proxy provider received. */
  users: string[];
  /** Requests to advertisers. */
  ads: number;
}

/** Creates a session, opens a page in its browser, and deletes the session. */
async function visit(body: object, path = '/small'): Promise<Seen> {
  provider.seen.splice(0);
  site.clear();
  const { id } = succeeded(await service.post('/session', body)).json<{ id: string }>();
  const browser = await connect(service, `/session/connect/${id}`);
  const entry = (await sessionsOf(service)).find((each) => each.id === id);
  // The browser's helpers mention the directory too, and may have lower ids.
  const ofSession = (text: string) =>
    text.includes(`--user-data-dir=${entry?.userDataDir}`) && !text.includes('--type=');
  const { command = '' } = service.tree().find((each) => ofSession(each.command)) ?? {};
  // Filter lists do not affect pages on 127.0.0.1.
  await (await browser.newPage()).goto(`${site.url.replace('127.0.0.1', 'news.localhost')}${path}`);
  await browser.disconnect();
  refused(await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } }), 204);
  return {
    command,
    users: [...new Set(provider.seen.map(({ credentials = '' }) => credentials.replace(`:${proxyPassword}`, '')))],
    ads: site.requests.filter((request) => /^\/(pagead|banner_ads)\//.test(request.path)).length,
  };
}

const stealthSwitch = '--disable-blink-features=AutomationControlled';

test.proves('session:blockAds');
test('blockAds: advertisers receive no requests; without options, Chromium runs without stealth and proxy', async () => {
  const plain = await visit({}, '/ads');
  assert.is(plain.ads, 3);
  assert.equal(plain.users, []);
  assert.match(plain.command, '--user-data-dir');
  assert.not.match(plain.command, stealthSwitch);
  assert.not.match(plain.command, mark);
  const blocking = await visit({ blockAds: true, browser: 'chromium' }, '/ads');
  assert.is(blocking.ads, 0);
  assert.match(blocking.command, '--user-data-dir');
  assert.not.match(blocking.command, mark);
});

test.proves('session:stealth session:browser');
test.needs('a full Chromium');
test('stealth starts a stealth browser', async () => {
  assert.match((await visit({ browser: 'stealth' })).command, stealthSwitch);
  // A display makes no difference to the switch.
  const { command } = await visit({ headless: true, stealth: true });
  assert.match(command, stealthSwitch);
  if (missing('a display') === undefined) assert.not.match(command, '--headless');
});

test.proves('session:headless');
test.needs('a full Chromium', 'a display');
test('headless: false opens a window', async () => {
  const { command } = await visit({ headless: false });
  assert.match(command, '--user-data-dir');
  assert.not.match(command, /--headless|headless-shell/);
});

test.proves('session:browser');
test.needs('a full Chromium');
test('browser: "chrome" starts the installed Chrome', async () => {
  assert.match((await visit({ browser: 'chrome' })).command, mark);
});

test.proves('session:proxy.type session:proxy.sticky session:proxy.country session:proxy.city session:proxy.state');
test('proxy: country, state, city and sticky are passed to the provider', async () => {
  const type = 'residential';
  const [kept = '', ...others] = (await visit({ proxy: { type } })).users;
  assert.match(kept, /^customer-cc-us-sid-[0-9a-f]{8}$/);
  assert.equal(others, []);
  const proxy = { type, country: 'DE', state: 'North Hesse', city: 'Bad-Hersfeld', sticky: false };
  assert.equal((await visit({ proxy })).users, ['customer-cc-de-st-North_Hesse-city-Bad_Hersfeld']);
  namesField(await service.post('/session', { proxy: { country: 'de' } }), 'proxy.type');
});

test.proves('session:proxy.sticky');
test('proxy.sticky is reported as ignored if the provider cannot keep an address', async () => {
  const user = 'customer[-cc-{country}]';
  await using other = await startService({ env: { SPARES: '0', RESIDENTIAL_PROXY_URL: providerUrl(provider, user) } });
  const ignoredOf = async (on: Service, proxy: object) => {
    const made = succeeded(await on.post('/session', { proxy: { type: 'residential', ...proxy } }));
    return made.headers['x-ignored-parameters'];
  };
  assert.is(await ignoredOf(other, { sticky: true }), 'proxy.sticky');
  assert.is(await ignoredOf(other, {}), undefined);
  assert.is(await ignoredOf(service, { sticky: true }), undefined);
});
