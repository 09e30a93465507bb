// Debian's Firefox through Playwright's usual firefox.connect. A start takes some 8 s of processor time, so there are
// few: with the newest version, with one in which Firefox is a channel, and with one in which it is a type of its own.
import * as assert from 'uvu/assert';
import { missing } from '../support/programs.ts';
import { sessionsOf } from '../support/clients/clients.ts';
import { connectPlaywright, leaveEarly, screenshotWorks, version } from '../support/clients/playwright.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('Firefox for Playwright', { timeoutMs: 200_000 });
const path = '/firefox/playwright';
const isDeno = 'Deno' in globalThis;
let service: Service;
let site: Site;

test.before(async () => {
  site = await startSite();
  service = await startService({ env: { TOKEN: 'secret-token', TIMEOUT: '200000', SPARES: '0' } });
});
test.after(() => stopAll(service, site));

async function nothingLeft(): Promise<void> {
  await until('no session', async () => (await sessionsOf(service)).length === 0, 60_000);
  const browsers = () => service.leftovers().processes.filter(({ pid }) => pid !== service.pid);
  await until('no browser', () => browsers().length === 0, 60_000);
  await until('no file', () => service.leftovers().files.length === 0, 60_000);
}

const reason = missing('Firefox');
if (reason !== undefined) test.skip('firefox.connect', reason);
else {
  // The library of one version is enough to see that Deno runs it.
  for (const minor of isDeno ? ['1.65'] : ['1.65', '1.58', '1.52']) {
    test(`Playwright ${minor}: pages, input, pictures, cookies, and no way around the egress`, async () => {
      const browser = await connectPlaywright(service, path, {}, version(minor));
      assert.match(browser.version(), /^\d+\./);
      const [entry] = await sessionsOf(service);
      assert.match(JSON.stringify(entry), '"browser":"FirefoxPlaywright"');
      const context = await browser.newContext({ viewport: { width: 500, height: 400 } });
      const page = await context.newPage();
      await page.goto(`${site.url}/`);
      assert.is(await page.title(), 'Test page');
      assert.ok(await screenshotWorks(page));
      await page.setContent('<input id="field"><button onclick="this.textContent = field.value">send</button>');
      await page.fill('#field', 'browserd');
      await page.click('button');
      assert.is(await page.textContent('button'), 'browserd');
      await context.addCookies([{ name: 'a', value: 'b', url: site.url }]);
      assert.is((await context.cookies(site.url))[0]?.value, 'b');
      const opened = await page.goto(`http://localhost:${service.port}/active`).then(
        () => 'opened',
        () => 'refused',
      );
      assert.is(opened, 'refused');
      await browser.close();
      await nothingLeft();
    });
  }

  test('a client that leaves while Firefox starts leaves nothing', async () => {
    await leaveEarly(service, path, '--remote-debugging-port=0');
    await nothingLeft();
  });
}
