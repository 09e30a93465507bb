// The playground, in a real Chromium against a real server: its three request kinds, links that do not run anything
// automatically, responses isolated from this origin, keyboard-only use, small windows, axe in both themes.
// @tier ci
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { violations } from '../support/checks/axe.ts';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { answered, press, problemsOf, textOf, write } from '../support/checks/run-panel.ts';
import { sessionsOf } from '../support/clients/clients.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { darkContrastFaults } from './dark-contrast.ts';

const test = suite('the playground', { timeoutMs: 180_000 });
const token = `of 'the' "reader"`;
const editor = '.play .bql-editor >>> .cm-content';
let service: Service;
let reader: Reader;

test.before(async () => {
  await builtDocs();
  service = await startService({ env: { TOKEN: token, DOCS_ANALYTICS_URL: 'https://stats.example.org/hit' } });
  reader = await startReader();
});
test.after(() => stopAll(reader, service));

interface Visit {
  hash?: string;
  saved?: string;
  width?: number;
}

/** API requests made by pages, by path. */
const calls: string[] = [];

async function visit({ hash = '', saved = token, width = 1_280 }: Visit = {}): Promise<Page> {
  const page = await reader.open({ width, height: 900 });
  calls.length = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST') calls.push(new URL(request.url()).pathname);
  });
  await page.evaluateOnNewDocument(`localStorage.setItem('docs-api-token', ${JSON.stringify(saved)});
    window.told = [];
    navigator.sendBeacon = (url, body) => (told.push(body), true);
    window.copied = '';
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => void (copied = text) } })`);
  await page.goto(`${service.url}/playground?theme=light${hash}`, { waitUntil: 'load' });
  await page.waitForSelector('.play-bench');
  return page;
}

const choose = (page: Page, id: string) => page.evaluate(`document.querySelector('#${id}').click()`);
const runIt = (page: Page) => page.evaluate(`document.querySelector('.play .run-button').click()`);

/** Inserts text into a field as if pasted. */
async function fill(page: Page, selector: string, text: string): Promise<void> {
  await page.focus(selector);
  await press(page, 'a');
  await page.keyboard.sendCharacter(text);
}

async function chooseRoute(page: Page, path: string): Promise<void> {
  await page.select('.play-begin select', path);
  await page.waitForFunction(`document.querySelector('.play-begin select').value === '${path}'`);
}

async function editJson(page: Page, text: string): Promise<void> {
  await choose(page, 'play-part-text');
  await page.waitForSelector(editor);
  await fill(page, editor, text);
}

test('REST: a form with the published fields; an image is displayed, with status, time, type and size', async () => {
  const page = await visit();
  const problems = problemsOf(page);
  await editJson(page, '{"html":"<h1>Made here</h1>"}');
  await choose(page, 'play-part-form');
  assert.is(await page.$eval('.play-field textarea', (field) => field.value), '<h1>Made here</h1>');
  await page.select('.play-adder select', 'bestAttempt');
  await page.evaluate(`document.querySelector('.play-adder button').click()`);
  await page.waitForFunction(`document.querySelectorAll('.play-field').length === 2`);
  // An object starts with its required fields.
  await page.select('.play-adder select', 'viewport');
  await page.evaluate(`document.querySelector('.play-adder button').click()`);
  await page.waitForFunction(`document.querySelectorAll('.play-field').length === 3`);
  await runIt(page);
  await page.waitForFunction(`document.querySelector('.run-media img')?.naturalWidth > 0`);
  assert.match(await textOf(page, '.play .run-status'), /^200 · \d+ ms · image\/png · [\d.]+ (?:kB|bytes) *$/);
  assert.equal(problems, []);
});

test('a number field keeps what is typed, but invalid numbers are not sent', async () => {
  const page = await visit();
  await editJson(page, '{"html":"<p>1</p>","waitForTimeout":5}');
  await choose(page, 'play-part-form');
  await fill(page, '.play-field input[type=number]', '12');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.waitForFunction(`document.querySelector('.play-field .problem:not(:empty)') !== null`);
  await choose(page, 'play-part-text');
  await page.waitForSelector(editor);
  assert.match(await textOf(page, editor), '"waitForTimeout": 1');
});

