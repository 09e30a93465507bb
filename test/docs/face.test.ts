// The layout of the documentation in a real Chromium: one left edge, nothing too wide, the panel on the home page, the
// status strip, the drawer and the history, the token behind its key icon, the switch for single-key shortcuts.
// @tier ci
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';

const test = suite('face of the documentation', { timeoutMs: 180_000 });
const token = 'open-sesame';
let site: Site;
let service: Service;
let reader: Reader;

test.before(async () => {
  await builtDocs();
  site = await startSite();
  service = await startService({ env: { TOKEN: token } });
  reader = await startReader();
});
test.after(() => stopAll(reader, service, site));

async function visit(path: string, options?: Parameters<Reader['open']>[0]): Promise<Page> {
  const page = await reader.open(options);
  await page.goto(service.url + path, { waitUntil: 'load' });
  return page;
}

const wait = (page: Page, script: string) => page.waitForFunction(script);
const leftOf = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().left`;
const widths = [360, 768, 996, 1000, 1280, 1440, 1720];

test('bar, content and footer share one left edge, and no page is wider than the window', async () => {
  const page = await reader.open();
  for (const path of [
    '/',
    '/rest-apis/pdf-api',
    '/open-api',
    '/open-api/rest-apis',
    '/status',
    '/enterprise/docker/config',
    '/search?q=pdf',
    '/overview/connection-urls',
  ]) {
    await page.goto(service.url + path, { waitUntil: 'load' });
    for (const width of widths) {
      await page.setViewport({ width, height: 900 });
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      assert.ok(wide <= 0, `${path} at ${width}: ${wide} px too wide`);
      const edges = [leftOf('.footer .brand')];
      if (width > 996) edges.push(leftOf('.navbar .brand'));
      const hasSidebar = width > 996 && (await page.$('#docs-sidebar:not([hidden])')) !== null;
      edges.push(hasSidebar ? textLeft : leftOf('#docs-main h1'));
      const found = (await Promise.all(edges.map((edge) => page.evaluate(edge)))).map(Number);
      assert.ok(Math.max(...found) - Math.min(...found) < 1, `${path} at ${width}: ${found.join(', ')}`);
    }
  }
});

/** Where the text of the sidebar starts: its background extends farther left. */
const textLeft = `{
  const link = document.querySelector('#docs-sidebar a');
  link.getBoundingClientRect().left + parseFloat(getComputedStyle(link).paddingLeft);
}`;

test('controls in the bar do not overlap at any width', async () => {
  const page = await visit('/rest-apis/pdf-api');
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    const clashes = await page.evaluate(`{
      const boxes = [...document.querySelectorAll('.navbar :is(a, button, input)')]
        .map((each) => ({ name: each.outerHTML.slice(0, 80), box: each.getBoundingClientRect(), each }))
        .filter(({ box, each }) => box.width > 0 && !each.closest('.search') && !each.closest('.dropdown ul'));
      boxes.push({ name: 'search', box: document.querySelector('.navbar .search').getBoundingClientRect() });
      boxes.flatMap((one, at) => boxes.slice(at + 1)
        .filter(({ box }) => box.left < one.box.right - 0.5 && one.box.left < box.right - 0.5)
        .map(({ name }) => one.name + ' / ' + name));
    }`);
    assert.equal(clashes, [], `at ${width}`);
  }
});

test('late fonts do not shift the layout of the home page or of a guide', async () => {
  for (const path of ['/', '/enterprise/long-queues']) {
    const page = await reader.open();
    await page.evaluateOnNewDocument(`window.shift = 0; new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true })`);
    const held = new Set<() => void>();
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (request.url().endsWith('.woff2')) held.add(() => void request.continue());
      else void request.continue();
    });
    await page.goto(service.url + path, { waitUntil: 'domcontentloaded' });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    for (const release of held) release();
    await wait(
      page,
      `document.fonts.status === 'loaded' && [...document.fonts].some(({ status }) => status === 'loaded')`,
    );
    await page.waitForNetworkIdle();
    const shift = Number(await page.evaluate('window.shift'));
    assert.ok(shift < 0.01, `${path}: ${shift}`);
  }
});

test('the panel shows an image, then asks for the token, then shows results from this server', async () => {
  const page = await visit('/');
  assert.is(await page.evaluate(`document.querySelector('[data-panel-picture] img').naturalWidth`), 1280);
  const fill = (text: string) =>
    page.evaluate(`document.querySelector('#panel-address').value = ${JSON.stringify(text)}`);
  const said = (text: string) =>
    wait(page, `document.querySelector('[data-panel-said]').textContent.includes(${JSON.stringify(text)})`);
  await fill(`${site.url}/`);
  await page.click('.panel .primary');
  await page.waitForSelector('.run-token input');
  await said('401');
  assert.ok(await page.$('.run-token input:focus'));
  await page.keyboard.type(token);
  await page.keyboard.press('Enter');
  await said('200');
  await wait(page, `document.querySelector('[data-panel-picture] img[src^="blob:"]')?.naturalWidth === 1280`);
  assert.is(await page.evaluate(`localStorage.getItem('docs-api-token')`), token);
  await page.click('.choice label:nth-of-type(2)');
  await page.click('.panel .primary');
  await said('390 × 844');
  // The server's error is shown as text, regardless of what the URL contains.
  for (const address of ['http://127.0.0.1:1/', 'javascript:alert(1)', '<img src=x onerror=alert(1)>']) {
    await fill(address);
    await page.click('.panel .primary');
    await page.waitForSelector('.panel-answer p');
    await wait(page, `!document.querySelector('[data-panel-picture]').classList.contains('running')`);
    assert.is(await page.evaluate(`document.querySelectorAll('[data-panel-picture] img').length`), 0, address);
  }
});

test('the strip shows the server status; without JavaScript the image is still shown', async () => {
  const page = await visit('/');
  await wait(page, `document.querySelector('[data-strip=health]').textContent !== 'Status'`);
  const strip = String(await page.evaluate(`document.querySelector('.strip').innerText`));
  // A request of an earlier test may still be running.
  assert.match(strip, /\d of 10, 0 waiting/);
  assert.match(strip, /Chromium \d+/);
  assert.match(strip, /Required/);
  const plain = await visit('/', { script: false });
  assert.ok(
    await plain.evaluate(`document.querySelector('[data-panel-picture] img').getBoundingClientRect().width > 300`),
  );
  assert.is(await plain.evaluate(`document.querySelector('.panel .primary').getClientRects().length`), 0);
});

test('a link in the drawer adds one history entry, even if it loads a new document', async () => {
  const page = await visit('/rest-apis/pdf-api', { width: 400, height: 800 });
  const before = Number(await page.evaluate('history.length'));
  await page.click('[data-drawer-open]');
  await page.evaluate(`document.querySelector('[data-drawer-sidebar] a[href="/rest-apis/scrape"]').click()`);
  await wait(page, `document.querySelector('article')?.dataset.path === '/rest-apis/scrape'`);
  assert.is(await page.evaluate('history.length'), before + 1);
  await page.goBack();
  await wait(page, `document.querySelector('article')?.dataset.path === '/rest-apis/pdf-api'`);
  await page.click('[data-drawer-open]');
  await Promise.all([
    page.waitForNavigation(),
    page.evaluate(`document.querySelector('#docs-drawer a[href="/search"]').click()`),
  ]);
  await page.goBack();
  assert.is(new URL(page.url()).pathname, '/rest-apis/pdf-api');
});

test('the drawer contains the token, Ask AI, the version and the language', async () => {
  const page = await visit('/rest-apis/pdf-api', { width: 400, height: 800 });
  await page.click('[data-drawer-open]');
  for (const selector of ['#docs-drawer-token', '[data-ask]', '[data-dropdown=drawer-version]', '[data-theme-toggle]'])
    assert.ok(await page.evaluate(`document.querySelector('#docs-drawer ${selector}').checkVisibility()`), selector);
  await page.type('#docs-drawer-token', token);
  await page.keyboard.press('Enter');
  await wait(page, `document.querySelector('[data-token-key] > button').classList.contains('saved')`);
});

test('without a configured URL, Sign Up leads to the token, behind the key icon in narrow windows', async () => {
  const page = await visit('/', { width: 1_100, height: 800 });
  assert.is(await page.evaluate(`document.querySelector('#docs-token').checkVisibility()`), false);
  await page.click('.navbar .sign-up');
  await wait(page, `document.activeElement.id === 'docs-token'`);
  await page.keyboard.press('Escape');
  assert.is(await page.evaluate(`document.querySelector('#docs-token').checkVisibility()`), false);
  for (const name of ['version', 'language'])
    assert.ok(await page.evaluate(`document.querySelector('.navbar [data-dropdown=${name}]').checkVisibility()`), name);
});

test('single-key shortcuts can be turned off, on later pages too', async () => {
  const page = await visit('/rest-apis/pdf-api');
  await page.evaluate(`document.querySelector('[data-single-keys]').click()`);
  await page.reload();
  await page.keyboard.press('/');
  assert.is.not(await page.evaluate('document.activeElement.id'), 'docs-search');
  await page.evaluate(`document.querySelector('[data-single-keys]').click()`);
  await page.keyboard.press('/');
  assert.is(await page.evaluate('document.activeElement.id'), 'docs-search');
});
