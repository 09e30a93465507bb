// The dashboard page on a real server, in a real browser: states, themes, phones, keyboard, confirmations, and quality
// checks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { dashboardLimits } from '../../src/base/limits.ts';
import { Ui, type UiManifest } from '../../src/web/pages/serve/ui.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { connect } from '../support/clients/clients.ts';
import { type Listener, listenTo, signIn } from '../support/clients/dashboard.ts';
import { send } from '../support/clients/http.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { contrastFaults, records, violations } from './quality.ts';

const { test, service, site } = fixtureSuite('page of the dashboard', {
  timeoutMs: 180_000,
  env: { TOKEN: 'dash-token', TIMEOUT: '0', LOG_LEVEL: 'debug' },
});
const root = join(import.meta.dirname, '../..');
const hostile = `<img src=x onerror="document.body.dataset.owned = 1"> & "'`;
let reader: Reader;

test.before(async () => {
  reader = await startReader();
});
test.after(() => reader?.close());

async function signedIn(width = 1_280): Promise<Page> {
  const page = await reader.open({ width, height: 900 });
  await page.evaluateOnNewDocument(records);
  await page.goto(`${service.url}/dashboard`, { waitUntil: 'load' });
  await page.type('#token', 'dash-token');
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  await page.waitForSelector('body[data-state=live]');
  return page;
}

async function session(trackingId: string, title: string, query = {}) {
  const browser = await connect(service, '/chromium', { trackingId, ...query });
  const page = await browser.newPage();
  await page.goto(`${site.url}/live/form`);
  await page.evaluate(`document.title = ${JSON.stringify(title)}`);
  return { browser, page };
}

const textOf = (page: Page, selector: string) => page.$eval(selector, (element) => element.textContent ?? '');
const thumbnailCount = () => service.logs().filter(({ event }) => event === 'dashboard.thumbnail').length;

test('without sessions: placeholders; a wrong token is reported; signing out returns to the form', async () => {
  const page = await reader.open();
  await page.goto(`${service.url}/dashboard`, { waitUntil: 'load' });
  await page.type('#token', 'wrong');
  await Promise.all([page.waitForNavigation(), page.click('.sign-in button')]);
  assert.match(await textOf(page, '[role=alert]'), 'Wrong token. Look for TOKEN in the server settings');
  assert.equal(await violations(page), []);
  await page.type('#token', 'dash-token');
  await Promise.all([page.waitForNavigation(), page.click('.sign-in button')]);
  await page.waitForSelector('#no-sessions:not([hidden])');
  await page.waitForSelector('#no-recordings:not([hidden])');
  assert.equal(await violations(page), []);
  await Promise.all([page.waitForNavigation(), page.click('.sign-out button')]);
  assert.match(await textOf(page, 'h1'), 'Sign in');
  assert.equal(await page.cookies(), []);
});

test('in both themes, on desktop and phone: no axe or CSP violations or layout shifts; kill asks first', async () => {
  const { browser } = await session('axe', hostile, { record: true });
  for (const width of [1_280, 390]) {
    const page = await signedIn(width);
    await page.waitForSelector('.thumb img:not([hidden])');
    await page.waitForFunction(`document.querySelector('.info b').textContent.includes('onerror')`);
    assert.is(await textOf(page, '.info b'), hostile);
    assert.is(await page.evaluate('document.body.dataset.owned ?? document.querySelectorAll(".info img").length'), 0);
    assert.is(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, 'it scrolls horizontally');
    for (const [theme, faults] of [
      ['light', violations],
      ['dark', contrastFaults],
    ] as const) {
      // Reduce motion, because a color in transition has a different contrast.
      await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: theme },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ]);
      assert.equal(await faults(page), [], `${theme} ${width}`);
      await page.click('.more');
      await page.waitForSelector('#menu:popover-open');
      assert.is(await page.evaluate(`document.querySelector('#menu-watch').checkVisibility()`), width < 640);
      assert.equal(await faults(page), [], `menu, ${theme} ${width}`);
      await page.click('#menu-kill');
      await page.waitForSelector('dialog[open]');
      assert.match(await textOf(page, '#question-text'), hostile);
      assert.equal(await faults(page), [], `question, ${theme} ${width}`);
      await page.click('dialog [value=no]');
      await page.waitForSelector('dialog:not([open])');
    }
    assert.is(await page.evaluate('refused.join()'), '');
    // Content after a number moves when the number gains a digit; nothing else moves.
    assert.ok(Number(await page.evaluate('shift')) < 0.005);
    if (width > 640) continue;
    const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
    await page.click('.more');
    await page.click('#menu-kill');
    await page.waitForSelector('dialog[open]');
    await page.click('#question-yes');
    await gone;
    await page.waitForSelector('#no-sessions:not([hidden])');
  }
});

