// Puppeteer behind the shield: each row works as it does without the shield, except page errors and console arguments
// that are objects.
import process from 'node:process';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { socketUrl } from '../support/clients/clients.ts';
import { failedRows, type Rows } from '../support/clients/row-results.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('Puppeteer behind the shield', { timeoutMs: 120_000 });
/** Cross-site frames run in separate processes and therefore have their own sessions. */
const launch = JSON.stringify({ stealth: true, args: ['--site-per-process'] });
let service: Service;
let site: Site;

test.before(async () => {
  site = await startSite();
  service = await startService({ env: { SPARES: '0', TIMEOUT: '120000' } });
});
test.after(() => stopAll(service, site));

interface Client {
  browser: Browser;
  page: Page;
}

const next = <T>(listen: (done: (value: T) => void) => unknown): Promise<T> =>
  new Promise((resolve) => void listen(resolve));
const html = (body: string) => `data:text/html,${encodeURIComponent(body)}`;
const frameAt = (page: Page, url: string) =>
  until('the frame', () => page.frames().find((frame) => frame !== page.mainFrame() && frame.url().startsWith(url)));

const rows: Rows<Client> = {
  async 'goto, title, content, screenshot'({ page }) {
    const response = await page.goto(`${site.url}/small`);
    assert.is(response?.status(), 200);
    assert.is(await page.title(), 'Small');
    assert.match(await page.content(), '<h1>');
    assert.ok((await page.screenshot()).length > 1_000);
  },
  async 'evaluate and handles'({ page }) {
    await page.goto(`${site.url}/small`);
    const handle = await page.evaluateHandle('({ list: [1, { two: 2 }] })');
    assert.equal(await handle.jsonValue(), { list: [1, { two: 2 }] });
    assert.is(await page.$eval('h1', (heading) => heading.textContent), 'Small');
    const failed = await page.evaluate('null.nothing').catch((error: unknown) => error);
    assert.match(String(failed), 'TypeError');
  },
  async 'clicks in same-site and cross-site frames'({ page }) {
    await page.goto(`${site.url}/frames`);
    for (const url of [site.url, site.otherUrl]) {
      const frame = await frameAt(page, `${url}/small`);
      await frame.evaluate('document.querySelector("h1").onclick = () => (window.clicked = true), undefined');
      await frame.click('h1');
      assert.is(await frame.evaluate('window.clicked'), true, `the frame of ${url} was not clicked`);
    }
  },
  async 'mouse presses have a pressure'({ page }) {
    await page.setContent('<button onpointerdown="window.pressure = event.pressure">Go</button>');
    await page.click('button');
    assert.is(await page.evaluate('window.pressure > 0'), true);
  },
  async 'console text'({ page }) {
    const message = next<{ text(): string; type(): string }>((done) => page.once('console', done));
    await page.goto(html('<script>console.warn("said", 42)</script>'));
    assert.is((await message).text(), 'said 42');
    assert.is((await message).type(), 'warn');
  },
  async 'console objects'({ page }) {
    const message = next<{ args(): { jsonValue(): Promise<unknown> }[] }>((done) => page.once('console', done));
    await page.evaluate('console.log({ a: 1 })');
    assert.equal(await (await message).args()[0]?.jsonValue(), { a: 1 });
  },
  async pageerror({ page }) {
    const error = next<unknown>((done) => page.once('pageerror', done));
    await page.evaluate('void setTimeout(() => { throw new Error("mine") })');
    assert.match(String(await error), 'mine');
  },
  async 'exposeFunction, after a reload and from the first script of a page'({ page }) {
    await page.exposeFunction('double', (value: number) => value * 2);
    assert.is(await page.evaluate('double(21)'), 42);
    await page.goto(`${site.url}/small`);
    await page.reload();
    assert.is(await page.evaluate('double(4)'), 8);
    await page.goto(html('<script>double(3).then((value) => (window.answer = value))</script>'));
    assert.is(
      await page.evaluate(
        'new Promise((done) => { const look = () => window.answer ? done(answer) : setTimeout(look, 5); look(); })',
      ),
      6,
    );
  },
  async evaluateOnNewDocument({ page }) {
    await page.evaluateOnNewDocument('window.begun = "before the page"');
    await page.goto(`${site.url}/frames`);
    assert.is(await page.evaluate('window.begun'), 'before the page');
    const other = await frameAt(page, site.otherUrl);
    assert.is(await other.evaluate('window.begun'), 'before the page');
  },
  async 'waitForSelector, waitForFunction'({ page }) {
    await page.goto(`${site.url}/late`);
    await page.waitForSelector('.late');
    await page.waitForFunction('window.arrived === "yes"');
  },
  async 'history and reload'({ page }) {
    await page.goto(`${site.url}/small`);
    await page.goto(`${site.otherUrl}/frames`);
    await page.goBack();
    assert.is(await page.title(), 'Small');
    await page.goForward();
    await page.reload();
    assert.is(await page.title(), 'Frames');
  },
  async workers({ page }) {
    await page.goto(`${site.url}/small`);
    const created = next<{ evaluate(code: string): Promise<unknown> }>((done) => page.once('workercreated', done));
    await page.evaluate('window.worker = new Worker("data:text/javascript,self.answer = 42"), undefined');
    const worker = await created;
    await until("the worker's script", async () => (await worker.evaluate('self.answer')) === 42);
  },
  async popup({ page }) {
    await page.goto(`${site.url}/small`);
    const opened = next<Page | null>((done) => page.once('popup', done));
    await page.evaluate(`void window.open('${site.url}/frames')`);
    const popup = await opened;
    await popup?.waitForSelector('h1');
    assert.is(await popup?.title(), 'Frames');
    await popup?.close();
  },
  async 'setContent, inserted frames'({ page }) {
    await page.setContent('<p>here</p>');
    assert.is(await page.evaluate('document.querySelector("p").textContent'), 'here');
    await page.evaluate(`for (const set of [{}, { srcdoc: '<b>inner</b>' }, { name: 'far', src: 'about:blank' }])
      document.body.append(Object.assign(document.createElement('iframe'), set))`);
    const inner = await frameAt(page, 'about:srcdoc');
    assert.is(await inner.evaluate('document.body.textContent'), 'inner');
    for (const frame of page.frames()) assert.is(await frame.evaluate('1 + 1'), 2);
  },
  async 'aria, text and nested selectors'({ page }) {
    await page.setContent('<button id="go">Go <b>now</b></button>');
    assert.ok(await page.waitForSelector('::-p-aria(Go now)'));
    assert.ok(await page.$('::-p-text(now)'));
    assert.ok(await page.waitForSelector('button >>> b'));
  },
  async 'a destroyed context rejects running evaluations'({ page }) {
    await page.goto(`${site.url}/small`);
    const running = page.evaluate('new Promise(() => {})').catch((error: unknown) => error);
    await page.goto(`${site.otherUrl}/small`);
    assert.match(String(await running), /context|navigat|destroyed/i);
    assert.is(await page.evaluate('location.href'), `${site.otherUrl}/small`);
  },
  async 'dialogs during load and later'({ page }) {
    page.on('dialog', (dialog) => void dialog.accept('an answer'));
    await page.goto(html('<script>window.first = prompt("a question")</script>'));
    assert.is(await page.evaluate('window.first'), 'an answer');
    assert.is(await page.evaluate('prompt("another")'), 'an answer');
  },
  async 'two pages, one in a new context'({ browser, page }) {
    const context = await browser.createBrowserContext();
    const other = await context.newPage();
    await Promise.all([page.goto(`${site.url}/small`), other.goto(`${site.otherUrl}/small`)]);
    assert.equal(await Promise.all([page.title(), other.title()]), ['Small', 'Small']);
    await context.close();
  },
};

for (const name of ['puppeteer-core-24', 'puppeteer-core']) {
  for (const shield of [false, true]) {
    // Local runs test all versions without the shield; in CI one is enough to show that nothing else makes the
    // difference.
    if (process.env['CI'] === 'true' && !shield && name !== 'puppeteer-core') continue;
    test(`${name}, shield=${shield}`, async () => {
      // The package name is dynamic, so the newest version's types are used for all versions.
      const library: { default: Pick<typeof puppeteer, 'connect'> } = await import(name);
      const browserWSEndpoint = socketUrl(service, '/', { launch, shield });
      const browser = await library.default.connect({ browserWSEndpoint, protocolTimeout: 60_000 });
      const open = async () => ({ browser, page: await browser.newPage() });
      const failed = await failedRows(rows, open);
      await browser.close();
      const lost = shield ? ['console objects', 'pageerror'] : ['mouse presses have a pressure'];
      assert.equal([...failed.keys()], lost, JSON.stringify([...failed], undefined, 1));
    });
  }
}