test('BrowserQL: the browser is shown while it runs; a PDF in the response is shown in a blob frame', async () => {
  const page = await visit();
  await choose(page, 'play-kind-bql');
  await page.waitForSelector(editor);
  await fill(
    page,
    editor,
    'mutation { content(html: "<h1>Bill</h1>") { status } waitForTimeout(time: 1000) { time } pdf { base64 } }',
  );
  await press(page, 'Enter');
  await page.waitForSelector('.run-stage iframe');
  assert.is(await textOf(page, '.play .run-button'), 'Stop');
  await answered(page, 'application/pdf');
  await page.waitForSelector('.json-media iframe[src^="blob:"]');
  assert.is(await page.evaluate(`document.querySelector('.json-media iframe').title`), 'PDF: base64 of the response');
  assert.not.match(await textOf(page, '.json-tree'), /[A-Za-z0-9+/]{200}/);
  await until('the browser to close', async () => (await sessionsOf(service)).length === 0);
});

test('Puppeteer: shows console output while it runs and errors with their line; Stop ends it on the server', async () => {
  const page = await visit();
  await choose(page, 'play-kind-code');
  await page.waitForSelector(editor);
  await fill(
    page,
    editor,
    `export default async ({ page }) => { await page.setContent('<h1>Hi</h1>'); console.log('one line'); return { a: { b: [1, 2] } }; }`,
  );
  await runIt(page);
  await answered(page, '"b"');
  assert.is((await page.$$('.json-tree details')).length, 3, 'the tree');
  await choose(page, 'play-view-console');
  assert.is(await textOf(page, '.play-console'), 'one line');
  await fill(page, editor, `export default async () => {\n  throw new Error('on purpose');\n}`);
  await runIt(page);
  await answered(page, 'on purpose (line 2');
  await fill(page, editor, `export default async () => { console.log('waits'); await new Promise(() => {}); }`);
  await runIt(page);
  await choose(page, 'play-view-console');
  await page.waitForFunction(`document.querySelector('.play-console')?.textContent === 'waits'`);
  await runIt(page);
  await answered(page, 'Stopped.');
  await until('the code to end', async () => (await sessionsOf(service)).length === 0);
});

