// The BrowserQL runner of the schema pages, in a real Chromium against a real server: which files load when,
// completion, responses, errors, keyboard, and how the page works without the editor and without scripts.
// @tier ci
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { answered, editor, openRunner, press, problemsOf, textOf, write } from '../support/checks/run-panel.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';

const test = suite('runner of BrowserQL', { timeoutMs: 180_000 });
const path = '/bql-schema/operations/mutations/content';
/** Class or tag name of the focused element; the editor is represented by its host. */
const active = 'document.activeElement.className || document.activeElement.tagName';
let service: Service;
let site: Site;
let reader: Reader;

test.before(async () => {
  await builtDocs();
  site = await startSite();
  service = await startService({ env: { TOKEN: 'of-the-reader' } });
  reader = await startReader();
});
test.after(() => stopAll(reader, service, site));

interface Visit {
  page: Page;
  requests: string[];
  /** Console errors and uncaught errors. */
  problems: string[];
}

async function visit(): Promise<Visit> {
  const page = await reader.open();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const problems = problemsOf(page);
  await page.evaluateOnNewDocument(`localStorage.setItem('docs-api-token', 'of-the-reader')`);
  await page.goto(service.url + path, { waitUntil: 'load' });
  return { page, requests, problems };
}

test('the editor loads on use, from this server, with the example of the page; Run shows the response', async () => {
  const { page, requests, problems } = await visit();
  const early = requests.filter((url) => /bql-editor|request-editor|schema\.graphql/.test(url));
  assert.equal(early, [], 'nothing is loaded until the editor is used');
  await openRunner(page);
  assert.match(await textOf(page, editor), 'content(html: "<h1>Hello</h1>")');
  // The example loads a page on the internet; this part of it works offline.
  await write(page, 'mutation { content(html: "<h1>Hello</h1>") { status } title { title } }');
  await page.evaluate(`document.querySelector('.run .primary').click()`);
  await answered(page, '"title": {');
  assert.match(await textOf(page, '.run-status'), /^200 ·/);
  assert.is(await page.$('.run-errors'), null);
  assert.equal(
    requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:')),
    [],
  );
  assert.equal(problems, []);
});

test('completion suggests operations and fields from the schema and inserts the chosen one', async () => {
  const { page, problems } = await visit();
  await openRunner(page);
  await write(page, 'mutation { userA');
  await page.keyboard.type('g');
  const options = '.bql-editor >>> .cm-tooltip-autocomplete li';
  await page.waitForSelector(options);
  assert.ok(
    (await page.$$eval(options, (items) => items.map((item) => item.textContent))).join().includes('userAgent'),
  );
  await page.keyboard.press('Escape');
  await page.waitForSelector(options, { hidden: true });
  assert.is(await page.evaluate(active), 'bql-editor', 'Escape only closes the list');
  await page.keyboard.press('Escape');
  assert.is(await page.evaluate(active), 'run-button primary', 'and then leaves the editor');
  await page.focus(editor);
  await page.keyboard.type('e');
  await page.waitForSelector(options);
  await page.click(options);
  await page.waitForFunction(
    `document.querySelector('.bql-editor').shadowRoot.querySelector('.cm-content').textContent.includes('userAgent')`,
  );
  assert.equal(problems, []);
});

test('errors show their position in the response and the document; variables are checked and sent', async () => {
  const { page } = await visit();
  await openRunner(page);
  await write(page, 'mutation ($html: String!) { content(html: $html) { stat } }');
  await press(page, 'Enter');
  await answered(page, 'Cannot query field');
  assert.match(await textOf(page, '.run-errors'), /^Line 1, column 52: /);
  assert.ok(await page.$('.run-status.bad'));
  await page.waitForSelector('.bql-editor >>> .cm-lintRange-error');

  await write(page, 'mutation ($html: String!) { content(html: $html) { status } text(selector: "h1") { text } }');
  await page.type('.run-variables textarea', '{ "html": ');
  await press(page, 'Enter');
  await answered(page, 'Invalid JSON in the variables');
  await page.type('.run-variables textarea', '"<h1>From a variable</h1>" }');
  await press(page, 'Enter');
  await answered(page, '"text": "From a variable"');
  assert.is(await page.$('.run-errors'), null);
});

test('no keyboard trap: Escape moves to Run, Tab moves on; page shortcuts are off in the editor', async () => {
  const { page } = await visit();
  await openRunner(page);
  await page.focus(editor);
  assert.is(await page.evaluate(active), 'bql-editor');
  await page.keyboard.press('Escape');
  assert.is(await page.evaluate(active), 'run-button primary');
  await page.focus(editor);
  await page.keyboard.press('Tab');
  assert.is(await page.evaluate(active), 'TEXTAREA');
  await write(page, '# a');
  await page.keyboard.type('/b');
  assert.match(await textOf(page, editor), '# a/b');
  assert.is(await page.evaluate(active), 'bql-editor', 'the slash does not open search');
  assert.ok(await page.$(`${editor}[aria-label*="Escape or Tab leaves the editor"]`), 'announced to screen readers');
});

test('if the editor cannot be loaded, a plain field still works', async () => {
  const { page } = await visit();
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (request.url().includes('bql-editor')) void request.abort('connectionreset');
    else void request.continue();
  });
  await page.evaluate(`document.querySelector('[data-run]').click()`);
  await page.waitForFunction(
    `document.querySelector('.run-hint')?.textContent.includes('The editor could not be loaded')`,
  );
  await page.$eval('.run textarea', (element) => {
    element.select();
  });
  await page.type('.run textarea', 'mutation { content(html: "<title>plain</title>") { status } title { title } }');
  await press(page, 'Enter');
  await answered(page, '"title": "plain"');
});

test('without JavaScript, the example is shown as text', async () => {
  const page = await reader.open({ script: false });
  await page.goto(service.url + path);
  assert.match(await textOf(page, 'figure.code[data-language=graphql]:has([data-run]) code'), 'content(html:');
});
