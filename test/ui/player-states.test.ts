// The player's states, what hostile recordings can do in it, and its quality checks: CSP, accessibility,
// layout, sizes.
// @tier ci
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { Ui, type UiManifest } from '../../src/web/pages/serve/ui.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { hostileEvents, startTrap, type Trap } from '../support/player/hostile.ts';
import * as made from '../support/player/made-recordings.ts';
import { createPlayer, type Player } from '../support/player/player.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { darkContrastFaults, records, violations } from './quality.ts';

const test = suite('states of the player', { timeoutMs: 180_000 });
const root = join(import.meta.dirname, '../..');
const start = 1_790_000_000_000;
let service: Service;
let reader: Reader;
let player: Player;
let trap: Trap;

test.before(async () => {
  [service, reader, trap] = await Promise.all([
    startService({ env: { TOKEN: 'secret-token', SPARES: '0' } }),
    startReader(),
    startTrap(),
  ]);
  player = createPlayer(service, reader);
});
test.after(() => stopAll(reader, trap, service));

const untilReady = (page: Page) => page.waitForSelector('body[data-state=ready]');
const noteOf = (page: Page) => player.text(page, '#note');
const untilVeilTitle = (page: Page, title: string) =>
  page.waitForFunction(`document.querySelector('#veil-title').textContent === ${JSON.stringify(title)}`);

/** A small document with a click in it, and events from the protocol. */
function simpleEvents(): made.RecordedEvent[] {
  const text = { id: 5, type: 3, textContent: 'Words of the page' };
  const body = { id: 4, type: 2, tagName: 'body', attributes: {}, childNodes: [text] };
  const html = { id: 3, type: 2, tagName: 'html', attributes: { lang: 'en' }, childNodes: [body] };
  const node = { id: 1, type: 0, childNodes: [html] };
  return [
    { type: 4, timestamp: start, data: { href: 'https://shop.example/', width: 800, height: 500 } },
    { type: 2, timestamp: start + 20, data: { node, initialOffset: { top: 0, left: 0 } } },
    made.protocolEvent(start + 30, 'navigation', { url: 'https://shop.example/' }),
    made.protocolEvent(start + 600, 'console', { level: 'warning', text: 'careful' }),
    made.protocolEvent(start + 900, 'request', {
      method: 'GET',
      url: 'https://shop.example/a',
      type: 'Fetch',
      status: 0,
      ms: 3,
    }),
    { type: 3, timestamp: start + 1_000, data: { source: 2, type: 2, id: 4, x: 5, y: 5 } },
    made.protocolEvent(start + 9_000, 'notice', { text: 'The recorder stopped.' }),
  ];
}
const makeSimple = (events: Buffer | undefined, change: Parameters<typeof made.makeReplay>[3] = {}) =>
  made.makeReplay(service, [{ title: 'Shop', events }], [start, start + 9_000], change);

test('a hostile recording cannot run scripts, send requests or navigate', async () => {
  const id = makeSimple(made.packed(hostileEvents(trap.url, start)));
  const page = await player.open(id);
  const at = page.url();
  await untilReady(page);
  const inner = await player.inner(page);
  // Also play the recording, seek in it and click in it.
  await page.click('#play');
  await page.waitForFunction(`document.querySelector('#events li [aria-current]')`);
  await page.waitForSelector('body:not(.playing)');
  await page.focus('#track');
  for (const key of ['Home', 'End', 'Home', 'End'] as const) await page.keyboard.press(key);
  const built = (what: string) =>
    inner.evaluate(`(() => {
    const built = document.querySelector('iframe').contentDocument;
    return (${what});
  })()`);
  await player.until(inner, `built.body?.innerText.includes('The end')`);
  assert.is(await built(`built.getElementById('words').textContent`), 'Still here');
  const box = await (await page.$('#stage'))?.boundingBox();
  assert.ok(box);
  for (let y = 40; y < box.height; y += 60) await page.mouse.click(box.x + 30, box.y + y);
  await built(
    `[built.getElementById('away'), built.querySelector('a'), built.querySelector('form button')].map((each) => each?.click())`,
  );
  assert.is(await built(`built.documentElement.dataset.ran ?? 'no'`), 'no');
  assert.is(page.url(), at);
  assert.is(await page.evaluate('document.documentElement.dataset.ran ?? frames.length'), 1);
  // Unlike all earlier requests, this allowed one arrives.
  await page.evaluate(`fetch('${at}')`);
  assert.equal(trap.reached, []);
  await fetch(trap.url);
  assert.equal(trap.reached.splice(0), ['connection', 'GET /']);
});