test('a link fills in a request without running it, and analytics do not receive its contents', async () => {
  const first = await visit();
  await choose(first, 'play-kind-code');
  await first.waitForSelector(editor);
  await fill(first, editor, `export default async () => 'from a link'`);
  await first.evaluate(`document.querySelector('.play-tools button').click()`);
  await first.waitForFunction(`copied !== ''`);
  const link = new URL(String(await first.evaluate('copied')));
  assert.is(link.pathname + link.search, '/playground');
  assert.match(link.hash, /^#v1\.[\w-]+$/);
  const page = await visit({ hash: link.hash });
  await page.waitForSelector(editor);
  await page.waitForFunction(
    `document.querySelector('.play-notice').textContent.startsWith('Filled in from a link, not run')`,
  );
  assert.match(await textOf(page, editor), 'from a link');
  assert.ok(await page.$('#play-kind-code[aria-selected=true]'));
  await page.waitForNetworkIdle({ idleTime: 500 });
  assert.equal(calls, [], 'a request was sent');
  assert.not.match(JSON.stringify(await page.evaluate('told')), link.hash.slice(1));
  assert.is(JSON.parse(JSON.parse(JSON.stringify(await page.evaluate('told')))[0]).url.includes('#'), false);
  await runIt(page);
  await answered(page, 'from a link');
  assert.match(calls.join(), /^\/browser\/[\w-]+\/live,\/function\/[\w-]+$/);
});

test('an invalid link leaves the playground unchanged', async () => {
  const page = await reader.open();
  await page.evaluateOnNewDocument('navigator.sendBeacon = () => true');
  const problems = problemsOf(page);
  for (const hash of ['#v1.', '#v1.!!!!', '#v1.AAAA', '#%E0%A4%A', `#v1.${'A'.repeat(130_000)}`]) {
    // Another fragment of the same document would not load it again.
    await page.goto('about:blank');
    await page.goto(`${service.url}/playground${hash}`, { waitUntil: 'load' });
    await page.waitForSelector('.play-bench');
    assert.ok(await page.$('#play-kind-rest[aria-selected=true]'), hash.slice(0, 12));
    assert.equal(problems, [], hash.slice(0, 12));
  }
});

test('an HTML response cannot run scripts and does not have the origin of this server', async () => {
  const page = await visit();
  await page.evaluate('window.reached = false');
  await chooseRoute(page, '/content');
  await editJson(
    page,
    JSON.stringify({ html: '<h1>Foreign</h1><script>parent.reached = true; top.location = "/status"</script>' }),
  );
  await runIt(page);
  await page.waitForSelector('.run-answer iframe');
  const frame = await page.$eval('.run-answer iframe', (element) => [
    element.getAttribute('sandbox'),
    element.contentDocument === null,
  ]);
  assert.equal(frame, ['', true]);
  assert.is(await page.evaluate('reached'), false);
  assert.match(page.url(), '/playground');
});

test('copied calls contain the token, quoted for their language', async () => {
  const page = await visit();
  await editJson(page, `{"html":"it's"}`);
  const texts: string[] = [];
  for (const language of ['curl', 'node', 'python']) {
    await page.select('.copy-as select', language);
    await page.evaluate(`copied = ''; document.querySelector('.copy-as button').click()`);
    await page.waitForFunction(`copied !== ''`);
    texts.push(String(await page.evaluate('copied')));
  }
  const header = `Bearer ${token}`;
  assert.match(texts[0] ?? '', `-H 'Authorization: ${header.replaceAll("'", `'\\''`)}'`);
  assert.match(texts[0] ?? '', `it'\\''s`);
  for (const text of texts.slice(1)) assert.match(text, JSON.stringify(header));
});

test('a server that requires a token gets it in place, and the request runs again', async () => {
  const page = await visit({ saved: '' });
  await editJson(page, '{"html":"<p>1</p>"}');
  await runIt(page);
  await page.waitForSelector('.run-token input:focus');
  await page.keyboard.sendCharacter(token);
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.querySelector('.run-media img')?.naturalWidth > 0`);
  assert.is(await page.evaluate(`localStorage.getItem('docs-api-token')`), token);
});

test('choosing a kind, editing, running and returning work with the keyboard alone', async () => {
  const page = await visit();
  await page.focus('#play-kind-rest');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForSelector(editor);
  const here = () =>
    page.evaluate(
      `document.activeElement.id || document.activeElement.className || document.activeElement.textContent`,
    );
  const walk: unknown[] = [await here()];
  for (let step = 0; step < 7; step++) {
    await page.keyboard.press('Tab');
    walk.push(await here());
  }
  assert.equal(walk.slice(0, 2), ['play-kind-bql', 'Share']);
  assert.ok(walk.includes('play-part-text') && walk.includes('run-button primary'), walk.join());
  await write(page, 'mutation { content(html: "<title>by keyboard</title>") { status } title { title } }');
  // The first Escape closes a list of completions, if one is open.
  await page.keyboard.press('Escape');
  if ((await here()) === 'bql-editor') await page.keyboard.press('Escape');
  assert.is(await here(), 'run-button primary');
  await page.keyboard.press('Space');
  await answered(page, 'by keyboard');
  assert.is(await here(), 'run-button primary', 'the button lost the focus');
});

test('axe finds no violations in either theme, and a phone does not scroll horizontally', async () => {
  const page = await visit({ width: 360 });
  const check = async (what: string) => {
    await page.evaluate(`document.documentElement.dataset.theme = 'light'`);
    assert.equal(await violations(page, '.play'), [], what);
    assert.equal(await darkContrastFaults(page, '.play'), [], `${what}, dark`);
  };
  for (const kind of ['rest', 'bql', 'code']) {
    await choose(page, `play-kind-${kind}`);
    if (kind !== 'rest') await page.waitForSelector(editor);
    await check(kind);
    const wide = await page.evaluate(`[...document.querySelectorAll('.play *')]
      .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth)
      .map((each) => each.className || each.tagName)`);
    assert.equal(wide, [], kind);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 360, kind);
  }
  await fill(page, editor, `export default async () => ({ list: [1, 'two', null] })`);
  await runIt(page);
  await answered(page, '"two"');
  await check('response');
});

test('an unreachable server is reported, and Run works again when it is back', async () => {
  const page = await visit();
  await editJson(page, '{"html":"<p>1</p>"}');
  await page.setOfflineMode(true);
  // Offline mode takes effect shortly after the browser has responded.
  await page.waitForFunction(`fetch('/healthz').then(() => false, () => true)`);
  await runIt(page);
  await answered(page, 'The server is not responding.');
  await page.setOfflineMode(false);
  await runIt(page);
  await page.waitForFunction(`document.querySelector('.run-media img')?.naturalWidth > 0`);
});
