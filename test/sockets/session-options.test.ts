// Effects of the fields of POST /session on the session's browser: which browser it is, whether it has a window,
// whether it blocks advertisements, and what its proxy receives.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { connect, sessionsOf } from '../support/clients/clients.ts';
import { providerUrl, proxyPassword, startProvider, type TestProxy } from '../support/clients/proxies.ts';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import { processTree } from '../support/processes.ts';
import { missing } from '../support/programs.ts';
import { type ServerProcess, startProcess, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';

const test = suite('options of sessions', { timeoutMs: 60_000 });
let service: ServerProcess;
let site: Site;
let provider: TestProxy;

test.before(async () => {
  site = await startSite();
  provider = await startProvider();
  service = await startProcess({
    env: { SPARES: '0', RESIDENTIAL_PROXY_URL: providerUrl(provider) },
  });
});
test.after(() => stopAll(service, provider, site));

interface Seen {
  /** Command line of the browser. */
  command: string;
  /** User names that the proxy provider received. */
  users: string[];
  /** Requests to advertisers. */
  ads: number;
}

/** Creates a session, opens a page in its browser, and deletes the session. */
async function visit(body: object, path = '/small', on = service): Promise<Seen> {
  provider.seen.splice(0);
  site.clear();
  const { id } = succeeded(await on.post('/session', body)).json<{ id: string }>();
  const browser = await connect(on, `/session/connect/${id}`);
  const entry = (await sessionsOf(on)).find((each) => each.id === id);
  // The browser's helpers mention the directory too, and may have lower ids.
  const ofSession = (text: string) =>
    text.includes(`--user-data-dir=${entry?.userDataDir}`) && !text.includes('--type=');
  const { command = '' } = processTree(on.pid).find((each) => ofSession(each.command)) ?? {};
  // Filter lists do not affect pages on 127.0.0.1.
  await (await browser.newPage()).goto(`${site.url.replace('127.0.0.1', 'news.localhost')}${path}`);
  await browser.disconnect();
  refused(await on.get(`/session/${id}`, { method: 'DELETE', query: { force: true } }), 204);
  return {
    command,
    users: [...new Set(provider.seen.map(({ credentials = '' }) => credentials.replace(`:${proxyPassword}`, '')))],
    ads: site.requests.filter((request) => /^\/(pagead|banner_ads)\//.test(request.path)).length,
  };
}

test.proves('session:blockAds');
test('blockAds: advertisers receive no requests', async () => {
  assert.is((await visit({}, '/ads')).ads, 3);
  assert.is((await visit({ blockAds: true }, '/ads')).ads, 0);
});

const stealthSwitch = '--disable-blink-features=AutomationControlled';

test.proves('session:stealth session:browser');
test.unless(missing('a full Chromium'))('stealth starts a stealth browser', async () => {
  assert.not.match((await visit({})).command, stealthSwitch);
  assert.match((await visit({ stealth: true })).command, stealthSwitch);
  assert.match((await visit({ browser: 'stealth' })).command, stealthSwitch);
});

test.proves('session:headless');
test.unless(missing('a full Chromium', 'a display'))(
  'headless: false opens a window, and stealth ignores headless',
  async () => {
    const { command } = await visit({ headless: false });
    assert.match(command, '--user-data-dir');
    assert.not.match(command, /--headless|headless-shell/);
    const hidden = await visit({ headless: true, stealth: true });
    assert.match(hidden.command, stealthSwitch);
    assert.not.match(hidden.command, '--headless');
  },
);

test.proves('session:browser');
test.unless(missing('a full Chromium'))(
  'browser: "chrome" starts the installed Chrome, and Chromium runs otherwise',
  async () => {
    const path = join(service.baseDir, 'installed-chrome');
    const mark = '--installed-as-chrome';
    const [full = ''] = (await visit({ stealth: true })).command.split(' ');
    writeFileSync(path, `#!/bin/sh\nexec "${full}" ${mark} "$@"\n`, { mode: 0o755 });
    const both = await startProcess({ env: { SPARES: '0', CHROME_PATH: path } });
    try {
      assert.match((await visit({ browser: 'chrome' }, '/small', both)).command, mark);
      for (const body of [{}, { browser: 'chromium' }]) {
        const { command } = await visit(body, '/small', both);
        assert.match(command, '--user-data-dir');
        assert.not.match(command, mark);
      }
    } finally {
      await both.stop();
    }
  },
);

test.proves('session:proxy.type session:proxy.sticky session:proxy.country session:proxy.city session:proxy.state');
test('proxy: country, state, city and sticky are passed to the provider', async () => {
  const type = 'residential';
  const [kept = '', ...others] = (await visit({ proxy: { type } })).users;
  assert.match(kept, /^customer-cc-us-sid-[0-9a-f]{8}$/);
  assert.equal(others, []);
  const proxy = { type, country: 'DE', state: 'North Hesse', city: 'Bad-Hersfeld', sticky: false };
  assert.equal((await visit({ proxy })).users, ['customer-cc-de-st-North_Hesse-city-Bad_Hersfeld']);
  assert.equal((await visit({})).users, []);
  namesField(await service.post('/session', { proxy: { country: 'de' } }), 'proxy.type');
});

test.proves('session:proxy.sticky');
test('proxy.sticky is reported as ignored if the provider cannot keep an address', async () => {
  const user = 'customer[-cc-{country}]';
  const other = await startProcess({ env: { SPARES: '0', RESIDENTIAL_PROXY_URL: providerUrl(provider, user) } });
  try {
    const ignoredOf = async (on: ServerProcess, proxy: object) => {
      const made = succeeded(await on.post('/session', { proxy: { type: 'residential', ...proxy } }));
      return made.headers['x-ignored-parameters'];
    };
    assert.is(await ignoredOf(other, { sticky: true }), 'proxy.sticky');
    assert.is(await ignoredOf(other, {}), undefined);
    assert.is(await ignoredOf(service, { sticky: true }), undefined);
  } finally {
    await other.stop();
  }
});
