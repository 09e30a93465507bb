// The page driver: images of pages. test/fields/screenshot.test.ts tests each option by its effect.
import * as assert from 'uvu/assert';
import { evaluateText } from '../../src/browser/page/evaluate.ts';
import { captureScreenshot } from '../../src/browser/page/capture/capture.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import { setContent } from '../../src/browser/page/load/set-content.ts';
import type { ScreenshotOptions } from '../../src/base/schema/request/fields.ts';
import { isColor, readPng } from '../support/checks/media.ts';
import { gotoDefaults, prepare, pageSuite } from '../support/pages.ts';
import { problemOf } from '../support/refusals.ts';

const { test, fixture } = pageSuite('page: capture', { timeoutMs: 60_000 });

const defaults: ScreenshotOptions = {
  type: 'png',
  fromSurface: true,
  fullPage: false,
  omitBackground: false,
  encoding: 'binary',
  optimizeForSpeed: false,
};

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
    const error = await problemOf(captureScreenshot(page, { ...defaults, fullPage: true }));
    assert.is(error.code, 'bad-request');
    assert.match(error.message, '"clip"');
  }));

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
    const flags = { isMobile: false, isLandscape: true, hasTouch: false };
    await prepare(page, { viewport: { width: 320, height: 240, deviceScaleFactor: 1, ...flags } });
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

const clip = { x: 0, y: 0, width: 300, height: 2_000, scale: 1 };
for (const [name, options] of Object.entries<Partial<ScreenshotOptions>>({
  clip: { clip },
  'a scaled clip': { clip: { ...clip, x: 100, scale: 2 } },
  'a transparent clip': { clip, omitBackground: true },
  'a clip in the viewport': { clip, captureBeyondViewport: false },
  captureBeyondViewport: { captureBeyondViewport: true },
  fullPage: { fullPage: true },
  'a whole window': { fullPage: true, captureBeyondViewport: false },
})) {
  test(`${name}: the page notices one capture, also while a font loads`, async () => {
    const resizes = (font: boolean) =>
      fixture.browser.withPage(async (page) => {
        const html = `<style>@font-face{font-family:Slow;src:url("${fixture.site.url}/slow?ms=400")}${font ? 'p{font-family:Slow}' : ''}</style>
          <script>window.sizes = []; addEventListener('resize', () => sizes.push(innerHeight))</script><p style="height:2000px">text</p>`;
        await setContent(page, html, { ...gotoDefaults, waitUntil: ['domcontentloaded'] });
        await captureScreenshot(page, { ...defaults, ...options });
        await evaluateText(page, 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        return evaluateText<number[]>(page, 'sizes');
      });
    for (const font of [false, true]) {
      // A page that draws no frame in between does not notice a size at all.
      const sizes = await resizes(font);
      assert.equal(sizes, [...new Set(sizes)], 'no size comes twice');
    }
  });
}
