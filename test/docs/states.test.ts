// The documentation's error states, each triggered for real: modules that fail, hang, export nothing or throw,
// a wrong base path, a worker with messages from a foreign origin, responses that cannot be cloned.
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('states of the documentation', { timeoutMs: 180_000 });
let service: Service;
let reader: Reader;
const from = '/rest-apis/pdf-api';
const to = '/rest-apis/scrape';

test.before(async () => {
  await builtDocs();
  service = await startService({ env: { DOCS_SUPPORT_URL: 'https://help.example.org/desk', SPARES: '0' } });
  reader = await startReader();
});
test.after(() => stopAll(reader, service));

type Answer = 'fail' | 'hang' | { status?: number; type?: string; body: string };

/** Opens a page and intercepts its requests for matching URLs; the given responses are used in order. */
async function sabotaged(pattern: RegExp, answers: Answer[], path: string = from): Promise<Page> {
  const page = await reader.open();
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const answer = pattern.test(request.url()) ? answers.shift() : undefined;
    if (answer === undefined) void request.continue();
    else if (answer === 'fail') void request.abort('connectionreset');
    else if (answer !== 'hang') {
      void request.respond({
        status: answer.status ?? 200,
        contentType: answer.type ?? 'text/javascript',
        body: answer.body,
      });
    }
  });
  await page.goto(service.url + path, { waitUntil: 'load' });
  return page;
}

const modulePattern = /\/_docs\/page\/rest-apis\/scrape\.js/;
/** Clicks without moving the pointer, so that nothing is prefetched. */
const follow = (page: Page) => page.evaluate(`document.querySelector('#docs-sidebar a[href="${to}"]').click()`);
/** Like follow(), and waits until the browser has reloaded the document. */
async function followWithReload(page: Page): Promise<void> {
  await page.evaluate('window.stays = true');
  await follow(page);
  await page.waitForFunction(`window.stays === undefined && document.documentElement.dataset.ready === ''`);
}

const shows = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`,
  );

test('if a module cannot be fetched, the browser loads the document instead', async () => {
  const page = await sabotaged(modulePattern, ['fail']);
  await followWithReload(page);
  await shows(page, 'h1', '/scrape');
});

test('if a module fails again, an error box is shown, and Retry loads the page', async () => {
  const page = await sabotaged(modulePattern, ['fail', { status: 500, type: 'text/plain', body: 'broken' }]);
  await followWithReload(page);
  await page.evaluate(`document.querySelector('#docs-sidebar a[href="${from}"]').click()`);
  await shows(page, 'h1', '/pdf');
  await follow(page);
  await shows(page, '.error-box', to);
  assert.match(await page.title(), `Not loaded: ${to}`);
  await page.evaluate(`document.querySelector('.error-box button').click()`);
  await shows(page, 'h1', '/scrape');
  assert.is(await page.$('.error-box'), null);
});

test('a module without a default export shows an error that names the page', async () => {
  const page = await sabotaged(modulePattern, [{ body: 'export const nothing = 1;' }]);
  await follow(page);
  await shows(page, '.error-box', `The page module of ${to} has no default export.`);
});

test('a module with the wrong type is treated like a failed fetch', async () => {
  const page = await sabotaged(modulePattern, [{ type: 'text/html', body: '<h1>no</h1>' }]);
  await followWithReload(page);
  await shows(page, 'h1', '/scrape');
});

test('a page that throws while rendering shows "This page crashed." with all causes, and Try again', async () => {
  const body = `let first = true; const module = { path: '${to}', title: 'T', description: '', noindex: false, face: 'x', sidebar: null,
    get html() { if (first) { first = false; throw new Error('outer', { cause: new Error('inner ?token=geheim') }); }
    return '<div class="content"><article data-path="${to}"><h1>Back again</h1></article></div>'; } };
    export default module;`;
  const page = await sabotaged(modulePattern, [{ body }]);
  await follow(page);
  await shows(page, 'h1', 'This page crashed.');
  assert.is(await page.title(), 'Page Error');
  const text = String(await page.evaluate(`document.querySelector('.crash-message').textContent`));
  assert.is(text, 'outer\n\nCause:\ninner ?token=…');
  await page.evaluate(`document.querySelector('.crash button').click()`);
  await shows(page, 'h1', 'Back again');
});

test('while a module hangs, progress is shown, the old page stays, and other links work', async () => {
  const page = await sabotaged(modulePattern, ['hang']);
  await follow(page);
  await page.waitForSelector('#docs-progress.running');
  await page.waitForSelector('#docs-loading');
  await shows(page, 'h1', '/pdf');
  await page.evaluate(`document.querySelector('#docs-sidebar a[href="/rest-apis/content"]').click()`);
  await shows(page, 'h1', '/content');
  assert.is(await page.$('#docs-loading'), null);
});

test('nothing is prefetched on a metered connection', async () => {
  const page = await reader.open();
  await page.evaluateOnNewDocument(
    `Object.defineProperty(navigator, 'connection', { value: { effectiveType: 'slow-2g', saveData: false } })`,
  );
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(service.url + from, { waitUntil: 'load' });
  await page.hover(`#docs-sidebar a[href="${to}"]`);
  await page.mouse.move(300, 300);
  await page.waitForNetworkIdle();
  assert.not.ok(asked.some((url) => url.includes('/_docs/page/')));
  const other = await reader.open();
  const request = other.waitForRequest((each) => modulePattern.test(each.url()));
  await other.goto(service.url + from, { waitUntil: 'load' });
  await other.hover(`#docs-sidebar a[href="${to}"]`);
  await request;
});

