// The page that plays recordings, in a browser: a video that Chromium recorded, and a page that rrweb recorded.
// @tier ci
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Frame, Page } from 'puppeteer-core';
import { type Reader, startReader } from '../support/checks/reader.ts';
import * as made from '../support/player/made-recordings.ts';
import { createPlayer, type Player } from '../support/player/player.ts';
import { connect } from '../support/clients/clients.ts';
import { listed } from '../support/clients/recordings.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('player', { timeoutMs: 180_000 });
let service: Service;
let reader: Reader;
let player: Player;
/** A video of two tabs; the second one is animated. */
let video: string;
/** Length of the second tab's video in seconds. */
let videoLength = 0;
/** A replay with a click, see makeShop. */
let shopReplay: string;

test.before(async () => {
  service = await startService({ env: { SPARES: '0', TIMEOUT: '0' } });
  reader = await startReader();
  player = createPlayer(service, reader);
  video = await made.recordVideo(service);
  made.changeMeta(service, video, ({ tabs, endedOn }) => {
    videoLength = ((tabs[1]?.endedOn ?? endedOn ?? 0) - (tabs[1]?.startedOn ?? 0)) / 1_000;
    return { tabs: tabs.map((tab) => ({ ...tab, title: `Tab <${tab.tab}>` })) };
  });
  shopReplay = await makeShop();
});
test.after(() => stopAll(reader, service));

/** Opens the animated tab of the video. */
async function openVideo(): Promise<Page> {
  const page = await player.open(video);
  await page.waitForSelector('body[data-state=ready]');
  await page.click('#tab-2');
  await page.waitForFunction(
    `document.querySelectorAll('video').length === 1 && document.querySelector('video').src.endsWith('tab=2')`,
  );
  await page.waitForSelector('body[data-state=ready]');
  return page;
}
const inVideo = (page: Page, what: string) => page.evaluate(`document.querySelector('video').${what}`);
const videoIs = (page: Page, condition: string) =>
  page.waitForFunction(
    `(({ currentTime, paused, ended, duration, seeking, playbackRate }) => ${condition})(document.querySelector('video'))`,
  );

test('a video plays, pauses, and restarts after its end; its length is that of the recording', async () => {
  const page = await openVideo();
  const length = Number(await inVideo(page, 'duration'));
  assert.ok(length > 1 && Math.abs(length - videoLength) < 2 + videoLength / 2, `${length} instead of ${videoLength}`);
  assert.is(await player.attribute(page, '#track', 'aria-valuemax'), String(Math.floor(length)));
  await page.click('#play');
  await videoIs(page, 'currentTime > 0.3');
  assert.is(await player.attribute(page, '#play', 'aria-label'), 'Pause');
  await page.click('#play');
  assert.is(await inVideo(page, 'paused'), true);
  await page.select('#speed', '8');
  assert.is(await inVideo(page, 'playbackRate'), 8);
  await page.click('#play');
  await videoIs(page, 'ended');
  await page.waitForSelector('body:not(.playing)');
  assert.is(await player.now(page), await player.text(page, '#length'));
  await page.select('#speed', '0.5');
  await page.click('#play');
  await videoIs(page, '!ended && currentTime > 0.05 && currentTime < duration / 2');
});

test('keys and pointer seek, and the frame changes accordingly', async () => {
  const page = await openVideo();
  const length = Number(await inVideo(page, 'duration'));
  await page.focus('#track');
  await page.keyboard.press('End');
  await videoIs(page, 'Math.abs(currentTime - duration) < 0.1');
  await page.keyboard.press('Home');
  await videoIs(page, 'currentTime === 0 && !seeking');
  const pixels = () =>
    page.evaluate(`(() => {
    const canvas = new OffscreenCanvas(64, 48);
    const context = canvas.getContext('2d');
    context.drawImage(document.querySelector('video'), 0, 0, 64, 48);
    return [...context.getImageData(0, 0, 64, 48).data].join();
  })()`);
  const first = await pixels();
  const track = await page.$('#track');
  const box = await track?.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + box.width / 2, box.y + 20);
  await videoIs(page, 'Math.abs(currentTime - duration / 2) < 0.1 && !seeking');
  assert.is.not(await pixels(), first);
  assert.match(String(await player.attribute(page, '#track', 'aria-valuetext')), /^0:\d\d of 0:\d\d$/);
  await page.keyboard.press('PageUp');
  await videoIs(page, `Math.abs(currentTime - duration * 0.6) < 0.1`);
  await page.keyboard.press(' ');
  await videoIs(page, '!paused');
  await page.keyboard.press(' ');
  await videoIs(page, 'paused');
  assert.ok(length > 1);
});

