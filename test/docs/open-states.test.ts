// Elements that open on a documentation page, measured at two widths and in both themes: each fits in the
// window, nothing in it is cut off or overlaps something else, lists have one column, and axe finds no violations.
// @tier ci
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { builtDocs } from '../support/built-docs.ts';
import { violations } from '../support/checks/axe.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { darkContrastFaults } from './dark-contrast.ts';

const both = [360, 1_280] as const;

const test = suite('open states of the documentation', { timeoutMs: 180_000 });
let service: Service;
let reader: Reader;
/** One page per width; loading the next state's page clears what the previous state left behind. */
let pages: { width: number; page: Page }[];

test.before(async () => {
  await builtDocs();
  [service, reader] = await Promise.all([startService(), startReader()]);
  pages = await Promise.all(both.map(async (width) => ({ width, page: await reader.open({ width, height: 800 }) })));
});
test.after(() => stopAll(reader, service));

interface State {
  name: string;
  /** Window widths at which this state exists. */
  widths: readonly number[];
  path?: string;
  open(page: Page): Promise<unknown>;
  /** Selectors of the opened element and of its rows, which must be stacked vertically. */
  box: string;
  rows?: string;
}

/** Types into the search field that is visible at this width; there are fields in the bar and in the drawer. */
async function search(page: Page, query: string): Promise<void> {
  const fields = await page.$$('[data-search] input');
  for (const field of fields) {
    if (!(await field.isVisible())) continue;
    await field.focus();
    await field.type(query);
    return;
  }
  throw new Error('no search field is visible');
}

const states: readonly State[] = [
  {
    name: 'suggestions',
    widths: both,
    open: (page) => search(page, 'timeout'),
    box: '.suggestions:not([hidden])',
    rows: '.suggestions [role=option]',
  },
  {
    name: 'no results',
    widths: both,
    open: (page) => search(page, 'xqzvkj'),
    box: '.suggestions:not([hidden])',
    rows: '.suggestions [role=option]',
  },
  {
    name: 'results',
    widths: both,
    path: '/search?q=upload%20file',
    open: (page) => page.waitForSelector('.result'),
    box: '#search-results',
    rows: '#search-results > .result',
  },
  {
    name: 'menu',
    widths: [1_280],
    open: (page) => page.click('[data-dropdown=guides] button'),
    box: '#menu-guides',
    rows: '#menu-guides > li',
  },
  {
    name: 'drawer',
    widths: [360],
    open: (page) => page.click('[data-drawer-open]'),
    box: '#docs-drawer',
  },
  {
    name: 'Ask AI examples',
    widths: both,
    open: (page) => page.evaluate(`document.querySelector('[data-ask]').click()`),
    box: '.ask-dialog',
    rows: '.ask-examples > li',
  },
  {
    name: 'Ask AI answer',
    widths: both,
    open: async (page) => {
      await page.evaluate(`document.querySelector('[data-ask]').click()`);
      await page.waitForSelector('.ask-dialog[open] li button');
      await page.click('.ask-dialog li button');
      await page.waitForSelector('.ask-dialog blockquote');
    },
    box: '.ask-dialog',
    rows: '.ask-dialog .ask-sources > li',
  },
  {
    name: 'token',
    widths: [360],
    open: (page) => page.click('[data-token-key] > button'),
    box: '[data-token-key] [data-token-box]',
  },
  {
    name: 'runner',
    widths: both,
    open: async (page) => {
      await page.evaluate(`document.querySelector('[data-run]').click()`);
      await page.waitForSelector('section.run');
      // Wait for the sample's automatic run.
      await page.waitForFunction(`/^\\d/.test(document.querySelector('.run-status')?.textContent ?? '')`);
    },
    box: 'section.run',
  },
];

/** Geometry faults of an open box, one per line. */
const faults = (box: string, rows: string) => `(() => {
  const found = [];
  const root = [...document.querySelectorAll(${JSON.stringify(box)})].find((one) => one.checkVisibility());
  if (root === undefined) return [${JSON.stringify(`${box} is not visible`)}];
  const named = (one) => one.tagName.toLowerCase() + '.' + one.className + ' ' + JSON.stringify(one.textContent.trim().slice(0, 40));
  const outer = root.getBoundingClientRect();
  if (outer.left < -1 || outer.right > innerWidth + 1) found.push('wider than the window: ' + outer.left + ' to ' + outer.right);
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways: ' + document.documentElement.scrollWidth);
  const list = [...document.querySelectorAll(${JSON.stringify(rows)})].filter((one) => one.checkVisibility());
  if (${JSON.stringify(rows)} !== 'none' && list.length === 0) found.push('no rows');
  for (const [at, row] of list.entries()) {
    const here = row.getBoundingClientRect();
    const next = list[at + 1]?.getBoundingClientRect();
    if (next && next.top < here.bottom - 1) found.push('not below one another: ' + named(row));
    if (row.scrollWidth > row.clientWidth + 1) found.push('cut: ' + named(row));
  }
  for (const one of root.querySelectorAll('a, button, input, textarea, summary, p, [role=option], h2, h3')) {
    const here = one.getBoundingClientRect();
    if (!one.checkVisibility() || here.width < 2 || here.height < 2 || one.closest('pre, .table, iframe')) continue;
    if (here.left < outer.left - 1 || here.right > outer.right + 1) found.push('outside: ' + named(one));
    if (getComputedStyle(one).overflow !== 'visible' && one.scrollWidth > one.clientWidth + 1 && !/input|textarea/i.test(one.tagName)) found.push('text is cut: ' + named(one));
  }
  const controls = [...root.querySelectorAll('a, button, input, textarea, select')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 2 && !one.closest('pre'));
  for (const [at, one] of controls.entries()) {
    for (const other of controls.slice(at + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      const overlaps = [...one.getClientRects()].some((a) => [...other.getClientRects()].some((b) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4));
      if (overlaps) found.push(named(one) + ' lies over ' + named(other));
    }
  }
  return found.slice(0, 10);
})()`;

for (const { name, widths, path = '/rest-apis/pdf-api', open, box, rows = 'none' } of states) {
  test(`${name}: fits in the window without cut-off or overlapping content`, async () => {
    for (const { width, page } of pages.filter((each) => widths.includes(each.width))) {
      await page.goto(`${service.url}${path}${path.includes('?') ? '&' : '?'}theme=light`, { waitUntil: 'load' });
      await page.waitForSelector('html[data-ready]');
      await open(page);
      await page.waitForSelector(box, { visible: true });
      if (rows !== 'none') await page.waitForSelector(rows, { visible: true });
      await page.evaluate(`Promise.allSettled(document.getAnimations().map(({ finished }) => finished))`);
      assert.equal(await page.evaluate(faults(box, rows)), [], `${name}, ${width} px`);
      assert.equal(await violations(page, box), [], `${name}, ${width} px`);
      // The element stays open while the theme changes, as it does when the theme button or another tab changes it.
      assert.equal(await darkContrastFaults(page, box), [], `${name}, ${width} px, dark`);
    }
  });
}
