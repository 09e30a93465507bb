// Puppeteer and Playwright's connectOverCDP behind the shield: each row works as it does without the shield, except page
// errors and console arguments that are objects. All clients connect to the browser of one session, one after another.
// @tier ci
import type puppeteer from 'puppeteer-core';
import type { Browser as PuppeteerBrowser, Page as PuppeteerPage } from 'puppeteer-core';
import type { Browser as PlaywrightBrowser, Page as PlaywrightPage } from 'playwright-core';
import * as assert from 'uvu/assert';
import { loadPlaywright } from '../../src/sessions/playwright/versions.ts';
import { succeeded } from '../support/checks/expect.ts';
import { socketUrl } from '../support/clients/clients.ts';
import { version } from '../support/clients/playwright.ts';
import { failedRows, type Rows } from '../support/clients/row-results.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('clients behind the shield', { env: { SPARES: '0', TIMEOUT: '120000' } });
/** The path of the session's socket. */
let path: string;

test.before(async () => {
  // Cross-site frames run in separate processes and therefore have their own sessions.
  const body = { stealth: true, args: ['--site-per-process'], processKeepAlive: 60_000, ttl: 3_600_000 };
  path = new URL(succeeded(await fixture.service.post('/session', body)).json<{ connect: string }>().connect).pathname;
});

interface Frame {
  url(): string;
  evaluate(code: string): Promise<unknown>;
  click(selector: string): Promise<void>;
}

/** What the pages of both libraries have in common. */
interface Page {
  goto(url: string): Promise<{ status(): number } | null>;
  goBack(): Promise<unknown>;
  goForward(): Promise<unknown>;
  reload(): Promise<unknown>;
  title(): Promise<string>;
  content(): Promise<string>;
  setContent(html: string): Promise<unknown>;
  screenshot(): Promise<Uint8Array>;
  evaluate(code: string): Promise<unknown>;
  evaluateHandle(code: string): Promise<{ jsonValue(): Promise<unknown> }>;
  frames(): Frame[];
  mainFrame(): Frame;
  exposeFunction(name: string, body: (value: number) => number): Promise<unknown>;
  waitForSelector(selector: string): Promise<unknown>;
  waitForFunction(code: string): Promise<unknown>;
  close(): Promise<void>;
}

interface Client {
  page: Page;
  /** Resolves with the page's next event of this name. */
  next<T>(event: string): Promise<T>;
  /** The name of the event of a new worker. */
  worker: string;
  acceptDialogs(answer: string): void;
  addInitScript(code: string): Promise<unknown>;
  newContext(): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>;
  /** Finds elements with the selectors of the library. */
  select(): Promise<void>;
  /** Closes the page and leaves the browser. */
  leave(): Promise<void>;
}

const html = (body: string) => `data:text/html,${encodeURIComponent(body)}`;
const frameAt = (page: Page, url: string) =>
  until('the frame', () => page.frames().find((frame) => frame !== page.mainFrame() && frame.url().startsWith(url)));

