// blockAds on the page routes, and in a browser controlled by a client.
import * as assert from 'uvu/assert';
import { createLog } from '../../src/base/telemetry/log.ts';
import type { AdBlocker } from '../../src/browser/page/ads/ad-test.ts';
import { AdLists } from '../../src/browser/page/ads/ad-lists.ts';
import { adBlocking } from '../../src/browser/page/ads/block-everywhere.ts';
import { onEveryPage } from '../../src/browser/cdp/every-page.ts';
import { isColor, readPng } from '../support/checks/media.ts';
import { startPageBrowser } from '../support/pages.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('blockAds');

/** EasyList exempts pages on 127.0.0.1 and localhost. */
const news = (path: string) => `${fixture.site.url.replace('127.0.0.1', 'news.localhost')}${path}`;
const advertisements = () =>
  fixture.site.requests.filter(({ path }) => /^\/(pagead|banner_ads)\//.test(path)).map(({ path }) => path);
const read = async (path: string, fields: Record<string, unknown> = {}) =>
  (await fixture.post('/content', { url: news(path), ...fields })).text;
const red = [255, 0, 0];
const white = [255, 255, 255];

test('without it, the page shows its ads', async () => {
  const html = await read('/ads');
  assert.match(html, 'data-ad="ran"');
  assert.equal(advertisements().toSorted(), ['/banner_ads/x.gif', '/pagead/ads.js', '/pagead/frame']);
});

for (const [where, fields, query] of [
  ['in the body', { blockAds: true }, {}],
  ['in the query', {}, { blockAds: 'true' }],
] as const) {
  test.proves(where === 'in the body' ? 'page:blockAds' : 'blockAds@page');
  test(`${where}: ad requests are blocked, those of the site are not`, async () => {
    const { text } = await fixture.post('/content', { url: news('/ads'), ...fields }, query);
    assert.equal(advertisements(), []);
    assert.not.match(text, 'data-ad=');
    assert.match(text, 'data-mark="by script"');
    const paths = fixture.site.requests.map(({ path }) => path);
    assert.ok(paths.includes('/images/blue-64x48.png'));
    assert.match(text, 'id="google_ads"', 'the HTML is unchanged');
    assert.not.match(text, 'display: none');
  });
}

test('ad elements are hidden, including those added later', async () => {
  const fields = { gotoOptions: { waitUntil: ['domcontentloaded'] } };
  const shot = async (path: string, more: Record<string, unknown>) =>
    readPng((await fixture.post('/screenshot', { url: news(path), ...fields, ...more })).bytes).at(50, 350);
  assert.ok(isColor(await shot('/ads', {}), red));
  assert.ok(isColor(await shot('/ads', { blockAds: true }), white));
  const late = { waitForSelector: { selector: '#late', timeout: 20_000 } };
  assert.ok(isColor(await shot('/ads-late', late), red));
  assert.ok(isColor(await shot('/ads-late', { ...late, blockAds: true }), white));
});

test('scrape: hidden ads have zero width', async () => {
  const body = { url: news('/ads'), elements: [{ selector: '#google_ads' }, { selector: '#own' }] };
  const { data } = (await fixture.post('/scrape', body, { blockAds: 'true' })).json<{
    data: { results: { width: number }[] }[];
  }>();
  assert.equal(
    data.map(({ results }) => results[0]?.width),
    [0, 64],
  );
});

test('a URL that is itself an ad can be opened', async () => {
  const url = `${fixture.site.url.replace('127.0.0.1', 'ads.localhost')}/pagead/frame`;
  const { text } = await fixture.post('/content', { url, blockAds: true });
  assert.match(text, 'Buy now');
});

test('works together with the rules of a request', async () => {
  const html = await read('/ads', {
    blockAds: true,
    rejectResourceTypes: ['image'],
    requestInterceptors: [
      { pattern: 'mark\\.js', response: { body: "document.documentElement.dataset.mark = 'intercepted';" } },
    ],
  });
  assert.match(html, 'data-mark="intercepted"');
  assert.equal(
    fixture.site.requests.map(({ path }) => path).filter((path) => path !== '/favicon.ico'),
    ['/ads'],
  );
});

test('works with HTML in the request', async () => {
  const ads = fixture.site.url.replace('127.0.0.1', 'ads.localhost');
  const html = `<script src="${ads}/pagead/ads.js"></script><script src="${fixture.site.url}/assets/mark.js"></script><h1>x</h1>`;
  const text = await fixture.readHtml(html, { blockAds: true });
  assert.equal(advertisements(), []);
  assert.match(text, 'data-mark="by script"');
});

function readBlocker(): Promise<AdBlocker> {
  const log = createLog({ level: 'error', write: (line) => console.error(line) });
  return new AdLists({ lists: [], cacheDirectory: '', log, stopping: new AbortController().signal }).blocker();
}

test('nested workers run in a browser controlled by a client', async () => {
  await using browser = await startPageBrowser();
  await onEveryPage(browser.process.connection.root, [adBlocking(await readBlocker())]);
  await browser.withPage(async (page) => {
    const start = (code: string) => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])))`;
    const inner = start("postMessage('inner')");
    const outer = start(`${inner}.onmessage = ({ data }) => postMessage('outer ' + data)`);
    const expression = `new Promise((resolve) => { ${outer}.onmessage = ({ data }) => resolve(data) })`;
    const answer = page.send('Runtime.evaluate', { expression, awaitPromise: true });
    const late = () => new Error('the inner worker does not run');
    assert.is((await page.withTimeout(answer, 20_000, late)).result.value, 'outer inner');
  });
});

test.differs('`blockAds` loads an extension');
test('works on every page of a browser controlled by a client', async () => {
  await using browser = await startPageBrowser();
  await onEveryPage(browser.process.connection.root, [adBlocking(await readBlocker())]);
  await browser.withPage(async (page) => {
    const loaded = page.session.once('Page.loadEventFired');
    await page.send('Page.navigate', { url: news('/ads') });
    await loaded;
    assert.equal(advertisements(), []);
    assert.ok(fixture.site.requests.some(({ path }) => path === '/assets/mark.js'));
    const width = () =>
      page.send('Runtime.evaluate', { expression: "document.querySelector('#google_ads').offsetWidth" });
    await until('the element to be hidden', async () => (await width()).result.value === 0, 20_000);
  });
});