test('malformed events: what can be read is played', async () => {
  const whole = made.packed(simpleEvents());
  const lines = simpleEvents().map((event) => JSON.stringify(event));
  const { gzipSync } = await import('node:zlib');
  const odd = [
    ...lines.slice(0, 2),
    'garbage',
    '{"type":3,"timestamp":1e999,"data":{}}',
    '{"type":3,"data":{"source":0}}',
    `{"type":3,"timestamp":${start + 40},"data":{"source":0}}`,
    `{"type":3,"timestamp":${start + 41},"data":{"source":0,"adds":[{"parentId":99,"node":null},7],"removes":[{"id":88,"parentId":4}],"texts":[],"attributes":[null]}}`,
    `{"type":5,"timestamp":${start + 42},"data":null}`,
    `{"type":99,"timestamp":-5,"data":{}}`,
    ...lines.slice(2),
    '{"type":3,"timest',
  ];
  const cut = whole.subarray(0, whole.length - 12);
  for (const [name, events, rows] of [
    ['invalid lines', gzipSync(odd.join('\n')), 4],
    ['a truncated file', cut, 1],
    ['bytes after the end', Buffer.concat([whole, Buffer.from('behind')]), 4],
  ] as const) {
    const page = await player.open(makeSimple(events));
    await untilReady(page);
    await player.shows(await player.inner(page), 'Words of the page');
    await page.waitForFunction(`document.querySelectorAll('#events li').length >= ${rows}`);
    if (name !== 'bytes after the end') {
      await page.waitForSelector('#note:not([hidden])');
      assert.is(await noteOf(page), 'Some events cannot be read.', name);
    }
    await page.focus('#track');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await player.shows(await player.inner(page), 'Words of the page');
    await page.close();
  }
});

test('nothing to show: no events, no document, no gzip, no tab, an expired link', async () => {
  for (const events of [
    undefined,
    made.packed([made.protocolEvent(start, 'notice', { text: 'x' })]),
    Buffer.from('no gzip'),
  ]) {
    const page = await player.open(makeSimple(events));
    await untilVeilTitle(page, 'This tab cannot be shown');
    assert.is(await player.attribute(page, '#play', 'aria-label'), 'Play');
    await page.close();
  }
  const none = await player.open(makeSimple(undefined, { tabs: [] }));
  await untilVeilTitle(none, 'Nothing was recorded');
  const video = makeSimple(undefined, { kind: 'video' });
  await untilVeilTitle(await player.open(video), 'There is no video of this tab');

  writeFileSync(join(made.directoryOf(service, video), 'tab-1.mp4'), 'no video');
  made.changeMeta(service, video, ({ tabs }) => ({ tabs: tabs.map((tab) => ({ ...tab, bytes: 8 })) }));
  const broken = await player.open(video);
  await untilVeilTitle(broken, 'This tab cannot be shown');
  await broken.waitForFunction(`document.querySelector('#events .none').textContent === 'No events were recorded'`);

  const page = await reader.open();
  await page.setRequestInterception(true);
  page.on(
    'request',
    (request) => void (request.url().endsWith('/meta') ? request.respond({ status: 404 }) : request.continue()),
  );
  const { url } = (await service.post(`/recordings/${video}/share`, {})).json<{ url: string }>();
  await page.goto(url);
  await untilVeilTitle(page, 'The recording could not be loaded');
});