test('events are listed next to a video and marked on its timeline; the files can be saved', async () => {
  const id = await copyWithEvents();
  const page = await player.open(id);
  await page.click('#tab-2');
  await page.waitForFunction(`document.querySelectorAll('#events li').length === 3`);
  const rows = await player.texts(page, '#events li');
  assert.equal(rows, ['0:00shop.example/beans', '0:00Uncaught <b>TypeError</b>', '0:01POST shop.example/api/cart 500']);
  // On a slow machine, the recording has idle times.
  const marks = (await player.marks(page)).filter((kind) => kind !== 'idle');
  assert.equal(marks, ['navigation', 'error', 'error']);
  assert.is(await player.text(page, '#show-console'), 'Console 2');
  assert.is(await player.text(page, '#show-network'), 'Network 2');
  await page.focus('#show-events');
  await page.keyboard.press('ArrowRight');
  assert.is(await player.isSeen(page, '#console'), true);
  assert.is(await player.isSeen(page, '#events'), false);
  await page.click('#show-network');
  await page.click('#network li:nth-child(2) button');
  await videoIs(page, 'Math.abs(currentTime - 1) < 0.1');
  await page.waitForSelector('#events li:nth-child(3) [aria-current]');

  const links = await page.$$eval('.head a:not([hidden])', (all) =>
    all.map((a) => [a.textContent, a.href, a.download]),
  );
  assert.equal(
    links.map(([text]) => text),
    ['MP4', 'WebM'],
  );
  for (const [, href = '', name = ''] of links) {
    assert.match(name, /^recording-.*-2\.(?:mp4|webm)$/);
    const answer = await fetch(href);
    assert.is(answer.status, 200);
    assert.ok((await answer.arrayBuffer()).byteLength > 1_000);
  }
  assert.is(await page.title(), 'Recording: Tab <1>');
});

/** Adds events to the second tab of the video's recording, between lines that are not events. */
async function copyWithEvents(): Promise<string> {
  const { gzipSync, gunzipSync } = await import('node:zlib');
  made.changeMeta(service, video, ({ tabs }) => {
    const at = tabs[1]?.startedOn ?? 0;
    const events = made.packed([
      made.protocolEvent(at - 50, 'navigation', { url: 'https://shop.example/beans' }),
      made.protocolEvent(at + 300, 'console', { level: 'log', text: 'ready' }),
      made.protocolEvent(at + 500, 'console', { level: 'error', text: 'Uncaught <b>TypeError</b>' }),
      made.protocolEvent(at + 700, 'request', {
        method: 'GET',
        url: 'https://shop.example/a.js',
        type: 'Script',
        status: 200,
        ms: 4,
      }),
      made.protocolEvent(at + 1_000, 'request', {
        method: 'POST',
        url: 'https://shop.example/api/cart',
        type: 'Fetch',
        status: 500,
        ms: 9,
      }),
    ]);
    const lines = gunzipSync(events).toString();
    writeFileSync(
      join(made.directoryOf(service, video), 'events-2.ndjson.gz'),
      gzipSync(`nonsense\n[1]\n{"type":5}\n${lines}`),
    );
    return {};
  });
  return video;
}

const shop = `<!doctype html><title>Shop</title><h1>Beans</h1><button>Add to <b>cart</b></button><ul></ul>`;

/** A replay with a click and its effect, then a minute of idle time, then another change. */
async function makeShop(): Promise<string> {
  const page = await reader.open({ width: 800, height: 500 });
  const events = await made.recordEvents(
    page,
    shop,
    `document.querySelector('b').click();
     document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>Sidama');
     await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
     document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>Huila');`,
  );
  await page.close();
  const changes = events.filter(({ type, data }) => type === 3 && data['source'] === 0);
  const start = events[0]?.timestamp ?? 0;
  const [first, second] = changes;
  assert.ok(first && second && changes.length === 2, `${changes.length} changes`);
  for (const event of events) event.timestamp = start + (event.type === 3 ? 2_000 : event.timestamp - start);
  first.timestamp = start + 3_000;
  second.timestamp = start + 63_000;
  const all = [
    ...events,
    made.protocolEvent(start, 'navigation', { url: 'https://shop.example/' }),
    made.protocolEvent(start + 64_000, 'notice', { text: 'Enough' }),
  ];
  all.sort((one, other) => one.timestamp - other.timestamp);
  return made.makeReplay(
    service,
    [
      { title: 'Shop', website: 'https://shop.example/', events: made.packed(all) },
      { website: 'https://pay.example/now', events: undefined },
    ],
    [start, start + 64_000],
  );
}

