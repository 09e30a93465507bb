// A reader's actions in a real Chromium: soft navigation, token, colors, tabs, search, menus, drawer, Run, keyboard.
// The file is long because all its tests share one server and one browser.
// @tier ci
import * as assert from 'uvu/assert';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { closeRunner, editor, write } from '../support/checks/run-panel.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';

const test = suite('reader of the documentation', { timeoutMs: 180_000 });
let service: Service;
let site: Site;
let reader: Reader;
const rest = '/rest-apis/pdf-api';

test.before(async () => {
  await builtDocs();
  site = await startSite();
  service = await startService({ env: { ALLOW_GET: 'true' } });
  reader = await startReader();
});
test.after(() => stopAll(reader, service, site));

interface Visit {
  page: Page;
  /** URLs requested so far. */
  requests: string[];
  /** Console errors and uncaught errors so far. */
  problems: string[];
}

async function visit(path: string, options?: Parameters<Reader['open']>[0]): Promise<Visit> {
  const page = await reader.open(options);
  const [requests, problems]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(service.url + path, { waitUntil: 'load' });
  return { page, requests, problems };
}

/** The result of a script for the first element that matches a selector, available as `element`. */
async function evaluateOn(page: Page, selector: string, script: string): Promise<unknown> {
  return page.evaluate(`{ const element = document.querySelector(${JSON.stringify(selector)}); ${script} }`);
}

const textOf = async (page: Page, selector: string) => String(await evaluateOn(page, selector, 'element.textContent'));
const wait = (page: Page, script: string) => page.waitForFunction(script);

test('a text page requests at most six files, all from this server, without errors', async () => {
  const { page, requests, problems } = await visit(rest);
  await page.waitForNetworkIdle();
  assert.ok(requests.length <= 6, requests.join('\n'));
  assert.equal(
    requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:')),
    [],
  );
  assert.equal(problems, []);
  assert.is(await page.evaluate('document.documentElement.dataset.ready'), '');
});

test('a click changes the page without loading a document; Back restores the scroll position', async () => {
  const { page, requests, problems } = await visit(rest);
  await page.evaluate('window.stays = true; scrollTo(0, 700)');
  await evaluateOn(page, '#docs-sidebar a[href="/rest-apis/scrape"]', 'element.click()');
  await wait(page, `document.querySelector('article')?.dataset.path === '/rest-apis/scrape'`);
  assert.is(await page.evaluate('window.stays'), true);
  assert.match(await page.title(), '/scrape');
  assert.is(new URL(page.url()).pathname, '/rest-apis/scrape');
  assert.is(await textOf(page, '#docs-sidebar [aria-current=page]'), '/scrape');
  assert.is(await page.evaluate('scrollY'), 0);
  assert.is(await page.evaluate('document.activeElement.id'), 'docs-top');
  assert.match(await textOf(page, '#docs-announcer'), '/scrape');
  await page.goBack();
  await wait(page, `document.querySelector('article')?.dataset.path === '${rest}'`);
  await wait(page, 'scrollY === 700');
  // Another guide has its own sidebar and menu label.
  await page.evaluate(`document.querySelector('[data-dropdown=guides] a[href^="/enterprise"]').click()`);
  await wait(page, `document.querySelector('#docs-sidebar').dataset.sidebar === 'enterprise'`);
  assert.is(await textOf(page, '[data-dropdown=guides] [data-face]'), 'Enterprise');
  assert.is(requests.filter((url) => new URL(url).pathname === '/rest-apis/scrape').length, 0);
  assert.equal(problems, []);
});

test('page views are reported once per page, /open-api by its title', async () => {
  const { page } = await visit(rest);
  await page.evaluate(
    `window.views = []; document.addEventListener('docs:page-view', (e) => window.views.push(e.detail.title))`,
  );
  await page.evaluate(`document.querySelector('.footer a[href="/open-api"]').click()`);
  await wait(page, 'window.views.length === 1');
  assert.equal(await page.evaluate('window.views'), ['Open API']);
});

