// BrowserQL: screenshots, PDFs, and tags added to the page.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';
import { readJpeg, readPdf, readPng } from '../support/checks/media.ts';

const { test, fixture } = bqlSuite('BrowserQL capture');

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
const pngOf = (base64: string) => readPng(bytesOf(base64));
const pdfOf = (base64: string) => readPdf(bytesOf(base64));
const sizeOf = ({ width, height }: { width: number; height: number }) => [width, height];

test('screenshot captures the window, the page, a clip and an element in three formats', async () => {
  const data = await fixture.data(`mutation {
    viewport(width: 400, height: 300) { width }
    goto(url: "SITE/tall") { status }
    window: screenshot { base64 format time }
    whole: screenshot(fullPage: true, type: jpeg, quality: 40, optimizeForSpeed: true, timeout: 20000) { base64 format }
    clip: screenshot(clip: { x: 10, y: 490, width: 20, height: 20, scale: 2 }, captureBeyondViewport: true, type: png) { base64 }
    webp: screenshot(type: webp, quality: 50) { base64 format }
    boxes: goto(url: "SITE/boxes") { status }
    element: screenshot(selector: "#box") { base64 }
    below: screenshot(selector: "#below", fromSurface: true) { base64 }
    clear: content(html: "<style>body{margin:0}</style>") { status }
    transparent: screenshot(omitBackground: true) { base64 }
    image: content(html: "<img src='SITE/images/red-30x20.png'>", waitUntil: domContentLoaded) { status }
    loaded: screenshot(selector: "img", waitForImages: true) { base64 }
  }`);
  assert.equal(sizeOf(pngOf(data.window.base64)), [400, 300]);
  assert.equal([data.window.format, data.whole.format, data.webp.format], ['png', 'jpeg', 'webp']);
  assert.equal(sizeOf(readJpeg(bytesOf(data.whole.base64))), [400, 3000]);
  const clip = pngOf(data.clip.base64);
  assert.equal(sizeOf(clip), [40, 40]);
  // The edge between the red and the green band is in the middle.
  assert.equal(
    [clip.at(0, 0).slice(0, 3), clip.at(39, 39).slice(0, 3)],
    [
      [255, 0, 0],
      [0, 128, 0],
    ],
  );
  assert.is(atob(data.webp.base64).slice(8, 12), 'WEBP');
  assert.equal(
    [sizeOf(pngOf(data.element.base64)), sizeOf(pngOf(data.below.base64))],
    [
      [120, 80],
      [40, 30],
    ],
  );
  assert.is(pngOf(data.transparent.base64).at(0, 0)[3], 0);
  assert.equal(pngOf(data.loaded.base64).at(1, 1).slice(0, 3), [255, 0, 0]);
  await fixture.fails(
    'mutation { screenshot(type: png, quality: 5) { base64 } }',
    'screenshot',
    'BAD_ARGUMENT',
    'quality',
  );
  await fixture.fails(
    'mutation { screenshot(selector: "#no", timeout: 200) { base64 } }',
    'screenshot',
    'SELECTOR_NOT_FOUND',
  );
  await fixture.fails(
    'mutation { content(html: "<img src=\'SITE/hang\'>", waitUntil: domContentLoaded) { status } screenshot(waitForImages: true, timeout: 300) { base64 } }',
    'screenshot',
    'TIMEOUT',
    'image',
  );
});