/** The first row finds a new page; the others continue with what is left of it. */
const rows: Rows<Client> = {
  async 'exposeFunction, after a reload and from the first script of a page'({ page }) {
    await page.exposeFunction('double', (value: number) => value * 2);
    assert.is(await page.evaluate('double(21)'), 42);
    await page.goto(`${fixture.site.url}/small`);
    await page.reload();
    assert.is(await page.evaluate('double(4)'), 8);
    await page.goto(html('<script>double(3).then((value) => (window.answer = value))</script>'));
    await until('the answer', async () => (await page.evaluate('window.answer')) === 6);
  },
  async 'goto, title, content, screenshot'({ page }) {
    const response = await page.goto(`${fixture.site.url}/small`);
    assert.is(response?.status(), 200);
    assert.is(await page.title(), 'Small');
    assert.match(await page.content(), '<h1>');
    assert.ok((await page.screenshot()).length > 1_000);
  },
  async 'evaluate and handles'({ page }) {
    const handle = await page.evaluateHandle('({ list: [1, { two: 2 }] })');
    assert.equal(await handle.jsonValue(), { list: [1, { two: 2 }] });
    const failed = await page.evaluate('null.nothing').catch((error: unknown) => error);
    assert.match(String(failed), 'TypeError');
  },
  async 'clicks in same-site and cross-site frames'({ page }) {
    await page.goto(`${fixture.site.url}/frames`);
    for (const url of [fixture.site.url, fixture.site.otherUrl]) {
      const frame = await frameAt(page, `${url}/small`);
      await frame.evaluate('document.querySelector("h1").onclick = () => (window.clicked = true), undefined');
      await frame.click('h1');
      assert.is(await frame.evaluate('window.clicked'), true, `the frame of ${url} was not clicked`);
    }
  },
  async 'console text'({ page, next }) {
    const message = next<{ text(): string; type(): string }>('console');
    await page.goto(html('<script>console.warn("said", 42)</script>'));
    assert.is((await message).text(), 'said 42');
    assert.match((await message).type(), /^warn(?:ing)?$/);
  },
  async 'console objects'({ page, next }) {
    const message = next<{ args(): { jsonValue(): Promise<unknown> }[] }>('console');
    await page.evaluate('console.log({ a: 1 })');
    assert.equal(await (await message).args()[0]?.jsonValue(), { a: 1 });
  },
  async pageerror({ page, next }) {
    const error = next<unknown>('pageerror');
    await page.evaluate('void setTimeout(() => { throw new Error("mine") })');
    assert.match(String(await error), 'mine');
  },
  async 'scripts for new documents'({ page, addInitScript }) {
    await addInitScript('window.begun = "before the page"');
    await page.goto(`${fixture.site.url}/frames`);
    assert.is(await page.evaluate('window.begun'), 'before the page');
    const other = await frameAt(page, fixture.site.otherUrl);
    assert.is(await other.evaluate('window.begun'), 'before the page');
  },
  async 'waitForSelector, waitForFunction'({ page }) {
    await page.goto(`${fixture.site.url}/late`);
    await page.waitForSelector('.late');
    await page.waitForFunction('window.arrived === "yes"');
  },
  async 'history and reload'({ page }) {
    await page.goto(`${fixture.site.url}/small`);
    await page.goto(`${fixture.site.otherUrl}/frames`);
    await page.goBack();
    assert.is(await page.title(), 'Small');
    await page.goForward();
    await page.reload();
    assert.is(await page.title(), 'Frames');
  },
  async workers({ page, next, worker }) {
    const created = next<{ evaluate(code: string): Promise<unknown> }>(worker);
    await page.evaluate('window.worker = new Worker("data:text/javascript,self.answer = 42"), undefined');
    const started = await created;
    await until("the worker's script", async () => (await started.evaluate('self.answer')) === 42);
  },
  async popup({ page, next }) {
    const opened = next<Page>('popup');
    await page.evaluate(`void window.open('${fixture.site.url}/frames')`);
    const popup = await opened;
    await popup.waitForSelector('h1');
    assert.is(await popup.title(), 'Frames');
    await popup.close();
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
  async 'selectors of the library'({ page, select }) {
    await page.setContent('<button id="go">Go <b>now</b></button>');
    await select();
  },
  async 'a destroyed context rejects running evaluations'({ page }) {
    await page.goto(`${fixture.site.url}/small`);
    const running = page.evaluate('new Promise(() => {})').catch((error: unknown) => error);
    await page.goto(`${fixture.site.otherUrl}/small`);
    assert.match(String(await running), /context|navigat|destroyed/i);
    assert.is(await page.evaluate('location.href'), `${fixture.site.otherUrl}/small`);
  },
  async 'dialogs during load and later'({ page, acceptDialogs }) {
    acceptDialogs('an answer');
    await page.goto(html('<script>window.first = prompt("a question")</script>'));
    assert.is(await page.evaluate('window.first'), 'an answer');
    assert.is(await page.evaluate('prompt("another")'), 'an answer');
  },
  async 'two pages, one in a new context'({ page, newContext }) {
    const context = await newContext();
    const other = await context.newPage();
    await Promise.all([page.goto(`${fixture.site.url}/small`), other.goto(`${fixture.site.otherUrl}/small`)]);
    assert.equal(await Promise.all([page.title(), other.title()]), ['Small', 'Small']);
    await context.close();
  },
};

/** What Puppeteer does only behind the shield. */
const ofPuppeteer: Rows<Client> = {
  async 'mouse presses have a pressure'({ page }) {
    await page.setContent('<button onpointerdown="window.pressure = event.pressure">Go</button>');
    await page.mainFrame().click('button');
    assert.is(await page.evaluate('window.pressure > 0'), true);
  },
};

function clientOfPuppeteer(browser: PuppeteerBrowser, page: PuppeteerPage): Client {
  return {
    page,
    next: (event) => new Promise((resolve) => void page.once(event as 'console', resolve as never)),
    worker: 'workercreated',
    acceptDialogs: (answer) => page.on('dialog', (dialog) => void dialog.accept(answer)),
    addInitScript: (code) => page.evaluateOnNewDocument(code),
    newContext: () => browser.createBrowserContext(),
    async select() {
      assert.is(await page.$eval('b', (found) => found.textContent), 'now');
      assert.ok(await page.waitForSelector('::-p-aria(Go now)'));
      assert.ok(await page.$('::-p-text(now)'));
      assert.ok(await page.waitForSelector('button >>> b'));
    },
    async leave() {
      await page.close();
      await browser.disconnect();
    },
  };
}

function clientOfPlaywright(browser: PlaywrightBrowser, page: PlaywrightPage): Client {
  return {
    page,
    next: (event) => new Promise((resolve) => void page.once(event as 'console', resolve as never)),
    worker: 'worker',
    acceptDialogs: (answer) => page.on('dialog', (dialog) => void dialog.accept(answer)),
    addInitScript: (code) => page.addInitScript(code),
    newContext: () => browser.newContext(),
    async select() {
      assert.is(await page.textContent('b'), 'now');
      await page.getByRole('button', { name: 'Go now' }).click();
      assert.is(await page.getByText('now', { exact: true }).count(), 1);
      assert.is(await page.locator('button >> b').textContent(), 'now');
    },
    async leave() {
      await page.close();
      await browser.close();
    },
  };
}

const libraries = ['puppeteer-core-24', 'puppeteer-core', '1.50', '1.57', '1.65'];

/** Connects a library of Puppeteer, or a version of Playwright, and opens a page. */
async function open(library: string, shield: boolean): Promise<Client> {
  const address = socketUrl(fixture.service, path, { shield });
  if (!library.startsWith('puppeteer')) {
    const { chromium } = await loadPlaywright(version(library));
    const browser = await chromium.connectOverCDP(address, { timeout: 60_000 });
    const [context] = browser.contexts();
    if (!context) throw new Error('there is no default context');
    return clientOfPlaywright(browser, await context.newPage());
  }
  // The package name is dynamic, so the newest version's types are used for all versions.
  const { default: own }: { default: Pick<typeof puppeteer, 'connect'> } = await import(library);
  const browser = await own.connect({ browserWSEndpoint: address, protocolTimeout: 60_000 });
  return clientOfPuppeteer(browser, await browser.newPage());
}

const lost = ['console objects', 'pageerror'];

for (const library of libraries) {
  const all = library.startsWith('puppeteer') ? { ...rows, ...ofPuppeteer } : rows;
  // With the newest libraries, what differs behind the shield shows that nothing else makes the difference.
  const different = [...lost, ...Object.keys(ofPuppeteer)];
  const without = Object.fromEntries(Object.entries(all).filter(([name]) => different.includes(name)));
  for (const shield of library === 'puppeteer-core' || library === '1.65' ? [false, true] : [true]) {
    test(
      `${library}, shield=${shield}`,
      async () => {
        const client = await open(library, shield);
        const failed = await failedRows(shield ? all : without, () => Promise.resolve(client));
        await client.leave();
        const expected = shield ? lost : Object.keys(without).filter((name) => name in ofPuppeteer);
        assert.equal([...failed.keys()], expected, JSON.stringify([...failed], undefined, 1));
      },
      { timeoutMs: 240_000 },
    );
  }
}
