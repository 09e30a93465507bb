// The states of the live view page, and its quality checks: CSP, accessibility in both themes, no layout shift,
// sizes.
// @tier ci
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { Ui, type UiManifest } from '../../src/web/pages/serve/ui.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type LiveServer, startLiveServer } from '../support/live-server.ts';
import { stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { darkContrastFaults, records, violations } from './quality.ts';

const test = suite('states of a live view', { timeoutMs: 180_000 });
const root = join(import.meta.dirname, '../..');
let stand: LiveServer;
let reader: Reader;

test.before(async () => {
  stand = await startLiveServer();
  reader = await startReader();
});
test.after(() => stopAll(reader, stand));
test.before.each(() => {
  stand.refuse(false);
  stand.clear();
  stand.status = 200;
  const hello = { interactive: true, resizable: true, ui: true, instructions: 'Enter the code' };
  stand.hello = { t: 'hello', ...hello, expiresAt: Date.now() + 300_000 };
});
test.after.each(() => {
  assert.equal(stand.problems.splice(0), []);
});

async function open(query = '', width = 1_280): Promise<Page> {
  const page = await reader.open({ width, height: width < 640 ? 844 : 800 });
  await page.evaluateOnNewDocument(records);
  await page.goto(`${stand.url}/live/?i=abc${query}`, { waitUntil: 'load' });
  return page;
}
const untilState = (page: Page, state: string) => page.waitForSelector(`body[data-state=${state}]`);
const veil = (page: Page) => page.evaluate(`document.querySelector('.veil').textContent`);

test('sends its size and acknowledges drawn frames; a corrupt frame does not stop it', async () => {
  const page = await open();
  await stand.message('ack', ({ seq }) => Number(seq) > 0);
  const size = await stand.message('size');
  assert.ok(Number(size['w']) > 1_000 && Number(size['h']) > 400, JSON.stringify(size));
  assert.is((await stand.message('visible'))['on'], true);
  stand.sendRaw(Uint8Array.from({ length: 40 }, (_, index) => (index === 4 ? 99 : 0)));
  await stand.message('ack', ({ seq }) => seq === 99);
  stand.clear();
  await page.setViewport({ width: 900, height: 700 });
  await stand.message('size', ({ w }) => Number(w) < 900);
});

test('a lost connection shows a message over the last frame, then the view reconnects', async () => {
  const page = await open();
  await untilState(page, 'live');
  stand.clear();
  stand.refuse(true);
  stand.cut();
  await untilState(page, 'reconnecting');
  assert.match(String(await veil(page)), /Connection lost/);
  assert.ok(await page.evaluate(`getComputedStyle(document.querySelector('canvas')).visibility === 'visible'`));
  stand.refuse(false);
  await untilState(page, 'live');
  await stand.message('ack');
});

test('at the end, shows the message over the dimmed frame, and nothing more is sent', async () => {
  const page = await open();
  await untilState(page, 'live');
  stand.send({ t: 'end', reason: 'timeout', text: 'This link has expired.' });
  await untilState(page, 'ended');
  assert.is(await veil(page), 'This link has expired.You can close this tab.');
  assert.is(await page.evaluate(`document.querySelector('.veil').getAttribute('role')`), 'status');
  stand.clear();
  await page.mouse.click(600, 500);
  await page.keyboard.press('a');
  assert.equal(stand.received, []);
});

test('a link that the server no longer knows ends the view', async () => {
  const page = await open();
  await untilState(page, 'live');
  stand.refuse(true);
  stand.status = 404;
  stand.cut();
  await untilState(page, 'ended');
  assert.match(String(await veil(page)), /This link has expired/);
});

test('late frames show "Slow connection" until they are current again', async () => {
  const page = await open();
  await untilState(page, 'live');
  const late = async (lateMs: number, count: number) => {
    for (let index = 0; index < count; index++) {
      stand.clear();
      stand.sendFrame({ lateMs });
      await stand.message('ack');
    }
  };
  await late(3_000, 2);
  await page.waitForSelector('body.slow');
  await late(0, 1);
  await page.waitForSelector('body:not(.slow)');
});

test('the embedding page is notified of state changes', async () => {
  const page = await reader.open();
  await page.goto(`${stand.url}/frame`, { waitUntil: 'load' });
  await page.waitForFunction(`told.length === 2`);
  stand.send({ t: 'end', reason: 'done', text: 'You pressed Done.' });
  await page.waitForFunction(`told.length === 3`);
  assert.equal(await page.evaluate('told'), [
    { type: 'browserd.live', state: 'connecting' },
    { type: 'browserd.live', state: 'live' },
    { type: 'browserd.live', state: 'ended', reason: 'done' },
  ]);
});

test('the notice page needs no JavaScript, and its text is escaped', async () => {
  stand.status = 404;
  const page = await reader.open({ script: false });
  const answer = await page.goto(`${stand.url}/live/?i=none`, { waitUntil: 'load' });
  assert.is(answer?.status(), 404);
  const html = (await answer?.text()) ?? '';
  assert.match(html, /<h1>This link has &lt;ended&gt;<\/h1><p>Ask for a new one &amp; try &quot;again&quot;\.<\/p>/);
  assert.not.match(html, /<script|\{\{/);
});

test('no axe violations in either theme, no layout shifts or CSP violations', async () => {
  for (const width of [1_280, 390]) {
    const page = await open('&light', width);
    const check = async (what: string) => {
      assert.equal(await violations(page), [], `${what} ${width}`);
      assert.equal(await darkContrastFaults(page), [], `${what} ${width}, dark`);
    };
    await untilState(page, 'live');
    await page.waitForSelector('canvas[tabindex]');
    stand.send({ t: 'tabs', tabs: [{ id: 'a', title: 'A', url: '' }], active: 'a' });
    await page.waitForSelector('.tab');
    await check('live');
    assert.equal(await page.evaluate('[shift, refused]'), [0, []]);
    stand.send({ t: 'files', upload: 'files/x', multiple: true, accept: '' });
    stand.send({ t: 'dialog', id: 1, kind: 'prompt', message: 'Name?', value: '' });
    await page.waitForSelector('dialog[open]');
    await check('dialog');
    stand.send({ t: 'end', reason: 'done', text: 'You pressed Done.' });
    await untilState(page, 'ended');
    await check('ended');
    stand.status = 404;
    await page.goto(`${stand.url}/live/?light`, { waitUntil: 'load' });
    await check('notice');
    stand.status = 200;
  }
});

test('assets are small, immutable, and use the encoding that the client accepts', async () => {
  const manifest: UiManifest = JSON.parse(readFileSync(join(root, 'dist/ui/manifest.json'), 'utf8'));
  const ui = new Ui();
  const ask = (path: string, headers = {}) => ui.asset(path, new Request(`http://localhost${path}`, { headers }));
  const html = await ui.page('live', { base: '/browser', theme: 'dark', socket: '/live/abc' });
  assert.match(html, /<html lang="en" data-theme="dark">/);
  assert.match(html, /data-socket="\/browser\/live\/abc"/);
  assert.not.match(html, /\{\{| style=|<style|<script(?![^>]* src=)/);
  const first = [...html.matchAll(/"\/browser(\/_ui\/[^"]+\.js)"/g)].map(([, path]) => path ?? '');
  assert.is(first.length, 2);
  const sizes = new Map<string, { plain: number; br: number }>();
  const other = /^\/_ui\/(?:notice|dashboard|sign-in|player|replay|color-mode|geist)[.-]/;
  for (const path of Object.keys(manifest.files).filter((each) => each.startsWith('/_ui/') && !other.test(each))) {
    const plain = await ask(path);
    const br = await ask(path, { 'accept-encoding': 'gzip, br' });
    assert.is(br?.headers.get('content-encoding'), 'br');
    assert.is(br?.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.is(br?.headers.get('x-content-type-options'), 'nosniff');
    const again = await ask(path, { 'if-none-match': br?.headers.get('etag') ?? '' });
    assert.is(again?.status, 304);
    const bytes = async (answer: Response | undefined) => (await answer?.arrayBuffer())?.byteLength ?? 0;
    sizes.set(path, { plain: await bytes(plain), br: await bytes(br) });
  }
  assert.is(await ask('/_ui/none.js'), undefined);
  assert.is(await ask('/page/live'), undefined);
  const sum = (paths: Iterable<string>, kind: 'plain' | 'br') =>
    [...paths].reduce((total, path) => total + (sizes.get(path)?.[kind] ?? Number.NaN), 0);
  // The script that every view loads; the code for interacting is in a second one.
  assert.ok(sum(first, 'plain') <= 12_000, `${sum(first, 'plain')} bytes`);
  assert.ok(sum(first, 'br') <= 5_000, `${sum(first, 'br')} bytes of Brotli`);
  const page = readFileSync(join(root, 'dist/ui/files', `${manifest.files['/page/live']?.name}.br`)).length;
  const all = page + sum(sizes.keys(), 'br');
  assert.ok(all <= 14_000, `${all} bytes of Brotli in total`);
});