test('pdf prints in every format, with header, footer, margins, page ranges and outline', async () => {
  const formats = ['letter', 'legal', 'tabloid', 'ledger', 'a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
  const inches = [
    [8.5, 11],
    [8.5, 14],
    [11, 17],
    [17, 11],
    [33.1102, 46.811],
    [23.3858, 33.1102],
    [16.5354, 23.3858],
    [11.6929, 16.5354],
    [8.2677, 11.6929],
    [5.8268, 8.2677],
    [4.1339, 5.8268],
  ];
  const sizes = await fixture.data(
    `mutation { goto(url: "SITE/small") { status } letter: pdf(format: letter) { base64 size time } legal: pdf(format: legal) { base64 } tabloid: pdf(format: tabloid) { base64 } ledger: pdf(format: ledger) { base64 } a0: pdf(format: a0) { base64 } a1: pdf(format: a1) { base64 } a2: pdf(format: a2) { base64 } a3: pdf(format: a3) { base64 } a4: pdf(format: a4) { base64 } a5: pdf(format: a5) { base64 } a6: pdf(format: a6) { base64 } }`,
  );
  for (const [index, format] of formats.entries()) {
    const [page] = (await pdfOf(sizes[format].base64)).pages;
    const [width = 0, height = 0] = inches[index] ?? [];
    assert.ok(
      Math.abs((page?.width ?? 0) - width * 72) < 1.5 && Math.abs((page?.height ?? 0) - height * 72) < 1.5,
      format,
    );
  }
  assert.is(atob(sizes.letter.base64).length, sizes.letter.size);
  const data = await fixture.data(`mutation {
    goto(url: "SITE/pages/3") { status }
    all: pdf(displayHeaderFooter: true, headerTemplate: "<b style='font-size:12px'>HEAD</b>", footerTemplate: "<span style='font-size:12px' class=pageNumber></span>",
      marginTop: "2cm", marginBottom: 1, marginLeft: "10mm", marginRight: "20px", printBackground: true, scale: 0.9, timeout: 20000,
      generateTaggedPDF: false, transferMode: "ReturnAsStream", waitForImages: true, preferCSSPageSize: false) { base64 }
    outlined: pdf(generateDocumentOutline: true) { base64 }
    second: pdf(pageRanges: "2", landscape: true, width: 5, height: "20cm") { base64 }
    css: goto(url: "SITE/css-page") { status }
    own: pdf(preferCSSPageSize: true) { base64 }
  }`);
  const printed = await pdfOf(data.all.base64);
  const all = printed.pages;
  assert.is(all.length, 3);
  assert.match(all[0]?.text ?? '', 'HEAD');
  assert.match(all[1]?.text ?? '', 'Page 2');
  const { outline, tagged } = await pdfOf(data.outlined.base64);
  assert.equal([printed.tagged, tagged, outline], [false, true, ['Page 1', 'Page 2', 'Page 3']]);
  const [second, ...none] = (await pdfOf(data.second.base64)).pages;
  assert.equal(none, []);
  assert.equal([Math.round(second?.width ?? 0), Math.round(second?.height ?? 0)], [567, 360]);
  const [own] = (await pdfOf(data.own.base64)).pages;
  assert.equal([Math.round(own?.width ?? 0), Math.round(own?.height ?? 0)], [225, 300]);
  await fixture.fails('mutation { pdf(pageRanges: "5-2") { size } }', 'pdf', 'BAD_ARGUMENT', 'pageRanges');
  await fixture.fails('mutation { pdf(pageRanges: "9") { size } }', 'pdf', 'BAD_ARGUMENT', 'pageRanges');
  await fixture.fails('mutation { pdf(width: "wide") { size } }', 'pdf', 'BAD_ARGUMENT', 'width');
  await fixture.fails('mutation { pdf(transferMode: "Quickly") { size } }', 'pdf', 'BAD_ARGUMENT', 'transferMode');
});

test.proves(
  'addScriptTag.url addScriptTag.content addScriptTag.type addScriptTag.id addStyleTag.url addStyleTag.content',
);
test('scripts and styles are added and awaited', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/small") { status }
    script: addScriptTag(url: "SITE/assets/mark.js", id: "added") { time }
    marked: evaluate(content: "document.documentElement.dataset.mark + ' ' + document.querySelector('#added').localName") { value }
    module: addScriptTag(url: "SITE/assets/module.js", type: "module") { time }
    loaded: evaluate(content: "document.documentElement.dataset.module") { value }
    inline: addScriptTag(content: "window.inline = 7") { time }
    seven: evaluate(content: "inline") { value }
    style: addStyleTag(url: "SITE/assets/red.css") { time }
    red: evaluate(content: "getComputedStyle(document.body).backgroundColor") { value }
    own: addStyleTag(content: "body { background: rgb(0, 0, 9) }") { time }
    blue: evaluate(content: "getComputedStyle(document.body).backgroundColor") { value }
  }`);
  assert.equal(
    [data.marked.value, data.loaded.value, data.seven.value],
    ['by script script', `${fixture.site.url}/assets/module.js`, '7'],
  );
  assert.equal([data.red.value, data.blue.value], ['rgb(255, 0, 0)', 'rgb(0, 0, 9)']);
  await fixture.fails('mutation { addScriptTag { time } }', 'addScriptTag', 'BAD_ARGUMENT', '"url" or "content"');
  await fixture.fails(
    'mutation { addStyleTag(url: "SITE/status/404") { time } }',
    'addStyleTag',
    'BAD_ARGUMENT',
    'could not be loaded',
  );
});
