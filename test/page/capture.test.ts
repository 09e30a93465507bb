// The page driver: images of pages, read back pixel by pixel.
import * as assert from 'uvu/assert';
import { evaluateText } from '../../src/browser/page/evaluate.ts';
import { captureScreenshot } from '../../src/browser/page/capture/capture.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import type { Page } from '../../src/browser/page/page.ts';
import { scrollThrough } from '../../src/browser/page/capture/scroll.ts';
import { setContent } from '../../src/browser/page/load/set-content.ts';
import type { ScreenshotOptions } from '../../src/base/schema/request/fields.ts';
import { isColor, readJpeg, readPng, webpSize } from '../support/checks/media.ts';
import { failureOf, gotoDefaults, prepare, pageSuite } from '../support/pages.ts';
import { bands, colors } from '../support/site/pages.ts';

const { test, fixture } = pageSuite('page: capture', { timeoutMs: 60_000 });

const defaults: ScreenshotOptions = {
  type: 'png',
  fromSurface: true,
  fullPage: false,
  omitBackground: false,
  encoding: 'binary',
  optimizeForSpeed: false,
};
const window = { width: 800, height: 600, deviceScaleFactor: 1, isMobile: false, isLandscape: false, hasTouch: false };

const shoot = (path: string, options: Partial<ScreenshotOptions>, selector?: string, viewport = window) =>
  fixture.browser.withPage(async (page: Page) => {
    await prepare(page, { viewport });
    await navigate(page, `${fixture.site.url}${path}`, gotoDefaults);
    return captureScreenshot(page, { ...defaults, ...options }, selector);
  });

test('captures the viewport by default', async () => {
  const image = readPng(await shoot('/tall', {}));
  assert.equal([image.width, image.height], [800, 600]);
  assert.ok(isColor(image.at(5, 5), colors.red));
  assert.ok(isColor(image.at(5, 595), colors.green));
});

test('captures the full page', async () => {
  const image = readPng(await shoot('/tall', { fullPage: true }));
  assert.equal([image.width, image.height], [800, 3_000]);
  for (const [index, band] of bands.entries()) assert.ok(isColor(image.at(400, index * 500 + 250), colors[band]), band);
});

test('a full page that fits has the size of the viewport', async () => {
  const image = readPng(await shoot('/small', { fullPage: true }));
  assert.equal([image.width, image.height], [800, 600]);
});

test('captures device pixels', async () => {
  const image = readPng(
    await shoot('/boxes', { fullPage: true }, undefined, { ...window, width: 400, deviceScaleFactor: 2 }),
  );
  assert.is(image.width, 800);
  assert.is(image.height, 2_030 * 2);
  assert.ok(isColor(image.at(210, 110), colors.red));
  assert.ok(isColor(image.at(30, 4_010), colors.blue));
});

test('does not repeat content beyond 16384 pixels', async () => {
  const image = readPng(
    await fixture.browser.withPage(async (page) => {
      const rows = Array.from({ length: 180 }, (_, i) => `<div style="height:100px;background:rgb(${i},100,0)"></div>`);
      await setContent(page, `<!doctype html><style>body{margin:0}</style>${rows.join('')}`, gotoDefaults);
      return captureScreenshot(page, { ...defaults, fullPage: true });
    }),
  );
  assert.is(image.height, 18_000);
  for (let row = 0; row < 180; row++) assert.ok(isColor(image.at(400, row * 100 + 50), [row, 100, 0]), `row ${row}`);
});

test('an image that is too large is rejected with what to use instead', () =>
  fixture.browser.withPage(async (page) => {
    await setContent(page, '<div style="height:1000000px">', gotoDefaults);
    const error = await failureOf(captureScreenshot(page, { ...defaults, fullPage: true }));
    assert.is(error.code, 'bad-request');
    assert.match(error.message, '"clip"');
  }));

test('captures a clip inside and below the viewport, with scale', async () => {
  const inside = readPng(await shoot('/boxes', { clip: { x: 90, y: 40, width: 50, height: 60, scale: 1 } }));
  assert.equal([inside.width, inside.height], [50, 60]);
  assert.ok(isColor(inside.at(5, 5), colors.white));
  assert.ok(isColor(inside.at(15, 15), colors.red));
  const below = readPng(await shoot('/boxes', { clip: { x: 0, y: 1_990, width: 100, height: 50, scale: 2 } }));
  assert.equal([below.width, below.height], [200, 100]);
  assert.ok(isColor(below.at(40, 40), colors.blue));
  assert.ok(isColor(below.at(5, 5), colors.white));
});