test('a replay shows the page at each point in time, back and forth, and skips idle time', async () => {
  const page = await player.open(shopReplay);
  await page.waitForSelector('body[data-state=ready]');
  const inner = await player.inner(page);
  const shows = (text: string) => player.shows(inner, text);
  await shows('Beans Add to cart');
  await page.waitForFunction(`document.querySelectorAll('#events li').length === 3`);
  const rows = await player.texts(page, '#events .text');
  assert.equal(rows, ['shop.example/', 'Click “Add to cart”', 'Enough']);
  assert.equal(await player.marks(page), ['navigation', 'click', 'notice', 'idle']);
  await page.focus('#track');
  await page.keyboard.press('ArrowRight');
  await shows('Beans Add to cart Sidama');
  await page.keyboard.press('End');
  await shows('Beans Add to cart Sidama Huila');
  await page.keyboard.press('Home');
  await shows('Beans Add to cart');
  await page.click('#events li:nth-child(2) button');
  await page.waitForFunction(`document.querySelector('#now').textContent === '0:02'`);
  // 64 seconds, of which 60 are idle: without skipping them, this would take 32 seconds.
  await page.select('#speed', '2');
  await page.click('#play');
  await page.waitForSelector('body.playing');
  await page.waitForFunction(`document.querySelector('#now').textContent === '1:04'`, { timeout: 25_000 });
  await page.waitForSelector('body:not(.playing)');
  await shows('Beans Add to cart Sidama Huila');

  await page.click('#skip');
  await page.click('#events li:nth-child(2) button');
  await page.select('#speed', '8');
  await page.click('#play');
  await page.waitForFunction(`document.querySelector('#now').textContent.startsWith('0:1')`);
  await page.click('#play');
  assert.is(await player.attribute(page, '#play', 'aria-label'), 'Play');

  await page.click('#tab-2');
  await page.waitForFunction(`document.querySelector('#veil-title').textContent === 'This tab cannot be shown'`);
  assert.is(await player.text(page, '#tab-2'), 'pay.example/now');
  assert.is(await page.$$eval('iframe', (frames) => frames.length), 1);
});

test('the document of a replay has no origin and no access to the surrounding page', async () => {
  const page = await player.open(shopReplay);
  await page.waitForSelector('body[data-state=ready]');
  const inner: Frame = await player.inner(page);
  const tried = (what: string) =>
    inner.evaluate(`(() => { try { return String(${what}) } catch (error) { return error.name } })()`);
  assert.is(await tried('origin'), 'null');
  assert.is(await tried('document.cookie'), 'SecurityError');
  assert.is(await tried('localStorage.length'), 'SecurityError');
  assert.is(await tried('top.document.title'), 'SecurityError');
  assert.is(await tried('parent.document.title'), 'SecurityError');
  // Messages that are not from the enclosing page are ignored.
  await inner.evaluate(`postMessage({ t: 'events', json: '[{"type":9}]', isLast: true }, '*')`);
  await page.evaluate(`postMessage({ t: 'failed' }, '*')`);
  await page.evaluate(`new Promise((resolve) => setTimeout(resolve))`);
  assert.is(await page.evaluate(`document.body.dataset.state`), 'ready');
  const asked = await inner.evaluate(`fetch('${service.url}/docs/').then(() => 'answered', (error) => error.name)`);
  assert.is(asked, 'TypeError');
});

test('a replay of a session plays in a full browser, without a token, from the page that it visited', async () => {
  const full = await startReader([], true);
  const site = await startSite();
  try {
    const browser = await connect(service, '/chromium', { replay: true });
    const session = await browser.newPage();
    await session.goto(`${site.url}/live/form`);
    await session.evaluate(`document.querySelector('#words').textContent = 'fourth'`);
    await browser.close();
    const meta = await until('the end of the replay', async () =>
      (await listed(service)).recordings.find(
        ({ state, tabs }) => state === 'finished' && tabs.some(({ title }) => title === 'Live'),
      ),
    );
    const watching = createPlayer(service, full);
    const page = await watching.open(meta.id);
    await page.waitForSelector('body[data-state=ready]');
    assert.equal(await watching.texts(page, '#tabs button'), ['Tab 1', 'Live']);
    assert.is(await watching.attribute(page, '#tab-2', 'aria-selected'), 'true');
    assert.is(await watching.text(page, '#title'), 'Live');
    await page.focus('#track');
    await page.keyboard.press('End');
    await watching.until(await watching.inner(page), `built.querySelector('#words')?.textContent === 'fourth'`);
  } finally {
    await stopAll(full, site);
  }
});