test('the token is saved with a brief confirmation, filled into the samples of every page, and removed', async () => {
  const { page } = await visit('/');
  assert.match(await textOf(page, 'article code.language-sh'), 'YOUR_TOKEN');
  assert.match(await textOf(page, 'article code.language-sh'), service.url);
  await page.type('#docs-token', 'my-token');
  await page.keyboard.press('Enter');
  await wait(page, `document.querySelector('.navbar output').textContent === 'API token saved successfully!'`);
  assert.match(await textOf(page, 'article code.language-sh'), 'token=my-token');
  await wait(page, `document.querySelector('.navbar output').textContent === ''`);
  await page.reload();
  assert.match(await textOf(page, 'article code.language-sh'), 'token=my-token');
  assert.is(await evaluateOn(page, '#docs-token', `element.getAttribute("type")`), 'password');
  await evaluateOn(page, '#docs-token', `element.value = ''`);
  await page.click('.navbar [data-token-box] [type=submit]');
  await wait(page, `document.querySelector('.navbar output').textContent === 'API token removed'`);
  assert.is(await page.evaluate(`localStorage.getItem('docs-api-token')`), null);
});

test('the color mode cycles through light, dark and system, applies early, and follows the system', async () => {
  const { page } = await visit(rest);
  const root = (name: string) => page.evaluate(`document.documentElement.dataset.${name}`);
  assert.is(await root('theme'), 'light');
  await page.click('[data-theme-toggle]');
  assert.is(await root('theme'), 'dark');
  assert.is(await page.evaluate(`localStorage.getItem('docs-theme')`), 'dark');
  await page.setRequestInterception(true);
  page.on('request', (request) => void (/\/main\./.test(request.url()) ? request.abort() : request.continue()));
  await page.reload();
  assert.is(await root('theme'), 'dark');
  page.removeAllListeners('request');
  await page.setRequestInterception(false);
  await page.reload();
  await page.click('[data-theme-toggle]');
  assert.is(await root('themeChoice'), 'system');
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await wait(page, `document.documentElement.dataset.theme === 'dark'`);
  await page.click('[data-theme-toggle]');
  assert.is(await root('themeChoice'), 'light');
});

test('a chosen tab is selected everywhere and remembered; arrow keys move between tabs', async () => {
  const { page } = await visit(rest);
  await page.click('[role=tab][data-tab=javascript]');
  assert.is(
    await page.evaluate(
      `[...document.querySelectorAll('[data-panel=curl]')].filter((each) => each.offsetParent !== null).length`,
    ),
    0,
  );
  await page.goto(`${service.url}/rest-apis/scrape`);
  await page.waitForSelector('.tabs.ready [data-tab=javascript][aria-selected=true]');
  await page.focus('[role=tab][data-tab=javascript]');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.tabs.ready [data-tab=curl][aria-selected=true]');
});

test('suggestions: typing, keyboard selection, highlighted matches on the page, and no results', async () => {
  const { page, problems } = await visit('/');
  await page.keyboard.press('/');
  assert.is(await page.evaluate('document.activeElement.id'), 'docs-search');
  await page.type('#docs-search', 'pdf margin');
  await wait(page, `document.querySelectorAll('.suggestions [role=option]').length > 1`);
  const options = await page.$$('.suggestions [role=option]');
  assert.ok(options.length >= 2 && options.length <= 9, String(options.length));
  assert.ok((await page.$$('.suggestions mark')).length > 0);
  await page.keyboard.press('ArrowDown');
  assert.match(String(await evaluateOn(page, '#docs-search', `element.getAttribute('aria-activedescendant')`)), '-1');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForSelector('mark.found');
  assert.match(page.url(), '_highlight=pdf');
  await evaluateOn(page, '#docs-search', `element.value = ''`);
  await page.type('#docs-search', 'xyzzyplugh');
  await page.waitForSelector('.suggestions .none');
  assert.is(await textOf(page, '.suggestions .none'), 'No results');
  await page.keyboard.press('Escape');
  assert.is(await evaluateOn(page, '.suggestions', `element.hidden`), true);
  assert.equal(problems, []);
});