test('captures an element, even far below the viewport, and a part of it', async () => {
  const box = readPng(await shoot('/boxes', {}, '#box'));
  assert.equal([box.width, box.height], [120, 80]);
  for (const [x, y] of [
    [0, 0],
    [119, 79],
  ] as const)
    assert.ok(isColor(box.at(x, y), colors.red));
  const below = readPng(await shoot('/boxes', {}, '#below'));
  assert.equal([below.width, below.height], [40, 30]);
  for (const [x, y] of [
    [0, 0],
    [39, 29],
  ] as const)
    assert.ok(isColor(below.at(x, y), colors.blue));
  const part = readPng(await shoot('/boxes', { clip: { x: 100, y: 0, width: 40, height: 20, scale: 1 } }, '#box'));
  assert.equal([part.width, part.height], [40, 20]);
  assert.ok(isColor(part.at(10, 10), colors.red));
  assert.ok(isColor(part.at(30, 10), colors.white));
});

test('rejects an element that is missing or hidden, and an invalid selector', async () => {
  const absent = await failureOf(shoot('/boxes', {}, '#nowhere'));
  assert.is(absent.code, 'element-not-found');
  assert.is(absent.message, 'Element not found on page!');
  assert.is((await failureOf(shoot('/boxes', {}, '#hidden'))).code, 'bad-request');
  assert.is((await failureOf(shoot('/boxes', {}, 'a['))).code, 'invalid-body');
});

test('captures jpeg and webp, with quality', async () => {
  const rough = await shoot('/tall', { type: 'jpeg', quality: 5 });
  const fine = await shoot('/tall', { type: 'jpeg', quality: 100 });
  assert.ok(rough.length < fine.length);
  assert.ok(isColor(readJpeg(fine).at(5, 5), colors.red, 4));
  const { width, height } = webpSize(await shoot('/tall', { type: 'webp', quality: 50 }));
  assert.equal([width, height], [800, 600]);
});

test('omitBackground is transparent, and only for one image', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/transparent`, gotoDefaults);
    const clear = readPng(await captureScreenshot(page, { ...defaults, omitBackground: true }));
    assert.is(clear.at(700, 500)[3], 0);
    const white = readPng(await captureScreenshot(page, defaults));
    assert.equal(white.at(700, 500), [255, 255, 255, 255]);
  }));

test('a window enlarged for the capture returns to its size', () =>
  fixture.browser.withPage(async (page) => {
    const viewport = { ...window, width: 320, height: 240, isLandscape: true };
    await prepare(page, { viewport });
    await navigate(page, `${fixture.site.url}/tall`, gotoDefaults);
    await captureScreenshot(page, { ...defaults, fullPage: true, captureBeyondViewport: false });
    assert.is(await evaluateText<string>(page, 'screen.orientation.type'), 'landscape-primary');
    assert.equal(await evaluateText<number[]>(page, '[innerWidth, innerHeight]'), [320, 240]);
  }));

test('waits for a font that is still loading', async () => {
  fixture.site.clear();
  await fixture.browser.withPage(async (page) => {
    const html = `<style>@font-face{font-family:A;src:url(${fixture.site.url}/slow?ms=700)}</style><p id=p>x</p>
      <script>onload = () => setTimeout(() => { p.style.fontFamily = 'A' })</script>`;
    await setContent(page, html, gotoDefaults);
    await page.sleep(50);
    const began = performance.now();
    await captureScreenshot(page, defaults);
    assert.ok(performance.now() - began > 400);
  });
});

test('scrolling loads lazy content and returns to the top', async () => {
  fixture.site.clear();
  await fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/lazy`, gotoDefaults);
    await scrollThrough(page);
    const image = readPng(await captureScreenshot(page, { ...defaults, fullPage: true }));
    for (let index = 0; index < 6; index++) {
      const y = 900 * (index + 1) + 8 + index * 54 + 20;
      assert.ok(isColor(image.at(20, y), colors.blue), `image ${index} at ${y}`);
    }
    assert.is(await evaluateText<number>(page, 'scrollY'), 0);
  });
  assert.is(fixture.site.requests.filter(({ path }) => path.startsWith('/images')).length, 6);
});

test('scrolling stops on an endless page', () =>
  fixture.browser.withPage(async (page) => {
    await setContent(
      page,
      '<div style="height:2000px"></div><script>onscroll = () => { const d = document.createElement("div"); d.style.height = "2000px"; document.body.append(d); }</script>',
      gotoDefaults,
    );
    await scrollThrough(page);
  }));
