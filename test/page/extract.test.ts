// The page driver: scraping and the debugOpts report.
import * as assert from 'uvu/assert';
import { startDebug } from '../../src/browser/page/capture/debug.ts';
import { scrapeElements } from '../../src/browser/page/capture/scrape.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import type { Page } from '../../src/browser/page/page.ts';
import { readJpeg } from '../support/checks/media.ts';
import { failureOf, gotoDefaults, pageSuite } from '../support/pages.ts';
import { fromBase64 } from '../../src/base/runtime/bytes.ts';

const { test, fixture } = pageSuite('page: extraction');

const on = (path: string, body: (page: Page) => Promise<unknown>) =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}${path}`, gotoDefaults);
    await body(page);
  });
const elementsFor = (...selectors: string[]) => selectors.map((selector) => ({ selector, timeout: 5_000 }));

test('returns HTML, text, attributes and position, in request order', () =>
  on('/scrape', async (page) => {
    const [box, items] = await scrapeElements(page, elementsFor('#box', '.item'), false);
    assert.is(box?.selector, '#box');
    assert.equal(box?.results, [
      {
        attributes: [
          { name: 'id', value: 'box' },
          { name: 'style', value: 'position:absolute;left:30px;top:200px;width:100px;height:40px' },
        ],
        height: 40,
        html: 'Box <i>inner</i>',
        left: 30,
        text: 'Box inner',
        top: 200,
        width: 100,
      },
    ]);
    assert.equal(
      items?.results.map(({ text, html }) => [text, html]),
      [
        ['One', 'One'],
        ['Two', '<b>Two</b>'],
      ],
    );
    assert.equal(items?.results[1]?.attributes, [
      { name: 'class', value: 'item' },
      { name: 'data-id', value: '2' },
    ]);
  }));

test('returns no data for no elements', () =>
  on('/scrape', async (page) => assert.equal(await scrapeElements(page, [], false), [])));

test('waits for elements that arrive later', () =>
  on('/late?ms=200', async (page) => {
    const [late] = await scrapeElements(page, elementsFor('.late'), false);
    assert.is(late?.results[0]?.text, 'arrived');
  }));

test('a missing element is an error, or an empty list with bestAttempt', () =>
  on('/scrape', async (page) => {
    const elements = [
      { selector: '.item', timeout: 200 },
      { selector: '.never', timeout: 200 },
      { selector: '#box', timeout: 200 },
    ];
    const error = await failureOf(scrapeElements(page, elements, false));
    assert.is(error.code, 'wait-timeout');
    assert.is(error.message, 'Timed out waiting for selector ".never"');
    const data = await scrapeElements(page, elements, true);
    assert.equal(
      data.map(({ results }) => results.length),
      [2, 0, 1],
    );
    const bad = await failureOf(scrapeElements(page, elementsFor('.item', 'x['), true));
    assert.is(bad.code, 'invalid-body');
    assert.match(bad.message, 'elements[1].selector');
  }));

const nothing = { console: false, cookies: false, html: false, network: false, screenshot: false };

test('debug: reports everything that can be reported', () =>
  fixture.browser.withPage(async (page) => {
    const debug = await startDebug(page, { console: true, cookies: true, html: true, network: true, screenshot: true });
    await navigate(page, `${fixture.site.url}/redirect?to=/set-cookie`, gotoDefaults);
    await navigate(page, `${fixture.site.url}/console`, gotoDefaults);
    const report = await debug.collect();
    assert.equal(report.console.slice(0, 2), ['first line', 'second line 42']);
    assert.is(report.console.length, 3);
    assert.equal(
      report.network.outbound.map(({ url, method }) => [method, url]),
      [
        ['GET', `${fixture.site.url}/redirect?to=/set-cookie`],
        ['GET', `${fixture.site.url}/set-cookie`],
        ['GET', `${fixture.site.url}/console`],
      ],
    );
    assert.equal(
      report.network.inbound.map(({ status }) => status),
      [302, 200, 200],
    );
    assert.match(
      report.network.inbound[1]?.headers['Content-Type'] ?? report.network.inbound[1]?.headers['content-type'] ?? '',
      'text/html',
    );
    assert.ok('User-Agent' in (report.network.outbound[0]?.headers ?? {}));
    assert.equal(report.cookies?.map(({ name }) => name).toSorted(), ['hidden', 'visited']);
    assert.match(report.html ?? '', '<h1>Console</h1>');
    assert.is(readJpeg(fromBase64(report.screenshot ?? '')).width, 800);
  }));

test('debug: reports only what is requested', () =>
  fixture.browser.withPage(async (page) => {
    const debug = await startDebug(page, nothing);
    await navigate(page, `${fixture.site.url}/console`, gotoDefaults);
    assert.equal(await debug.collect(), { console: [], network: { inbound: [], outbound: [] } });
  }));
