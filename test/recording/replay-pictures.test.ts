// Pictures, fonts and style sheets in session replays: which are recorded, how many, and that a player shows them.
// @tier ci
import type { Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { connect, endAll } from '../support/clients/clients.ts';
import { ended, eventsOf, listed, payloadsOf, type ReplayEvent, written } from '../support/clients/recordings.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { createPlayer } from '../support/player/player.ts';

const { test, service, site } = fixtureSuite('pictures of replays', {
  env: { SPARES: '0', TIMEOUT: '0' },
  timeoutMs: 60_000,
});
let reader: Reader;
test.before(async () => {
  reader = await startReader();
});
test.after.each(() => endAll(service));
test.after(() => reader.close());

const answer = (body: string, type = 'text/html; charset=utf-8', more = '') =>
  `/answer?type=${encodeURIComponent(type)}${more}&body=${encodeURIComponent(body)}`;
const drawing = (color: string) =>
  answer(
    `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="${color}"/></svg>`,
    'image/svg+xml',
  );
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** Opens a page in a recorded session. */
async function visit(html: string): Promise<Browser> {
  const browser = await connect(service, '/', { replay: true });
  const [page] = await browser.pages();
  await page?.goto(`${site.url}${answer(html)}`);
  return browser;
}

/** Ends the session. @returns id and events of its replay */
async function finish(browser: Browser): Promise<{ id: string; events: ReplayEvent[] }> {
  await browser.close();
  const id = (await listed(service)).recordings[0]?.id ?? '';
  await ended(service, id);
  return { id, events: await eventsOf(service, id, 1) };
}

const textOf = ({ data }: Record<string, unknown>) =>
  Buffer.from(String(data).split(',')[1] ?? '', 'base64').toString();

test('what a page shows from files is recorded once, and a player shows it without asking any server', async () => {
  const other = (path: string) => `${site.otherUrl}${path}`;
  const imported = answer(`body { background: rgb(1, 2, 3) url(${other(drawing('red'))}) }`, 'text/css');
  const sheet = answer(`@import url("${other(imported)}"); p { color: rgb(4, 5, 6) }`, 'text/css');
  const moved = answer('', 'text/plain', `&status=302&header=${encodeURIComponent(`location: ${drawing('blue')}`)}`);
  const script = answer('document.body.append("ran")', 'text/javascript');
  const framed = other(answer(`<img src="${escaped(drawing('gray'))}">`));
  const html = `<title>Shown</title><link rel="stylesheet" href="${escaped(other(sheet))}">
    <img id="near" src="${escaped(drawing('green'))}"><img src="${escaped(drawing('green'))}">
    <img id="other" src="${escaped(other(drawing('lime')))}" srcset="${escaped(other(drawing('teal')))} 1x, /none.png 9x">
    <img id="moved" src="${escaped(moved)}"><img id="missing" src="/none.png?secret=1">
    <svg><use href="${escaped(drawing('navy'))}#x"/></svg><p>text</p><iframe src="${escaped(framed)}"></iframe>
    <script src="${escaped(script)}"></script><script>fetch('${drawing('fetched')}')</script>`;
  const { id, events } = await finish(await visit(html));
  const resources = payloadsOf(events, 'resource');
  const text = resources.map(textOf).join();
  for (const color of ['green', 'teal', 'blue', 'navy', 'red']) {
    assert.is(text.split(`fill="${color}"`).length, 2, `${color} is recorded once`);
  }
  for (const none of ['fetched', 'gray', 'ran']) assert.not.match(text, none);
  assert.ok(resources.some(({ url }) => url === `${site.url}${moved}`));
  assert.equal(payloadsOf(events, 'notice'), []);

  site.clear();
  const player = createPlayer(service, reader);
  const page = await player.open(id);
  const inner = await player.inner(page);
  await page.focus('#track');
  await page.keyboard.press('End');
  for (const name of ['near', 'other', 'moved'])
    await player.until(inner, `built.querySelector('#${name}')?.naturalWidth === 40`);
  const styleOf = (selector: string) => `built.defaultView.getComputedStyle(built.querySelector('${selector}'))`;
  await player.until(inner, `${styleOf('p')}.color === 'rgb(4, 5, 6)'`);
  await player.until(inner, `${styleOf('body')}.backgroundColor === 'rgb(1, 2, 3)'`);
  await player.until(inner, `${styleOf('body')}.backgroundImage.startsWith('url("blob:null/')`);
  assert.equal(site.requests, []);
});

test('what does not fit is left out with a notice: a large picture, and more than a tab may have', async () => {
  const browser = await visit('<title>Large</title>');
  const [page] = await browser.pages();
  const load = (path: string) =>
    page?.evaluate(
      `(async () => { const image = new Image(); image.src = '${path}'; await image.decode(); document.body.append(image); })()`,
    );
  await load('/replay/large?megabytes=20');
  for (let at = 0; at < 8; at++) await load(`/replay/large?megabytes=7&${at}`);
  await load(drawing('tan'));
  const [running] = (await listed(service)).recordings;
  await written(service, running?.id ?? '', new URL(drawing('tan'), site.url).search);
  const { events } = await finish(browser);
  const resources = payloadsOf(events, 'resource');
  assert.is(resources.filter(({ url }) => String(url).includes('megabytes=7')).length, 6);
  assert.not.ok(resources.some(({ url }) => String(url).includes('megabytes=20')));
  assert.ok(resources.some((resource) => textOf(resource).includes('fill="tan"')));
  const notices = payloadsOf(events, 'notice').map((notice) => String(notice['text']));
  assert.is(notices.length, 2);
  assert.match(notices[0] ?? '', 'more than 8 MB');
  assert.match(notices[1] ?? '', 'left out from here');
});

test('many small pictures are recorded; after the end of the recording, none is', async () => {
  const color = (at: number) => `rgb(0,0,${at})`;
  const pictures = Array.from({ length: 250 }, (_, at) => `<img src="${escaped(drawing(color(at)))}">`);
  const browser = await visit(`<title>Many</title>`);
  const [page] = await browser.pages();
  assert.ok(page);
  await page.setContent(pictures.join(''), { waitUntil: 'load' });
  const cdp = await page.createCDPSession();
  // The client's types do not know this command.
  const stop = cdp.send.bind(cdp) as unknown as (method: string) => Promise<{ error: string | null }>;
  assert.is((await stop('Browserless.stopSessionRecording')).error, null);
  await page.setContent(`<img src="${site.url}${drawing('late')}">`, { waitUntil: 'load' });
  const { events } = await finish(browser);
  const text = payloadsOf(events, 'resource').map(textOf).join();
  for (let at = 0; at < 250; at++) assert.ok(text.includes(`fill="${color(at)}"`), String(at));
  assert.not.match(text, 'late');
});
