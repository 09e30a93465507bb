// Every option of POST /screenshot, tested by its effect: format, size and pixels read back from the image.
import * as assert from 'uvu/assert';
import { namesField } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { isColor, readJpeg, readPng, webpSize } from '../support/checks/media.ts';
import { bands, colors } from '../support/site/pages.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { fromBase64 } from '../../src/base/runtime/bytes.ts';

const { test, fixture } = fixtureSuite('fields: screenshot options');

type Fields = Record<string, unknown>;
const shoot = (path: string, options: Fields = {}, fields: Fields = {}): Promise<Reply> =>
  fixture.post('/screenshot', { url: `${fixture.site.url}${path}`, options, ...fields });
const shootHtml = (html: string, options: Fields = {}, fields: Fields = {}): Promise<Reply> =>
  fixture.post('/screenshot', { html, options, ...fields });
const png = async (reply: Promise<Reply>) => readPng((await reply).bytes);
const expectColor = (actual: readonly number[], expected: readonly number[], tolerance?: number) =>
  assert.ok(isColor(actual, expected, tolerance), `expected ${expected}, got ${actual}`);

test('captures the viewport, 800 x 600', async () => {
  const image = await png(shoot('/tall'));
  assert.equal([image.width, image.height], [800, 600]);
  expectColor(image.at(400, 499), colors.red);
  expectColor(image.at(400, 501), colors.green);
});

test.proves('screenshot:options.type');
test.differs('A screenshot is always labeled `image/png`');
test('type jpeg', async () => {
  const reply = await shoot('/tall', { type: 'jpeg' });
  assert.is(reply.headers['content-type'], 'image/jpeg');
  const image = readJpeg(reply.bytes);
  assert.equal([image.width, image.height], [800, 600]);
  expectColor(image.at(400, 100), colors.red, 12);
});

test.proves('screenshot:options.type');
test('type webp', async () => {
  const reply = await shoot('/tall', { type: 'webp' });
  assert.is(reply.headers['content-type'], 'image/webp');
  const { width, height } = webpSize(reply.bytes);
  assert.equal([width, height], [800, 600]);
});

for (const type of ['jpeg', 'webp']) {
  test.proves('screenshot:options.quality');
  test(`quality of ${type}`, async () => {
    const [low, high] = [await shoot('/medium', { type, quality: 0 }), await shoot('/medium', { type, quality: 100 })];
    assert.ok(low.bytes.length * 1.5 < high.bytes.length, `${low.bytes.length} and ${high.bytes.length} bytes`);
  });
}

test.proves('screenshot:options.fullPage');
test('fullPage', async () => {
  const image = await png(shoot('/tall', { fullPage: true }));
  assert.equal([image.width, image.height], [800, 3_000]);
  for (const [index, band] of bands.entries()) expectColor(image.at(10, index * 500 + 250), colors[band]);
});

test('fullPage with a viewport and deviceScaleFactor', async () => {
  const viewport = { width: 300, height: 200, deviceScaleFactor: 2 };
  const image = await png(shoot('/tall', { fullPage: true }, { viewport }));
  assert.equal([image.width, image.height], [600, 6_000]);
  expectColor(image.at(10, 5_990), colors.blue);
});

test('fullPage of a page shorter than the viewport captures the viewport', async () => {
  const image = await png(shoot('/small', { fullPage: true }));
  assert.equal([image.width, image.height], [800, 600]);
});

test.proves(
  'screenshot:options.clip.x screenshot:options.clip.y screenshot:options.clip.width screenshot:options.clip.height',
);
test('clip', async () => {
  const clip = { x: 90, y: 40, width: 50, height: 60 };
  const image = await png(shoot('/boxes', { clip }));
  assert.equal([image.width, image.height], [50, 60]);
  expectColor(image.at(9, 30), colors.white);
  expectColor(image.at(11, 30), colors.red);
  expectColor(image.at(30, 9), colors.white);
});

test.proves('screenshot:options.clip.scale');
test('clip.scale', async () => {
  const clip = { x: 100, y: 50, width: 50, height: 40, scale: 0.5 };
  const half = await png(shoot('/boxes', { clip }));
  assert.equal([half.width, half.height], [25, 20]);
});

test('a clip below the viewport is captured', async () => {
  const image = await png(shoot('/boxes', { clip: { x: 10, y: 2_000, width: 40, height: 30 } }));
  assert.equal([image.width, image.height], [40, 30]);
  expectColor(image.at(20, 15), colors.blue);
});

test.proves('screenshot:options.captureBeyondViewport');
test('captureBeyondViewport', async () => {
  const clip = { x: 0, y: 590, width: 100, height: 100 };
  assert.is((await png(shoot('/tall', { clip, captureBeyondViewport: true }))).height, 100);
  const cut = await png(shoot('/tall', { clip, captureBeyondViewport: false }));
  assert.equal([cut.width, cut.height], [100, 10]);
  const options = { clip: { ...clip, y: 600 }, captureBeyondViewport: false };
  await fixture.refuse('/screenshot', { url: `${fixture.site.url}/tall`, options }, 400, 'captureBeyondViewport');
});

test.proves('screenshot:options.captureBeyondViewport');
test('captureBeyondViewport: without it, fullPage lays out the page for a window of that size', async () => {
  const html = `<style>body{margin:0;height:2000px;background:rgb(255,0,0)}@media (min-height:1999px){body{background:rgb(0,0,255)}}</style>`;
  for (const [captureBeyondViewport, color] of [
    [true, colors.red],
    [false, colors.blue],
  ] as const) {
    const viewport = { width: 300, height: 200, deviceScaleFactor: 2 };
    const image = await png(shootHtml(html, { fullPage: true, captureBeyondViewport }, { viewport }));
    assert.equal([image.width, image.height], [600, 4_000]);
    expectColor(image.at(10, 3_990), color);
  }
});