test('the search page follows typing; without JavaScript, the server renders the results', async () => {
  const { page } = await visit('/search?q=timeout');
  assert.match(await textOf(page, '#search-results'), 'documents found');
  // Text typed while the search script is loading.
  const held = Promise.withResolvers<HTTPRequest>();
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (request.url().includes('/search-box.')) held.resolve(request);
    else void request.continue();
  });
  await page.focus('#search-page');
  await page.keyboard.press('End');
  await page.keyboard.type(' sessions');
  await (await held.promise).continue();
  await wait(page, `document.querySelector('h1').textContent.includes('timeout sessions')`);
  const plain = await visit('/search', { script: false });
  await plain.page.type('#search-page', 'docker token');
  await Promise.all([plain.page.waitForNavigation(), plain.page.keyboard.press('Enter')]);
  assert.match(await textOf(plain.page, 'h1'), 'docker token');
  assert.ok((await plain.page.$$('.result')).length > 0);
});

test('pages without JavaScript show everything: all panels, the sidebar, no dead buttons', async () => {
  const { page } = await visit(rest, { script: false });
  assert.is(
    await page.evaluate(
      `[...document.querySelectorAll('[role=tabpanel]')].every((each) => each.offsetParent !== null)`,
    ),
    true,
  );
  assert.is(
    await page.evaluate(
      `[...document.querySelectorAll('.needs-script')].filter((each) => each.getClientRects().length > 0).length`,
    ),
    0,
  );
});

test('menus open by keyboard and close on Escape; the skip link leads to the text', async () => {
  const { page } = await visit(rest);
  await page.keyboard.press('Tab');
  assert.is(await page.evaluate('document.activeElement.className'), 'skip');
  await page.keyboard.press('Enter');
  assert.is(await page.evaluate('document.activeElement.id'), 'docs-main');
  await page.focus('[data-dropdown=guides] button');
  await page.keyboard.press('Enter');
  assert.is(await evaluateOn(page, '[data-dropdown=guides] button', `element.getAttribute("aria-expanded")`), 'true');
  await page.keyboard.press('ArrowDown');
  assert.is(await page.evaluate(`document.activeElement.closest('[data-dropdown]')?.dataset.dropdown`), 'guides');
  await page.keyboard.press('Escape');
  assert.is(await evaluateOn(page, '[data-dropdown=guides] button', `element.getAttribute("aria-expanded")`), 'false');
});

test('the drawer opens with the page tree; Escape, the Back button, a wide window and a link close it', async () => {
  const { page } = await visit(rest, { width: 400, height: 800 });
  const open = async () => {
    await page.click('[data-drawer-open]');
    await wait(page, `!document.querySelector('#docs-drawer').hidden`);
  };
  const closed = () => wait(page, `document.querySelector('#docs-drawer').hidden`);
  await open();
  assert.is(await evaluateOn(page, '.frame', `element.inert`), true);
  assert.ok(await evaluateOn(page, '[data-drawer-sidebar] a', `element.offsetParent !== null`));
  await page.keyboard.press('Escape');
  await closed();
  assert.is(await page.evaluate('document.activeElement.hasAttribute("data-drawer-open")'), true);
  await open();
  await page.goBack();
  await closed();
  assert.is(new URL(page.url()).pathname, rest);
  await open();
  await page.setViewport({ width: 1_200, height: 800 });
  await closed();
  await page.setViewport({ width: 400, height: 800 });
  await open();
  await evaluateOn(page, '[data-drawer-sidebar] a[href="/rest-apis/scrape"]', 'element.click()');
  await wait(page, `document.querySelector('article')?.dataset.path === '/rest-apis/scrape'`);
  await closed();
});

