// The sample runner, in a real Chromium against a real server: where it opens, what it runs, what it shows for each
// kind of response, keyboard-only use, a rejected token, a server that has stopped.
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { violations } from '../support/checks/axe.ts';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { answered, editor, press, problemsOf, textOf, write } from '../support/checks/run-panel.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { darkContrastFaults } from './dark-contrast.ts';

const test = suite('runner of samples', { timeoutMs: 180_000 });
const token = 'of-the-reader';
let service: Service;
let reader: Reader;

test.before(async () => {
  await builtDocs();
  service = await startService({ env: { TOKEN: token } });
  reader = await startReader();
});
test.after(() => stopAll(reader, service));

interface Visit {
  saved?: string;
  width?: number;
}

async function visit(path: string, { saved = token, width = 1_280 }: Visit = {}): Promise<Page> {
  const page = await reader.open({ width, height: 800 });
  await page.evaluateOnNewDocument(`localStorage.setItem('docs-api-token', '${saved}')`);
  await page.goto(`${service.url}${path}?theme=light`, { waitUntil: 'load' });
  return page;
}

/** The last runnable sample on the page, which is below the fold. */
const lastRun = `[...document.querySelectorAll('[data-run]')].findLast((each) => each.checkVisibility())`;

async function run(page: Page, body: object): Promise<void> {
  await page.waitForSelector('.run .run-button.primary');
  await page.waitForSelector(editor);
  const text = JSON.stringify(body);
  await write(page, text);
  // The answer of the first run may be shown until then.
  const ownAnswer = page.waitForResponse((response) => {
    const sent = response.request().postData();
    return sent !== undefined && JSON.stringify(JSON.parse(sent)) === text;
  });
  await press(page, 'Enter');
  await ownAnswer;
  await page.waitForSelector('.run .run-button.primary');
}

test('by keyboard: replaces the sample, runs immediately, takes the focus and returns it', async () => {
  const page = await visit('/rest-apis/screenshot-api');
  const problems = problemsOf(page);
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.evaluate(`${lastRun}.focus()`);
  await page.keyboard.press('Enter');
  assert.match((await sent).url(), '/screenshot');
  await page.waitForFunction(`document.activeElement?.matches('.run')`);
  const place = await page.evaluate(`(() => {
    const host = document.querySelector('.run-host');
    const { top } = host.getBoundingClientRect();
    return [host.previousElementSibling.checkVisibility(), top >= 0 && top < innerHeight];
  })()`);
  assert.equal(place, [false, true]);
  await run(page, { html: '<h1>ours</h1>' });
  await page.waitForFunction(`document.querySelector('.run-media img')?.naturalWidth > 0`);
  const walk: unknown[] = [];
  for (let step = 0; step < 4; step++) {
    await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    await page.keyboard.up('Shift');
    walk.push(await page.evaluate(`document.activeElement.textContent`));
  }
  assert.equal([walk[0], walk[1], walk[3]], ['Run', 'Close', 'Copy as']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.querySelector('.run') === null`);
  assert.is(await page.evaluate(`document.activeElement === ${lastRun}`), true);
  assert.equal(
    problems.filter((text) => !text.includes('Failed to load resource')),
    [],
  );
});

test('a PDF is shown in a blob frame, base64 as an image, JSON as a collapsible tree', async () => {
  const page = await visit('/rest-apis/pdf-api');
  await page.evaluate(`${lastRun}.click()`);
  await run(page, { html: '<h1>Bill</h1>' });
  await page.waitForSelector('.run-media iframe[src^="blob:"]');
  assert.match(await textOf(page, '.run-status'), '200 · ');
  const shots = await visit('/rest-apis/screenshot-api');
  await shots.evaluate(`${lastRun}.click()`);
  await run(shots, { html: '<h1>ours</h1>', options: { encoding: 'base64' } });
  await shots.waitForFunction(`document.querySelector('.run-media img')?.naturalWidth > 0`);
  const scrape = await visit('/rest-apis/scrape');
  await scrape.evaluate(`${lastRun}.click()`);
  await run(scrape, { html: '<p>found</p>', elements: [{ selector: 'p' }] });
  await answered(scrape, '"found"');
  assert.ok((await scrape.$$('.json-tree details[open]')).length > 1);
  await scrape.evaluate(`document.querySelector('.json-tree summary').click()`);
  assert.is(await scrape.$eval('.json-tree details', (element) => element.open), false);
});

test('on a phone: a rejected request asks for the token and runs again; no axe violations', async () => {
  const page = await visit('/rest-apis/screenshot-api', { saved: '', width: 360 });
  await page.evaluate(`${lastRun}.click()`);
  await page.waitForSelector('.run-token input:focus');
  assert.match(await textOf(page, '.run-status'), '401 · ');
  assert.equal(await violations(page, '.run'), []);
  assert.equal(await darkContrastFaults(page, '.run'), [], 'dark');
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 360);
  await page.keyboard.sendCharacter(token);
  await page.keyboard.press('Enter');
  await page.waitForFunction(`!document.querySelector('.run-status')?.textContent.startsWith('401')`);
  assert.is(await page.$('.run-token'), null);
});
