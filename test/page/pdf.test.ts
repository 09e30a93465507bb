// The page driver: PDF documents, read back with pdf.js. test/fields/pdf.test.ts tests each option by its effect.
import * as assert from 'uvu/assert';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import { addScriptTags } from '../../src/browser/page/load/tags.ts';
import { printToPdf } from '../../src/browser/page/capture/pdf.ts';
import { setContent } from '../../src/browser/page/load/set-content.ts';
import type { PdfOptions } from '../../src/base/schema/request/fields.ts';
import { readPdf } from '../support/checks/media.ts';
import { gotoDefaults, pageSuite } from '../support/pages.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = pageSuite('page: pdf', { timeoutMs: 90_000 });

const defaults: PdfOptions = {
  scale: 1,
  displayHeaderFooter: false,
  printBackground: false,
  landscape: false,
  preferCSSPageSize: false,
  margin: {},
  omitBackground: false,
  tagged: true,
  outline: false,
  timeout: 30_000,
  waitForFonts: true,
  fullPage: false,
};

async function bytesOf(made: Uint8Array | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return made instanceof Uint8Array ? made : new Uint8Array(await new Response(made).arrayBuffer());
}

/** Prints a page on the site, or HTML that starts with `<`. */
const print = (source: string, options: Partial<PdfOptions> = {}) =>
  fixture.browser.withPage(async (page) => {
    if (source.startsWith('<')) await setContent(page, source, gotoDefaults);
    else await navigate(page, `${fixture.site.url}${source}`, gotoDefaults);
    return readPdf(await bytesOf(await printToPdf(page, { ...defaults, ...options })));
  });

test('a header with external assets does not stall or crash', async () => {
  for (const asset of [
    `<img src="${fixture.site.url}/hang">`,
    `<link rel="stylesheet" href="${fixture.site.url}/hang">`,
    `<style>@import "${fixture.site.url}/hang"; @import url(${fixture.site.url}/hang);</style>`,
    `<style>@font-face{font-family:A;src:url("${fixture.site.url}/hang")} b{font-family:A}</style><b>b</b>`,
  ]) {
    const began = idleNow();
    const pdf = await print('/small', {
      displayHeaderFooter: true,
      headerTemplate: `${asset}<div style="font-size:10px">header text</div>`,
      footerTemplate: '<p></p>',
      margin: { top: 1 },
    });
    assert.match(pdf.pages[0]?.text ?? '', 'header text', asset);
    assert.ok(idleNow() - began < 5_000, asset);
  }
});

test('fullPage prints one page as tall as the document', async () => {
  for (const source of ['/tall', '/medium', '/lazy', '<p style="margin:0;height:333.3px">short</p>']) {
    const pdf = await print(source, { fullPage: true });
    assert.is(pdf.pages.length, 1, `${source}: ${pdf.pages.length} pages`);
  }
  const tall = await print('/tall', { fullPage: true, printBackground: true });
  assert.is(Math.round(tall.pages[0]?.width ?? 0), 8.5 * 72);
  assert.ok(Math.abs((tall.pages[0]?.height ?? 0) - 3_000 * 0.75) < 3);
  const margins = await print('/tall', { fullPage: true, margin: { top: 1, bottom: 1 }, width: 5, scale: 0.5 });
  assert.is(margins.pages.length, 1);
  assert.ok(Math.abs((margins.pages[0]?.height ?? 0) - (1_500 * 0.75 + 144)) < 3);
});

/** Noise does not compress, so the document has three megabytes or more. */
const noise = `const canvas = document.createElement('canvas');
canvas.width = canvas.height = 1_000;
const picture = canvas.getContext('2d').createImageData(1_000, 1_000);
for (let i = 0; i < picture.data.length; i += 65_536) crypto.getRandomValues(picture.data.subarray(i, i + 65_536));
for (let i = 3; i < picture.data.length; i += 4) picture.data[i] = 255;
canvas.getContext('2d').putImageData(picture, 0, 0);
document.body.prepend(canvas);`;

test('a small document is returned whole, a large one as a stream', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/pages/300`, gotoDefaults);
    assert.instance(await printToPdf(page, defaults), Uint8Array);
    await addScriptTags(page, [{ content: noise }]);
    const made = await printToPdf(page, { ...defaults, tagged: true });
    assert.instance(made, ReadableStream);
    const bytes = await bytesOf(made);
    assert.ok(bytes.length > 2 ** 20);
    assert.ok((await readPdf(bytes)).pages.length >= 300);
  }));

test('canceling the stream releases the document', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/small`, gotoDefaults);
    await addScriptTags(page, [{ content: noise }]);
    const made = await printToPdf(page, defaults);
    if (!(made instanceof ReadableStream)) throw new Error('expected a stream');
    const closed: unknown[] = [];
    const { session } = page;
    const send = session.send.bind(session);
    session.send = (method, params) => {
      if (method === 'IO.close') closed.push(params);
      return send(method, params);
    };
    const reader = made.getReader();
    await reader.read();
    await reader.cancel();
    assert.is(closed.length, 1);
  }));
