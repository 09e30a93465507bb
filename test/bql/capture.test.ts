// BrowserQL: screenshots and PDFs, with each option by its effect on the image or the document; tags added to the page.
import * as assert from 'uvu/assert';
import { isColor, type Pdf, readJpeg, readPdf, readPng } from '../support/checks/media.ts';
import { bqlSuite } from '../support/clients/bql.ts';
import { colors } from '../support/site/pages.ts';

const { test, fixture } = bqlSuite('BrowserQL capture');

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
/** Runs `before` and then the steps; returns the image or document of each step, by key, as bytes. */
async function capture(before: string, steps: Record<string, string>): Promise<Record<string, Uint8Array>> {
  const written = Object.entries(steps).map(([key, step]) => `${key}: ${step} { base64 }`);
  const data = await fixture.data(`mutation { ${before} ${written.join(' ')} }`);
  return Object.fromEntries(Object.keys(steps).map((key) => [key, bytesOf(data[key].base64)]));
}
const assertNear = (actual: number, expected: number, by = 2) =>
  assert.ok(Math.abs(actual - expected) <= by, `expected ${expected}, got ${actual}`);

test('screenshot returns its format, and can wait for images; failures are reported', async () => {
  const data = await fixture.data(`mutation {
    viewport(width: 400, height: 300) { width }
    goto(url: "SITE/tall") { status }
    window: screenshot(timeout: 20000) { format time }
    whole: screenshot(fullPage: true, type: jpeg) { base64 format }
    webp: screenshot(type: webp, quality: 50) { base64 format }
    image: content(html: "<img src='SITE/images/red-30x20.png'>", waitUntil: domContentLoaded) { status }
    loaded: screenshot(selector: "img", waitForImages: true) { base64 }
  }`);
  assert.equal([data.window.format, data.whole.format, data.webp.format], ['png', 'jpeg', 'webp']);
  const { width, height } = readJpeg(bytesOf(data.whole.base64));
  assert.equal([width, height], [400, 3000]);
  assert.is(atob(data.webp.base64).slice(8, 12), 'WEBP');
  assert.equal(readPng(bytesOf(data.loaded.base64)).at(1, 1).slice(0, 3), [255, 0, 0]);
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

test.proves('screenshot.captureBeyondViewport screenshot.fromSurface screenshot.fullPage screenshot.omitBackground');
test('screenshot: fullPage, captureBeyondViewport, fromSurface and omitBackground', async () => {
  // covers: Mutation.screenshot(captureBeyondViewport) Mutation.screenshot(fromSurface) Mutation.screenshot(omitBackground)
  const window = 'viewport(width: 400, height: 300, deviceScaleFactor: 2) { width }';
  const images = await capture(`${window} goto(url: "SITE/tall") { status }`, {
    plain: 'screenshot',
    whole: 'screenshot(fullPage: true)',
    beyond: 'screenshot(captureBeyondViewport: true)',
    view: 'screenshot(fromSurface: false)',
  });
  const sizes = Object.values(images).map((bytes) => [readPng(bytes).width, readPng(bytes).height]);
  // A view is captured in CSS pixels.
  assert.equal(sizes, [
    [800, 600],
    [800, 6000],
    [800, 6000],
    [400, 300],
  ]);
  const clear = await capture('goto(url: "SITE/transparent") { status }', {
    plain: 'screenshot(omitBackground: false)',
    without: 'screenshot(omitBackground: true)',
  });
  assert.equal(
    Object.values(clear).map((bytes) => readPng(bytes).at(700, 500)[3]),
    [255, 0],
  );
});

test.proves('screenshot.optimizeForSpeed screenshot.quality screenshot.type');
test('screenshot: type, quality, optimizeForSpeed', async () => {
  // covers: Mutation.screenshot(optimizeForSpeed)
  const images = await capture('goto(url: "SITE/medium") { status }', {
    png: 'screenshot(type: png)',
    fast: 'screenshot(type: png, optimizeForSpeed: true)',
    low: 'screenshot(type: jpeg, quality: 5)',
    high: 'screenshot(type: jpeg, quality: 95)',
    webp: 'screenshot(type: webp)',
  });
  const sizeOf = (key: string) => images[key]?.length ?? 0;
  assert.ok(sizeOf('fast') > sizeOf('png') * 1.1, `${sizeOf('fast')} and ${sizeOf('png')} bytes`);
  assert.ok(sizeOf('high') > sizeOf('low') * 1.5, `${sizeOf('high')} and ${sizeOf('low')} bytes`);
  const begins = (key: string) => [...(images[key] ?? [])].slice(0, 4);
  assert.equal(
    [begins('png'), begins('high'), begins('webp')].map(([first]) => first),
    [0x89, 0xff, 0x52],
  );
});

test.proves(
  'screenshot.clip screenshot.selector ScreenshotClip.x ScreenshotClip.y ScreenshotClip.width ScreenshotClip.height ScreenshotClip.scale',
);
test('screenshot: clip and selector choose a part of the page', async () => {
  // covers: Mutation.screenshot(clip) ScreenshotClip.*
  const images = await capture('goto(url: "SITE/boxes") { status }', {
    clip: 'screenshot(clip: { x: 90, y: 40, width: 50, height: 60 })',
    scaled: 'screenshot(clip: { x: 90, y: 40, width: 50, height: 60, scale: 2 })',
    element: 'screenshot(selector: "#below")',
    part: 'screenshot(selector: "#box", clip: { x: 100, y: 70, width: 40, height: 20 })',
  });
  const [clip, scaled, element, part] = Object.values(images).map(readPng);
  const sizes = [clip, scaled, element, part].map((image) => [image?.width, image?.height]);
  assert.equal(sizes, [
    [50, 60],
    [100, 120],
    [40, 30],
    [40, 20],
  ]);
  // The box starts at 100, 50 and is 120 by 80.
  for (const [x, y, colour] of [
    [9, 30, 'white'],
    [11, 30, 'red'],
    [30, 9, 'white'],
    [30, 11, 'red'],
  ] as const) {
    assert.ok(isColor(clip?.at(x, y) ?? [], colors[colour]), `${x}, ${y}: ${clip?.at(x, y)}`);
  }
  assert.ok(isColor(element?.at(20, 15) ?? [], colors.blue));
  assert.ok(isColor(part?.at(19, 9) ?? [], colors.red) && isColor(part?.at(21, 9) ?? [], colors.white));
  assert.ok(isColor(part?.at(19, 11) ?? [], colors.white));
});

test('screenshot: selector and fullPage cannot be combined', () =>
  fixture.fails(
    'mutation { goto(url: "SITE/boxes") { status } screenshot(selector: "#box", fullPage: true) { format } }',
    'screenshot',
    'BAD_ARGUMENT',
    '"selector" cannot be used together with "fullPage"',
  ));

const heading = `content(html: "<body style='margin:0'><h1 style='margin:0;font-size:40px'>Heading</h1></body>") { status }`;
/** Where the text of the heading starts, in points from the left and from the top, and its size. */
function headingPosition({ pages: [page] }: Pdf) {
  const item = page?.items.find(({ text }) => text.includes('Heading'));
  assert.ok(page !== undefined && item !== undefined, JSON.stringify(page));
  return { left: item.x, top: page.height - item.y, size: item.size };
}
async function printed(before: string, steps: Record<string, string>): Promise<Record<string, Pdf>> {
  const documents = Object.entries(await capture(before, steps));
  return Object.fromEntries(await Promise.all(documents.map(async ([key, bytes]) => [key, await readPdf(bytes)])));
}
const sizeOf = (pdf: Pdf | undefined) => [pdf?.pages[0]?.width ?? 0, pdf?.pages[0]?.height ?? 0].map(Math.round);

test('pdf: every format; invalid arguments are reported', async () => {
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
    `mutation { goto(url: "SITE/small") { status } letter: pdf(format: letter, timeout: 20000, waitForImages: true) { base64 size time } legal: pdf(format: legal) { base64 } tabloid: pdf(format: tabloid) { base64 } ledger: pdf(format: ledger) { base64 } a0: pdf(format: a0) { base64 } a1: pdf(format: a1) { base64 } a2: pdf(format: a2) { base64 } a3: pdf(format: a3) { base64 } a4: pdf(format: a4) { base64 } a5: pdf(format: a5) { base64 } a6: pdf(format: a6) { base64 } }`,
  );
  for (const [index, format] of formats.entries()) {
    const [page] = (await readPdf(bytesOf(sizes[format].base64))).pages;
    const [width = 0, height = 0] = inches[index] ?? [];
    assert.ok(
      Math.abs((page?.width ?? 0) - width * 72) < 1.5 && Math.abs((page?.height ?? 0) - height * 72) < 1.5,
      format,
    );
  }
  assert.is(atob(sizes.letter.base64).length, sizes.letter.size);
  await fixture.fails('mutation { pdf(pageRanges: "5-2") { size } }', 'pdf', 'BAD_ARGUMENT', 'pageRanges');
  await fixture.fails('mutation { pdf(pageRanges: "9") { size } }', 'pdf', 'BAD_ARGUMENT', 'pageRanges');
  await fixture.fails('mutation { pdf(width: "wide") { size } }', 'pdf', 'BAD_ARGUMENT', 'width');
});

test.proves('pdf.format pdf.height pdf.landscape pdf.preferCSSPageSize pdf.width');
test('pdf: width, height, format, landscape, preferCSSPageSize', async () => {
  // covers: Mutation.pdf(height) Mutation.pdf(landscape) Mutation.pdf(preferCSSPageSize)
  const pdfs = await printed(heading, {
    usual: 'pdf',
    wide: 'pdf(width: 5)',
    high: 'pdf(height: "12.7cm")',
    landscape: 'pdf(landscape: true)',
    format: 'pdf(format: legal, width: 5, height: 5)',
    turned: 'pdf(landscape: true, width: 5, height: "20cm")',
  });
  const styled = await printed('goto(url: "SITE/css-page") { status }', {
    without: 'pdf(preferCSSPageSize: false)',
    own: 'pdf(preferCSSPageSize: true)',
  });
  assert.equal(Object.values({ ...pdfs, ...styled }).map(sizeOf), [
    [612, 792],
    [360, 792],
    [612, 360],
    [792, 612],
    [612, 1008],
    [567, 360],
    [612, 792],
    [225, 300],
  ]);
});

test.proves('pdf.marginBottom pdf.marginLeft pdf.marginRight pdf.marginTop pdf.scale');
test('pdf: margins and scale', async () => {
  // covers: Mutation.pdf(marginBottom) Mutation.pdf(marginLeft) Mutation.pdf(marginRight) Mutation.pdf(scale)
  const pdfs = await printed(heading, {
    usual: 'pdf',
    none: 'pdf(marginLeft: 0, marginTop: 0)',
    left: 'pdf(marginLeft: "96px", marginTop: 0)',
    top: 'pdf(marginLeft: 0, marginTop: "25.4mm")',
    double: 'pdf(scale: 2)',
  });
  const { usual, none, left, top, double } = Object.fromEntries(
    Object.entries(pdfs).map(([key, pdf]) => [key, headingPosition(pdf)]),
  );
  assert.ok(usual && none && left && top && double);
  assertNear(none.left, 0);
  assertNear(usual.left - none.left, 0.4 * 72);
  assertNear(usual.top - none.top, 0.4 * 72);
  assertNear(left.left - none.left, 72);
  assertNear(left.top - none.top, 0);
  assertNear(top.top - none.top, 72);
  assertNear(double.size / usual.size, 2, 0.1);
  await fixture.fails('mutation { pdf(marginTop: "72pt") { size } }', 'pdf', 'BAD_ARGUMENT', '"marginTop"', 'inches');
  await fixture.fails('mutation { pdf(width: -1) { size } }', 'pdf', 'BAD_ARGUMENT', '"width"', 'got -1');
  const words = `content(html: "<body style='font-size:20px'>${'word '.repeat(1_500)}</body>") { status }`;
  const { full, narrow, low } = await printed(words, {
    full: 'pdf',
    narrow: 'pdf(marginRight: "4in")',
    low: 'pdf(marginBottom: 5)',
  });
  const pages = [full, narrow, low].map((pdf) => pdf?.pages.length ?? 0);
  assert.ok((pages[1] ?? 0) > (pages[0] ?? 0) && (pages[2] ?? 0) > (pages[0] ?? 0), pages.join());
  assert.ok(low?.pages[0]?.items.every(({ y }) => y > 5 * 72 - 5));
});

test.proves(
  'pdf.displayHeaderFooter pdf.footerTemplate pdf.generateDocumentOutline pdf.generateTaggedPDF pdf.headerTemplate pdf.pageRanges',
);
test('pdf: header, footer, pages, outline, tags', async () => {
  // covers: Mutation.pdf(generateDocumentOutline) Mutation.pdf(generateTaggedPDF) Mutation.pdf(headerTemplate)
  const templates = `headerTemplate: "<b style='font-size:12px'>HEAD</b>", footerTemplate: "<i style='font-size:12px'>FOOT <span class=pageNumber></span></i>", marginTop: 1, marginBottom: 1`;
  const { shown, hidden, second, outlined, untagged } = await printed('goto(url: "SITE/pages/3") { status }', {
    shown: `pdf(displayHeaderFooter: true, ${templates})`,
    hidden: `pdf(displayHeaderFooter: false, ${templates})`,
    second: 'pdf(pageRanges: "2")',
    outlined: 'pdf(generateDocumentOutline: true)',
    untagged: 'pdf(generateTaggedPDF: false)',
  });
  const textOf = (pdf: Pdf | undefined, index = 0) => pdf?.pages[index]?.text ?? '';
  assert.match(textOf(shown, 1), 'HEAD');
  assert.match(textOf(shown, 1), /FOOT\s+2/);
  assert.not.match(textOf(hidden, 1), /HEAD|FOOT/);
  assert.equal([second?.pages.length, textOf(second).includes('Page 2')], [1, true]);
  assert.equal([outlined?.outline, hidden?.outline], [['Page 1', 'Page 2', 'Page 3'], []]);
  assert.equal([untagged?.tagged, hidden?.tagged], [false, true]);
});

test.proves('pdf.printBackground pdf.transferMode');
test('pdf: printBackground; transferMode does not change the response', async () => {
  const red = 'url(SITE/images/red-30x20.png)';
  const documents = await capture(`content(html: "<body style='background:${red}'>x</body>") { status }`, {
    printed: 'pdf(printBackground: true)',
    left: 'pdf(printBackground: false)',
    stream: 'pdf(transferMode: "ReturnAsStream")',
    base64: 'pdf(transferMode: "ReturnAsBase64")',
  });
  const images = Object.values(documents).map((bytes) =>
    /\/Subtype\s*\/Image/.test(Buffer.from(bytes).toString('latin1')),
  );
  assert.equal(images, [true, false, false, false]);
  // Without the creation time.
  const plain = (key: string) =>
    Buffer.from(documents[key] ?? [])
      .toString('latin1')
      .replaceAll(/\(D:[^)]*\)/g, '');
  assert.ok(plain('stream').length > 500);
  assert.is(plain('stream'), plain('base64'));
  await fixture.fails('mutation { pdf(transferMode: "Quickly") { size } }', 'pdf', 'BAD_ARGUMENT', '"transferMode"');
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