test('a wrong base path shows the required message on the home page', async () => {
  const page = await sabotaged(/\/_docs\/main\./, ['fail'], '/');
  await shows(page, '#base-url-banner', 'Your Docusaurus site did not load properly.');
  await shows(page, '#base-url-banner', 'Current base path: /');
  const good = await reader.open();
  await good.goto(service.url, { waitUntil: 'load' });
  assert.is(await good.$('#base-url-banner'), null);
});

test('search without its index offers one row that leads to the server', async () => {
  const page = await sabotaged(/\/_docs\/search\.[^/]*\.json/, ['fail', 'fail', 'fail', 'fail'], '/');
  await page.focus('#docs-search');
  await page.type('#docs-search', 'p');
  await shows(page, '.suggestions', 'Search on the server');
});

test('the worker warns about a foreign origin and reports a response that cannot be cloned', async () => {
  const page = await reader.open();
  await page.goto(service.url, { waitUntil: 'load' });
  const warned = new Promise<string>((resolve) =>
    page.on('workercreated', (worker) => worker.on('console', (line) => resolve(line.text()))),
  );
  await page.focus('#docs-search');
  const worker =
    page.workers()[0] ??
    (await new Promise<ReturnType<Page['workers']>[number]>((resolve) => page.once('workercreated', resolve)));
  await page.type('#docs-search', 'pdf');
  await page.waitForSelector('.suggestions [role=option]');
  await worker.evaluate(
    `dispatchEvent(new MessageEvent('message', { origin: 'https://evil.example', data: { id: '1', type: 'GET', path: [] } }))`,
  );
  const answer = await worker.evaluate(`new Promise((resolve) => {
    const original = postMessage;
    let first = true;
    globalThis.postMessage = (message, options) => {
      if (first) { first = false; throw new DOMException('could not be cloned', 'DataCloneError'); }
      globalThis.postMessage = original;
      resolve(JSON.stringify(message));
    };
    dispatchEvent(new MessageEvent('message', { origin: '', data: { id: 'x1', type: 'GET', path: ['nothing'] } }));
  })`);
  assert.match(String(answer), 'Unserializable return value');
  assert.match(await warned, /Invalid origin 'https:\/\/evil\.example'/);
});

test.proves('DOCS_SUPPORT_URL');
test('the support panel is only shown for paid subscriptions', async () => {
  const shown = async (cookie: string | undefined) => {
    const page = await reader.open();
    await page.goto(service.url, { waitUntil: 'load' });
    await page.evaluate(
      `document.cookie = ${JSON.stringify(cookie === undefined ? 'x=1' : `subscriptionType=${cookie}`)}`,
    );
    await page.reload({ waitUntil: 'load' });
    return page.evaluate(
      `document.querySelector('#docs-support').hidden ? '' : document.querySelector('#docs-support a').href`,
    );
  };
  for (const cookie of [undefined, '', ' FREE ', '%46ree']) assert.is(await shown(cookie), '', cookie);
  assert.is(await shown('Team'), 'https://help.example.org/desk');
});
