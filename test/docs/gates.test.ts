// Checks whole page templates in a real Chromium: accessibility and contrast in both themes, and with menus and dialogs
// open, no layout shift, every tab in print.
// @tier ci
import * as assert from 'uvu/assert';
import { builtDocs } from '../support/built-docs.ts';
import { violations } from '../support/checks/axe.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { darkContrastFaults } from './dark-contrast.ts';

const test = suite('documentation gates', { timeoutMs: 180_000 });
let service: Service;
let reader: Reader;

test.before(async () => {
  await builtDocs();
  [service, reader] = await Promise.all([startService({ env: { SPARES: '0' } }), startReader()]);
});
test.after(() => stopAll(reader, service));

const templates = [
  '/',
  '/rest-apis/pdf-api',
  '/baas/v1/apis/function',
  '/enterprise/docker/config',
  '/overview/curves',
  '/open-api',
  '/open-api/rest-apis',
  '/bql-schema/operations/mutations/click',
  '/search?q=timeout',
  '/status',
  '/overview/faq',
  '/bql-schema/schema',
  '/no-such-page',
];

/** Leaves thirty entries of each long list: all are the same component. pages.test.ts checks that ids are unique. */
const shorten = `for (const entries of ['[data-operation]', '.field', '#docs-sidebar li', '.toc li'])
  [...document.querySelectorAll(entries)]
    .filter((each) => each.querySelector('[aria-current]') === null)
    .slice(30)
    .forEach((each) => each.remove())`;

for (const path of templates) {
  test(`axe finds no violations in either theme: ${path}`, async () => {
    const page = await reader.open();
    await page.goto(`${service.url}${path}${path.includes('?') ? '&' : '?'}theme=light`, { waitUntil: 'load' });
    await page.evaluate(shorten);
    assert.equal(await violations(page), []);
    assert.equal(await darkContrastFaults(page), [], 'dark');
    await page.close();
  });
}

test('axe finds no violations in the drawer, the suggestions, an open menu and the token message', async () => {
  const page = await reader.open({ width: 400, height: 800 });
  await page.goto(`${service.url}/rest-apis/pdf-api?theme=dark`, { waitUntil: 'load' });
  await page.click('[data-drawer-open]');
  await page.waitForFunction(`!document.querySelector('#docs-drawer').hidden`);
  assert.equal(await violations(page), [], 'drawer');
  await page.keyboard.press('Escape');
  await page.waitForFunction(`document.querySelector('#docs-drawer').hidden`);
  await page.setViewport({ width: 1_300, height: 800 });
  await page.focus('#docs-search');
  await page.type('#docs-search', 'timeout');
  await page.waitForSelector('.suggestions [role=option]');
  assert.equal(await violations(page, '.navbar'), [], 'suggestions');
  await page.keyboard.press('Escape');
  await page.focus('[data-dropdown=guides] button');
  await page.keyboard.press('Enter');
  assert.equal(await violations(page, '.navbar'), [], 'menu');
  await page.focus('#docs-token');
  await page.keyboard.press('Enter');
  assert.equal(await violations(page, '.navbar'), [], 'token message');
});

test('the layout does not shift while a page loads', async () => {
  const page = await reader.open();
  await page.evaluateOnNewDocument(`window.shift = 0; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true })`);
  await page.goto(`${service.url}/rest-apis/pdf-api`, { waitUntil: 'load' });
  await page.waitForNetworkIdle();
  assert.ok(Number(await page.evaluate('window.shift')) < 0.01, String(await page.evaluate('window.shift')));
});

test('print shows every tab and no navigation', async () => {
  const page = await reader.open();
  await page.goto(`${service.url}/rest-apis/pdf-api`, { waitUntil: 'load' });
  await page.emulateMediaType('print');
  const hidden = await page.evaluate(
    `[...document.querySelectorAll('[role=tabpanel]')].filter((panel) => panel.offsetParent === null).length`,
  );
  assert.is(hidden, 0);
  const shown = await page.evaluate(
    `['.navbar', '.sidebar', '.pager', '.toc', '.code-tools'].filter((one) => document.querySelector(one)?.getClientRects().length > 0)`,
  );
  assert.equal(shown, []);
});
