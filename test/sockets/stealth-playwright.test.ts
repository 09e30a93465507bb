// Stealth over Playwright's own protocol: ordinary clients of the minor versions that have a stealth server, and an
// error listing those versions for all others.
// @tier ci
import * as assert from 'uvu/assert';
import { handshake } from '../support/clients/clients.ts';
import { assertHidden, look, type BrowserTraits, stealth } from '../support/clients/looks.ts';
import { connectPlaywright, version } from '../support/clients/playwright.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { missing } from '../support/programs.ts';

// Each spare would be another full browser.
const { test, fixture } = fixtureSuite('stealth on Playwright sockets', { env: { SPARES: '0', TIMEOUT: '60000' } });
const withChromium = test.unless(missing('a full Chromium', 'a display'));

for (const [minor, path, args] of [
  ['1.63', '/chromium/playwright', []],
  ['1.62', '/playwright/chromium', ['--disable-blink-features=Serial', '--window-size=1111,700']],
] as const) {
  test.proves('launch.{stealth,timezone}@playwright');
  withChromium(`launch.stealth, timezone, ${args.length} switches: Playwright ${minor}`, async () => {
    const { query } = stealth({ timezone: 'Asia/Tokyo', args });
    const browser = await connectPlaywright(fixture.service, path, query, version(minor));
    const page = await (await browser.newContext({ viewport: null })).newPage();
    await page.goto(`${fixture.site.url}/small`);
    const seen = JSON.parse(String(await page.evaluate(look))) as BrowserTraits; // The script is part of this test.
    assertHidden(seen, fixture.site);
    assert.is(seen.timezone, 'Asia/Tokyo');
    // The client's switches are combined with those of stealth.
    if (args.length > 0) assert.equal(await page.evaluate('["serial" in navigator, outerWidth]'), [false, 1111]);
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

const agent = (minor: string) => ({ 'User-Agent': `Playwright/${minor}.0 (x64; debian 12) node/24.1` });

withChromium('other minor versions are rejected with a list of the supported ones', async () => {
  for (const minor of ['1.65', '1.64', '1.50']) {
    const { status, text } = await handshake(fixture.service, '/chromium/playwright', stealth().query, agent(minor));
    assert.is(status, 400, text);
    assert.match(
      text,
      `Playwright ${minor} is not supported here with stealth. Use one of 1.63, 1.62, or connectOverCDP to /stealth`,
    );
  }
});

withChromium('Firefox reports stealth as ignored', async () => {
  // The limit ends the start of Firefox at once.
  const answer = await handshake(fixture.service, '/firefox/playwright', stealth({ timeout: 1 }).query, agent('1.65'));
  if (answer.status !== 404) assert.match(String(answer.headers['x-ignored-parameters']), 'launch.stealth');
});