test('Run sends the sample to this server and shows the response: an image, HTML in a sandboxed frame', async () => {
  const { page, problems } = await visit('/open-api/rest-apis');
  const run = async (operation: string, body: object) => {
    await evaluateOn(page, `[data-operation^="${operation}"] [data-run]`, 'element.click()');
    await page.waitForSelector(editor);
    await write(page, JSON.stringify(body));
    // The sample runs automatically first.
    await page.waitForSelector('.run .run-button.primary');
    await evaluateOn(page, '.run .primary', 'element.click()');
    await wait(page, `document.querySelector('.run-status')?.textContent.startsWith('200')`);
  };
  await run('POST /screenshot', { url: `${site.url}/` });
  await page.waitForSelector('.run img[src^="blob:"]');
  await closeRunner(page);
  await wait(page, `document.querySelector('.run') === null`);
  await run('POST /content', { html: '<h1>ours</h1><script>parent.document.title = "stolen"</script>' });
  const frame = await page.waitForSelector('.run iframe');
  assert.is(await frame?.evaluate((element) => element.getAttribute('sandbox')), '');
  assert.not.match(await page.title(), 'stolen');
  // Aborted and blocked requests are reported in the console; nothing else may fail.
  assert.equal(
    problems.filter((text) => !/Failed to load resource|Blocked script execution/.test(text)),
    [],
  );
});

test('the reference filter shows operations that contain every word with their count, and links clear it', async () => {
  const { page, problems } = await visit('/open-api');
  const shown = () =>
    page.evaluate(
      `[...document.querySelectorAll('[data-operation]')].filter((each) => each.offsetParent !== null).length`,
    );
  const count = () => textOf(page, '.operation-filter output');
  const top = () => evaluateOn(page, '#operation-filter', 'element.getBoundingClientRect().top + scrollY');
  const [every, place] = [Number(await shown()), await top()];
  assert.is(await count(), `${every} of ${every} operations`);
  await page.focus('#operation-filter');
  await page.keyboard.type('/PDF');
  await wait(page, `!document.querySelector('.operation-filter output').textContent.startsWith('${every} ')`);
  const few = Number(await shown());
  assert.ok(few > 0 && few < every, String(few));
  assert.is(await count(), `${few} of ${every} operations`);
  assert.is(await evaluateOn(page, '#post-pdf', 'element.offsetParent !== null'), true);
  assert.is(await evaluateOn(page, '#management-apis', 'element.offsetParent === null'), true);
  assert.is(await top(), place);
  await page.keyboard.type(' xyzzy');
  await wait(page, `document.querySelector('.operation-filter output').textContent === 'No matching operations'`);
  assert.is(await shown(), 0);
  assert.is(await top(), place);
  await page.keyboard.press('Escape');
  await wait(page, `document.querySelector('.operation-filter output').textContent.startsWith('${every} ')`);
  assert.is(await shown(), every);
  // A link to a hidden operation reveals it.
  await page.keyboard.type('pdf');
  await wait(page, `document.querySelector('#management-apis').offsetParent === null`);
  await page.evaluate(`{
    const link = document.createElement('a');
    link.href = '#management-apis';
    document.querySelector('article').append(link);
    link.click();
  }`);
  await wait(page, `document.querySelector('#management-apis').offsetParent !== null`);
  assert.is(await evaluateOn(page, '#operation-filter', 'element.value'), '');
  assert.equal(problems, []);
  const plain = await visit('/open-api', { script: false });
  assert.is(await evaluateOn(plain.page, '.operation-filter', 'element.getClientRects().length'), 0);
});

test('responses from the service cannot read the token that the reader saved', async () => {
  const { page } = await visit('/');
  await page.evaluate(`localStorage.setItem('docs-api-token', 'secret-of-the-reader')`);
  const html = `<title>untouched</title><script>document.title = localStorage.getItem('docs-api-token')</script>`;
  // A form cannot send JSON, but a link can use a GET with the body in the query, if the operator enables it.
  const reply = await page.goto(`${service.url}/content?body=${encodeURIComponent(JSON.stringify({ html }))}`);
  assert.is(reply?.status(), 200);
  assert.match(reply?.headers()['content-security-policy'] ?? '', 'sandbox');
  assert.not.match(await page.title(), 'secret-of-the-reader');
});

test('islands hydrate without errors', async () => {
  const { page, problems } = await visit('/overview/connection-urls');
  await page.waitForSelector('[data-island]');
  await evaluateOn(page, '[data-island]', 'element.scrollIntoView()');
  await page.waitForSelector('[data-island][data-state=loaded]');
  // The island is loaded before the operations of the server are.
  await wait(page, `document.querySelector('.builder-url code')?.textContent.includes(location.host)`);
  assert.equal(problems, []);
});
