// Stealth over Playwright's own protocol: ordinary clients of the minor versions that have a stealth server, and an
// error listing those versions for all others.
// @tier ci
import * as assert from 'uvu/assert';
import { handshake } from '../support/clients/clients.ts';
import { assertHidden, look, type BrowserTraits, stealth } from '../support/clients/looks.ts';
import { connectPlaywright, version } from '../support/clients/playwright.ts';
import { cannotUnshare } from '../support/namespaces.ts';
import { missing } from '../support/programs.ts';
import { type ServerProcess, startProcess, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';

const test = suite('stealth on Playwright sockets', { timeoutMs: 90_000 });
const withChromium = test.unless(missing('a full Chromium', 'a display'));
let service: ServerProcess;
let site: Site;

test.before(async () => {
  site = await startSite();
  service = await startProcess();
});
test.after(() => stopAll(service, site));
test.before.each(() => site.clear());

for (const minor of ['1.63', '1.62']) {
  test.proves('launch.{stealth,timezone}@playwright');
  withChromium(`launch.stealth, timezone: Playwright ${minor}`, async () => {
    const { query } = stealth({ timezone: 'Asia/Tokyo' });
    const browser = await connectPlaywright(service, '/chromium/playwright', query, version(minor));
    const page = await (await browser.newContext({ viewport: null })).newPage();
    await page.goto(`${site.url}/small`);
    const seen = JSON.parse(String(await page.evaluate(look))) as BrowserTraits; // The script is part of this test.
    assertHidden(seen, site);
    assert.is(seen.timezone, 'Asia/Tokyo');
    // The getter of a logged error: with Runtime.enable it is called twice.
    const calls = await page.evaluate(() => {
      let count = 0;
      const error = new Error('logged');
      Object.defineProperty(error, 'name', { get: () => (count++, 'Error') });
      console.debug(error);
      return count;
    });
    assert.is(calls, 1);
    await browser.close();
  });
}

withChromium("the client's switches are combined with those of stealth", async () => {
  const args = ['--disable-blink-features=Serial', '--window-size=1111,700'];
  const browser = await connectPlaywright(service, '/playwright/chromium', stealth({ args }).query, version('1.63'));
  const page = await (await browser.newContext({ viewport: null })).newPage();
  await page.goto(`${site.url}/small`);
  assert.equal(await page.evaluate('[navigator.webdriver, "serial" in navigator, outerWidth]'), [false, false, 1111]);
  await browser.close();
});

const agent = (minor: string) => ({ 'User-Agent': `Playwright/${minor}.0 (x64; debian 12) node/24.1` });

withChromium('other minor versions are rejected with a list of the supported ones', async () => {
  for (const minor of ['1.65', '1.64', '1.50']) {
    const { status, text } = await handshake(service, '/chromium/playwright', stealth().query, agent(minor));
    assert.is(status, 400, text);
    assert.match(
      text,
      `Playwright ${minor} is not supported here with stealth. Use one of 1.63, 1.62, or connectOverCDP to /stealth`,
    );
  }
});

withChromium('Firefox reports stealth as ignored', async () => {
  const answer = await handshake(service, '/firefox/playwright', stealth().query, agent('1.65'));
  if (answer.status !== 404) assert.match(String(answer.headers['x-ignored-parameters']), 'launch.stealth');
});

test.unless(missing('a full Chromium') ?? cannotUnshare('--mount'))(
  'stealth is rejected without a display',
  async () => {
    const hideXvfb = ['unshare', '--mount', 'sh', '-c', 'mount --bind /dev/null /usr/bin/Xvfb; exec "$@"', 'sh'];
    const own = await startProcess({ under: hideXvfb, env: { SPARES: '0' } });
    try {
      const { status, text } = await handshake(own, '/chromium/playwright', stealth().query, agent('1.63'));
      assert.is(status, 400, text);
      assert.match(text, 'needs a display');
    } finally {
      await own.stop();
    }
  },
);