test('a recording that was cut short says so, and how many pages are missing', async () => {
  const reason = 'The server exited during the recording.';
  const id = makeSimple(made.packed(simpleEvents()), { state: 'cut short', reason, pagesLeftOut: 2 });
  const page = await player.open(id);
  await untilReady(page);
  assert.is(await noteOf(page), `Cut short: ${reason} 2 more pages were not recorded.`);
});

test('shows the first of a large number of rows and the number of the others', async () => {
  const more = Array.from({ length: 2_100 }, (_, at) =>
    made.protocolEvent(start + 1_000 + at, 'console', { level: 'log', text: `line ${at}` }),
  );
  const page = await player.open(makeSimple(made.packed([...simpleEvents().slice(0, 3), ...more])));
  await page.waitForFunction(`document.querySelector('#show-console .count').textContent === '2100'`);
  assert.is(await player.text(page, '#console .more'), '100 more are not shown.');
  assert.is(await page.$$eval('#console li', (rows) => rows.length), 2_000);
});

test('no axe violations in either theme, no layout shifts, overflow or CSP violations', async () => {
  const events = made.packed(simpleEvents());
  const id = makeSimple(events, { state: 'cut short', reason: 'The browser exited.' });
  const running = makeSimple(events, { state: 'recording', endedOn: null });
  const check = async (page: Page, what: string) => {
    assert.equal(await violations(page), [], what);
    assert.equal(await darkContrastFaults(page), [], `${what}, dark`);
  };
  for (const width of [1_280, 390]) {
    const page = await player.open(id, { width, script: records });
    await untilReady(page);
    await page.waitForFunction(`document.querySelectorAll('#events li').length === 4`);
    await page.focus('#track');
    await page.keyboard.press('End');
    await page.waitForSelector('#events [aria-current]');
    await check(page, `player ${width}`);
    assert.equal(await page.evaluate('[shift, refused, document.documentElement.scrollWidth]'), [0, [], width]);
    const heights = await page.evaluate(`[...document.querySelectorAll('#marks i')].map((mark) => mark.offsetHeight)`);
    assert.equal(heights, [10, 10, 10, 10, 4], 'markers and an idle time');
    await page.click('#show-network');
    await check(page, `network ${width}`);
    const missing = await player.open(makeSimple(undefined), { width });
    await untilVeilTitle(missing, 'This tab cannot be shown');
    await check(missing, `words ${width}`);
    const later = await player.open(running, { width });
    assert.is(await later.$eval('.notice a', (link) => link.checkVisibility() && link.href), later.url());
    await check(later, `notice ${width}`);
  }
});

test('scripts are small, and the replay script is only loaded for replays', async () => {
  const manifest: UiManifest = JSON.parse(readFileSync(join(root, 'dist/ui/manifest.json'), 'utf8'));
  const ui = new Ui();
  const bytes = async (path: string) => {
    const answer = await ui.asset(
      path,
      new Request(`http://localhost${path}`, { headers: { 'accept-encoding': 'br' } }),
    );
    return (await answer?.arrayBuffer())?.byteLength ?? Number.NaN;
  };
  const files = Object.keys(manifest.files).filter((path) => /^\/_ui\/(?:player|replay)/.test(path));
  const sizeOf = async (pattern: RegExp) => {
    const sizes = await Promise.all(files.filter((path) => pattern.test(path)).map(bytes));
    return sizes.reduce((sum, each) => sum + each, 0);
  };
  const own = await sizeOf(/\/player[^/]*\.js$/);
  const replay = await sizeOf(/\/replay[^/]*\.js$/);
  const style = await sizeOf(/\/player[^/]*\.css$/);
  assert.ok(own > 1_000 && own <= 7_000, `${own} bytes of Brotli`);
  assert.ok(replay > 10_000 && replay <= 45_000, `${replay} bytes of Brotli`);
  assert.ok(style > 500 && style <= 4_000, `${style} bytes of Brotli`);
  const html = await ui.page('player', { base: '/browser', theme: 'dark', data: '/player/abc' });
  assert.match(html, /data-from="\/browser\/player\/abc"/);
  assert.not.match(html, /\{\{| style=|<style|<script(?![^>]* src=)|replay-frame/);
});