test.proves('screenshot:options.omitBackground');
test('omitBackground', async () => {
  const [, , , clear] = (await png(shoot('/transparent', { omitBackground: true }))).at(700, 500);
  assert.is(clear, 0);
  const opaque = (await png(shoot('/transparent', { encoding: 'binary' }))).at(700, 500);
  assert.equal(opaque, [255, 255, 255, 255]);
});

test.proves('screenshot:options.encoding');
test('encoding base64 returns the same image as text', async () => {
  const reply = await shoot('/tall', { encoding: 'base64' });
  assert.match(reply.headers['content-type'] ?? '', /^text\/plain/);
  assert.match(reply.text, /^[A-Za-z0-9+/]+=*\n?$/);
  const image = readPng(fromBase64(reply.text.trim()));
  assert.equal([image.width, image.height], [800, 600]);
});

test.proves('screenshot:options.optimizeForSpeed');
test('optimizeForSpeed makes a larger file', async () => {
  const [fast, small] = [await shoot('/medium', { optimizeForSpeed: true }), await shoot('/medium')];
  assert.ok(fast.bytes.length > small.bytes.length * 1.1, `${fast.bytes.length} and ${small.bytes.length} bytes`);
  assert.equal(readPng(fast.bytes).at(40, 40), readPng(small.bytes).at(40, 40));
});

test.proves('screenshot:options.fromSurface');
test('fromSurface: false captures the whole window, in CSS pixels', async () => {
  const viewport = { width: 300, height: 200, deviceScaleFactor: 2 };
  for (const [fromSurface, width] of [
    [true, 600],
    [false, 300],
  ] as const) {
    const image = await png(shoot('/tall', { fromSurface }, { viewport }));
    assert.is(image.width, width);
    expectColor(image.at(10, 10), colors.red);
  }
  const url = `${fixture.site.url}/boxes`;
  for (const option of [{ fullPage: true }, { clip: { x: 0, y: 0, width: 9, height: 9 } }]) {
    const options = { fromSurface: false, ...option };
    namesField(await fixture.service.post('/screenshot', { url, options }), 'options.fromSurface');
  }
  const ofElement = { url, selector: '#box', options: { fromSurface: false } };
  await fixture.refuse('/screenshot', ofElement, 400, '"fromSurface"', '"selector"');
});

test.proves('screenshot:selector');
test('selector captures the element', async () => {
  const image = await png(shoot('/boxes', {}, { selector: '#box' }));
  assert.equal([image.width, image.height], [120, 80]);
  for (const [x, y] of [
    [1, 1],
    [118, 78],
    [60, 40],
  ] as const)
    expectColor(image.at(x, y), colors.red);
});

test('selector captures an element below the viewport, with deviceScaleFactor and type', async () => {
  const viewport = { width: 800, height: 600, deviceScaleFactor: 2 };
  const image = await png(shoot('/boxes', {}, { selector: '#below', viewport }));
  assert.equal([image.width, image.height], [80, 60]);
  expectColor(image.at(40, 30), colors.blue);
  const reply = await shoot('/boxes', { type: 'jpeg' }, { selector: '#box' });
  assert.equal([readJpeg(reply.bytes).width, readJpeg(reply.bytes).height], [120, 80]);
});

test('a selector of a hidden element and an invalid selector are errors', async () => {
  const url = `${fixture.site.url}/boxes`;
  await fixture.refuse('/screenshot', { url, selector: '#hidden' }, 400, 'it is hidden');
  await fixture.refuse('/screenshot', { url, selector: '..' }, 400, '..');
});

test.proves('page:scrollPage');
test('scrollPage loads what comes into view, and goes back to the top', async () => {
  const lazy = () => fixture.site.requests.filter(({ path }) => path.startsWith('/images/')).length;
  await shoot('/lazy', { fullPage: true });
  assert.ok(lazy() < 6, `without scrollPage ${lazy()} images were loaded`);
  fixture.site.clear();
  const image = await png(shoot('/lazy', { fullPage: true }, { scrollPage: true }));
  assert.is(lazy(), 6);
  assert.ok(image.height >= 5_600);
  expectColor(image.at(20, image.height - 30), colors.blue);
  const top = await png(shoot('/tall', {}, { scrollPage: true }));
  expectColor(top.at(10, 10), colors.red);
});

test('scrollPage stops on an endless page', async () => {
  const html = `<body style="height:2000px"><script>onscroll = () => { document.body.style.height = document.body.offsetHeight + 2000 + 'px'; }</script></body>`;
  await fixture.post('/screenshot', { html, scrollPage: true }, { timeout: '20000' });
});

test('Accept selects the type', async () => {
  for (const [accept, type] of Object.entries({ 'image/webp': 'image/webp', 'image/*': 'image/png' })) {
    const reply = await fixture.service.post('/screenshot', { html: '<h1>x</h1>' }, { headers: { accept } });
    assert.equal([reply.status, reply.headers['content-type']], [200, type]);
  }
});

test('an image and the background are both captured', async () => {
  const picture = `<body style="margin:0;background:rgb(0,0,255)"><img src="${fixture.site.url}/images/green-40x40.png"></body>`;
  const image = await png(shootHtml(picture));
  expectColor(image.at(20, 20), colors.green);
  expectColor(image.at(200, 200), colors.blue);
});