test('by keyboard: filter, record, cancel a confirmation, watch in another window', async () => {
  // The filter then hides the first card.
  const two = await session('second', 'Beta');
  const one = await session('first', 'Alpha', { record: true });
  const page = await signedIn();
  await page.waitForFunction(`document.querySelectorAll('.session').length === 2`);
  await page.focus('#filter');
  await page.keyboard.type('nothing of the kind');
  await page.waitForSelector('#no-match:not([hidden])');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.focus('#filter');
  await page.keyboard.type('FIRST');
  await page.waitForFunction(`[...document.querySelectorAll('.session')].filter(({ hidden }) => !hidden).length === 1`);
  const focused = () =>
    page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');
  for (const label of ['Watch Alpha', 'Take over Alpha', 'More actions for Alpha']) {
    await page.keyboard.press('Tab');
    await until(label, async () => (await focused()) === label);
  }
  await page.keyboard.press('Enter');
  await page.waitForSelector('#menu:popover-open');
  assert.is(await focused(), 'Record');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.rec:not([hidden])');
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.querySelector('#menu-record').textContent === 'Stop recording'`);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#recording-rows tr');
  const windows: Page[] = [];
  page.on('popup', (window) => void (window && windows.push(window)));
  const play = '#recording-rows [aria-label^="Play"]';
  await page.focus(play);
  await page.waitForFunction(`document.activeElement.matches('${play}')`);
  await page.keyboard.press('Enter');
  const playing = await until('the player to open', () => windows[0]);
  await playing.waitForFunction(`location.pathname === '/player/' && document.readyState === 'complete'`);
  await playing.waitForSelector('video');
  await playing.close();
  await page.bringToFront();
  await page.focus('#recording-rows .delete');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog:not([open])');
  await page.focus('#recording-rows .delete');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await page.click('#question-yes');
  await page.waitForSelector('#no-recordings:not([hidden])');
  assert.is(await focused(), 'Recordings', 'the focus moves on from the row that was removed');
  const watch = '[aria-label="Watch Alpha"]';
  await page.focus(watch);
  await page.waitForFunction(`document.activeElement.matches('${watch}')`);
  await page.keyboard.press('Enter');
  const watching = await until('the live view to open', () => windows[1]);
  await watching.waitForSelector('[data-state=live]');
  await page.waitForSelector('.viewers:not([hidden])');
  assert.is(await textOf(page, '.viewers:not([hidden])'), '1 viewer');
  await watching.close();
  // A session that has just ended: the message appears above the numbers.
  await page.evaluate(
    `fetch = ((real) => (address, call) => real(String(address).replace(/sessions\\/[^/]+\\//, 'sessions/gone/'), call))(fetch)`,
  );
  await page.click('[aria-label="More actions for Alpha"]');
  await page.click('#menu-kill');
  await page.waitForSelector('dialog[open]');
  await page.click('#question-yes');
  await page.waitForSelector('#failure:not([hidden])');
  assert.is(await textOf(page, '#failure'), 'This session has ended.');
  await page.close();
  await Promise.all([one.browser.close(), two.browser.close()]);
});

test('a background tab disconnects and requests no thumbnails; a lost connection is shown and restored', async () => {
  const { browser } = await session('hidden', 'Hidden');
  const page = await signedIn();
  await page.waitForSelector('.thumb img:not([hidden])');
  const hide = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await hide(true);
  const before = thumbnailCount();
  const connected = () =>
    page.evaluate(`performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/events')).length`);
  const connections = Number(await connected());
  const { browser: other } = await session('later', 'Later');
  await hide(false);
  await page.waitForFunction(`document.querySelectorAll('.session').length === 2`);
  assert.ok(Number(await connected()) >= connections);
  assert.ok(thumbnailCount() <= before + 2);
  await page.setOfflineMode(true);
  // The network process may learn of it later.
  await page.waitForFunction(`fetch('/active').then(() => false, () => true)`);
  // Emulation does not cut open connections, so hide the tab and show it again while offline.
  await hide(true);
  await hide(false);
  await page.waitForSelector('body[data-state=offline]');
  assert.match(await textOf(page, '#offline'), /^No connection\. Showing data from \d+ s ago; retrying\.$/);
  assert.is((await page.$$('.session')).length, 2);
  assert.equal(await violations(page), []);
  await page.setOfflineMode(false);
  await page.waitForSelector('body[data-state=live]');
  assert.ok(await page.$('#offline[hidden]'));
  await page.close();
  await Promise.all([browser.close(), other.close()]);
});

test('after signing out elsewhere, the page asks for the token again', async () => {
  const page = await signedIn();
  const [cookie] = await page.cookies(`${service.url}/dashboard`);
  assert.ok(cookie);
  await send(`${service.url}/dashboard/sign-out`, {
    method: 'POST',
    headers: { origin: service.url, cookie: `${cookie.name}=${cookie.value}` },
  });
  await page.waitForSelector('#token');
  await page.close();
});

test('an extra window shows a message and connects when another one closes', async () => {
  const cookie = await signIn(service);
  const listeners: Listener[] = [];
  // Pages from other tests hold the remaining connections.
  const fill = () =>
    listenTo(service, cookie).then(
      (each) => listeners.push(each) > dashboardLimits.streams,
      (error: Error) => / 429 /.test(error.message),
    );
  await until('all connections to be in use', fill);
  const page = await reader.open();
  await page.goto(`${service.url}/dashboard`, { waitUntil: 'load' });
  await page.type('#token', 'dash-token');
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  await page.waitForFunction(
    `document.querySelector('#offline').checkVisibility() && document.querySelector('#offline').textContent ===
      'The dashboard is open in too many windows. Close one of them. Retrying.'`,
  );
  for (const each of listeners) each.leave();
  await page.waitForSelector('body[data-state=live]');
  assert.ok(await page.$('#offline[hidden]'));
  await page.close();
});

test('the script is small', async () => {
  const manifest: UiManifest = JSON.parse(readFileSync(join(root, 'dist/ui/manifest.json'), 'utf8'));
  const scripts = Object.keys(manifest.files).filter((path) => /^\/_ui\/dashboard\..*js$/.test(path));
  assert.is(scripts.length, 1);
  const [path = ''] = scripts;
  const script = await new Ui().asset(path, new Request(`http://localhost${path}`));
  const { byteLength } = (await script?.arrayBuffer()) ?? new ArrayBuffer(0);
  assert.ok(byteLength > 0 && byteLength <= 12_000, `${byteLength} bytes`);
});
