// The page driver: waits, added tags, and things that must not hang a page: dialogs, popups, crashes, the deadline.
import * as assert from 'uvu/assert';
import { ServiceError } from '../../src/base/errors.ts';
import { evaluateText } from '../../src/browser/page/evaluate.ts';
import { readContent } from '../../src/browser/page/capture/content.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import type { Page } from '../../src/browser/page/page.ts';
import { setContent } from '../../src/browser/page/load/set-content.ts';
import { addScriptTags, addStyleTags } from '../../src/browser/page/load/tags.ts';
import {
  settle,
  toPredicates,
  waitForEvent,
  waitForFunction,
  waitForSelector,
} from '../../src/browser/page/load/waits.ts';
import { gotoDefaults, pageSuite } from '../support/pages.ts';
import { problemOf } from '../support/refusals.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = pageSuite('page: waits and endings');

const selector = { hidden: false, visible: false, timeout: 5_000 };
const on = (path: string, body: (page: Page) => Promise<unknown>) =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}${path}`, gotoDefaults);
    await body(page);
  });

test("selector: Puppeteer's other forms", () =>
  on('/late?ms=100', async (page) => {
    for (const form of [
      'xpath///p[@class="late"]',
      '::-p-xpath(//p)',
      'text/arrived',
      '::-p-text(arrived)',
      '>>> .late',
    ]) {
      await waitForSelector(page, { ...selector, selector: form });
    }
  }));

test('selector: keeps waiting in the next document', () =>
  fixture.browser.withPage(async (page) => {
    await setContent(
      page,
      `<script>setTimeout(() => { location.href = '${fixture.site.url}/late?ms=100' }, 200)</script>`,
      gotoDefaults,
    );
    await waitForSelector(page, { ...selector, selector: '.late' });
    assert.match(await readContent(page), 'arrived</p>');
  }));

for (const fn of [
  'window.arrived === "yes"',
  'window.arrived;',
  '() => window.arrived',
  'function () { return window.arrived; }',
  'async () => { await new Promise((r) => setTimeout(r, 10)); return window.arrived; }',
  'async function wait() { return window.arrived; }',
  '(await Promise.resolve(1)) && window.arrived',
  'const a = window.arrived; return a;',
  'await Promise.resolve(); return window.arrived',
]) {
  test(`function: ${fn}`, () =>
    on('/late?ms=150', async (page) => {
      const began = idleNow();
      await waitForFunction(page, { fn, polling: 'raf', timeout: 5_000 });
      assert.ok(idleNow() - began < 4_000);
      assert.match(await readContent(page), 'arrived</p>');
    }));
}

test('function: keeps waiting in the next document', () =>
  fixture.browser.withPage(async (page) => {
    await setContent(
      page,
      `<script>setTimeout(() => { location.href = '${fixture.site.url}/late?ms=100' }, 200)</script>`,
      gotoDefaults,
    );
    await waitForFunction(page, { fn: 'window.arrived', polling: 'raf', timeout: 5_000 });
  }));

test('function: wraps each form of source', () => {
  assert.match(toPredicates('x => x')[0] ?? '', /^\(x => x/);
  assert.match(toPredicates('document.title')[0] ?? '', /^\(\) => \(document/);
  assert.match(toPredicates('await x()')[0] ?? '', /^async \(\) => /);
});

for (const target of ['document', 'window']) {
  test(`event on ${target}`, () =>
    on(`/event?ms=200&on=${target}`, async (page) => {
      await waitForEvent(page, { event: 'ready-now', timeout: 5_000 });
      assert.match(await readContent(page), '<pre id="fired">fired</pre>');
    }));
}

test('settle: waits in order; bestAttempt returns what failed', () =>
  on('/late?ms=50', async (page) => {
    const began = performance.now();
    const waits = {
      waitForTimeout: 100,
      waitForFunction: { fn: 'window.never', polling: 'raf', timeout: 100 },
      waitForSelector: { ...selector, selector: '.never', timeout: 100 },
      waitForEvent: { event: 'never', timeout: 100 },
    } as const;
    const failed = await settle(page, waits, true);
    assert.is(failed.length, 3);
    assert.match(failed[2] ?? '', 'Timed out waiting for event "never"');
    assert.ok(performance.now() - began >= 390);
    assert.is((await problemOf(settle(page, waits, false))).code, 'wait-timeout');
    const bad = { waitForSelector: { ...selector, selector: '][' } };
    assert.is((await problemOf(settle(page, bad, true))).code, 'invalid-body');
  }));

test('tags: by URL and by content', () =>
  on('/small', async (page) => {
    await addStyleTags(page, [{ url: '/assets/red.css' }, { content: 'h1{color:rgb(1,2,3)}' }]);
    await addScriptTags(page, [
      { url: '/assets/mark.js', id: 'mark' },
      {
        content:
          'document.documentElement.dataset.own = getComputedStyle(document.querySelector("h1")).color + getComputedStyle(document.body).backgroundColor',
      },
      { url: '/assets/module.js', type: 'module' },
      { content: 'document.documentElement.dataset.inline = typeof import.meta', type: 'module' },
    ]);
    const inline = { fn: 'document.documentElement.dataset.inline', polling: 'raf', timeout: 5_000 } as const;
    await waitForFunction(page, inline);
    const html = await readContent(page);
    for (const part of [
      'data-mark="by script"',
      'id="mark"',
      'data-own="rgb(1, 2, 3)rgb(255, 0, 0)"',
      'data-module="',
      'data-inline="object"',
    ]) {
      assert.ok(html.includes(part), `${part} in ${html}`);
    }
  }));

test('dialogs are accepted, including beforeunload', () =>
  on('/dialogs', async (page) => {
    assert.match(await readContent(page), 'alert, confirm true, prompt x');
    await evaluateText(page, 'document.body.click()');
    await navigate(page, `${fixture.site.url}/small`, { ...gotoDefaults, timeout: 5_000 });
  }));

test('a crash ends all waits', () =>
  on('/small', async (page) => {
    const waiting = problemOf(waitForSelector(page, { ...selector, selector: '.never' }));
    page.session.send('Page.crash').catch(() => {});
    const error = await waiting;
    assert.is(error.code, 'page-crashed');
    assert.ok(page.failure.aborted);
    assert.is((await problemOf(readContent(page))).code, 'page-crashed');
  }));

test('a page that closes itself ends all waits', () =>
  on('/small', async (page) => {
    const waiting = problemOf(waitForSelector(page, { ...selector, selector: '.never' }));
    page.session.send('Page.close').catch(() => {});
    assert.is((await waiting).code, 'page-crashed');
  }));

test('the deadline ends all waits with its own reason', async () => {
  const reason = new ServiceError('timeout', 'Request has timed out');
  const works: ((page: Page) => Promise<unknown>)[] = [
    (page: Page) => navigate(page, `${fixture.site.url}/hang`, gotoDefaults),
    (page: Page) => navigate(page, `${fixture.site.url}/loop`, gotoDefaults),
    (page: Page) => waitForSelector(page, { ...selector, selector: '.never', timeout: 0 }),
    (page: Page) => page.sleep(60_000),
    (page: Page) => settle(page, { waitForEvent: { event: 'never', timeout: 0 } }, true),
  ];
  for (const work of works) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(reason), 200);
    const error = await problemOf(fixture.browser.withPage(work, controller.signal));
    clearTimeout(timer);
    assert.is(error, reason);
  }
});

test('a busy page does not delay disposal', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/late-loop`, gotoDefaults);
  }));

test('nothing keeps waiting or listening after disposal', async () => {
  const kept = await fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/small`, gotoDefaults);
    void page.sleep(60_000).catch(() => {});
    return page;
  });
  assert.is((await problemOf(kept.sleep(10))).code, 'internal');
});
