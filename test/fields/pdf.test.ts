// Every option of POST /pdf, tested by its effect: page size, text, colors and structure read back from the document.
// @tier ci
import * as assert from 'uvu/assert';
import { tooSlow } from '../support/checks/expect.ts';
import { type Pdf, readPdf } from '../support/checks/media.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = fixtureSuite('fields: pdf options');

/** The PDF of inline markup, or of a page on the site when the text is a path. */
async function print(source: string, options: Record<string, unknown> = {}, fields = {}): Promise<Pdf> {
  const target = source.startsWith('/') ? { url: `${fixture.site.url}${source}` } : { html: source };
  return readPdf((await fixture.post('/pdf', { ...target, options, ...fields })).bytes);
}
let printed: Promise<Pdf> | undefined;
/** The heading, printed without options. */
const usual = () => (printed ??= print(heading));
const size = ({ pages: [page] }: Pdf) => [Math.round(page?.width ?? 0), Math.round(page?.height ?? 0)];
const heading = '<body style="margin:0"><h1 style="margin:0;font-size:40px">Heading</h1></body>';
/** Where the heading's text starts, in points from the left and the top. */
function positionOf(pdf: Pdf, text = 'Heading') {
  const page = pdf.pages[0];
  const item = page?.items.find((candidate) => candidate.text.includes(text));
  if (page === undefined || item === undefined) throw new Error(`no "${text}" in ${JSON.stringify(pdf.pages)}`);
  return { left: item.x, top: page.height - item.y, size: item.size };
}
const near = (actual: number, expected: number, by = 2) =>
  assert.ok(Math.abs(actual - expected) <= by, `expected ${expected}, got ${actual}`);

// One document prints all formats in bql/capture.
test.proves('pdf:options.format');
test('format, in any case', async () => {
  for (const [format, width, height] of [
    ['LEGAL', 612, 1008],
    ['Ledger', 1224, 792],
    ['a6', 298, 420],
  ] as const) {
    const [actualWidth = 0, actualHeight = 0] = size(await print(heading, { format }));
    near(actualWidth, width, 1);
    near(actualHeight, height, 1);
  }
});

test.proves('pdf:options.landscape');
test('landscape rotates the paper', async () => {
  const [width = 0, height = 0] = size(await print(heading, { landscape: true, format: 'A4' }));
  near(width, 842, 1);
  near(height, 595, 1);
});

test.proves('pdf:options.{width,height}');
test('width and height as numbers and with each unit', async () => {
  for (const [width, height] of [
    [480, '480'],
    ['480px', '5in'],
    ['12.7cm', '127mm'],
  ]) {
    for (const points of size(await print(heading, { width, height }))) near(points, 360, 1);
  }
});

test.proves('pdf:options.width pdf:options.height');
test('width alone and height alone: the other is that of Letter, the default', async () => {
  assert.equal(size(await print(heading, { width: '5in' })), [360, 792]);
  assert.equal(size(await print(heading, { height: '5in' })), [612, 360]);
});

test('format wins over width and height', async () => {
  assert.equal(size(await print(heading, { format: 'Letter', width: '5in', height: '5in' })), [612, 792]);
});

test.proves('pdf:options.scale');
test('scale', async () => {
  const plain = positionOf(await usual());
  const half = positionOf(await print(heading, { scale: 0.5 }));
  near(half.size / plain.size, 0.5, 0.05);
});

test.proves('pdf:options.margin.top pdf:options.margin.left');
test('margin moves the content', async () => {
  const none = positionOf(await usual());
  near(none.left, 0);
  const moved = positionOf(await print(heading, { margin: { left: '1in', top: 96 } }));
  near(moved.left - none.left, 72);
  near(moved.top - none.top, 72);
});

test.proves('pdf:options.margin.bottom pdf:options.margin.right');
test('margin right and bottom leave less room', async () => {
  const words = `<body style="margin:0;font-size:20px">${'word '.repeat(1_500)}</body>`;
  const wide = await print(words);
  const narrow = await print(words, { margin: { right: '4in', bottom: '5in' } });
  assert.ok(narrow.pages.length >= wide.pages.length * 3, `${wide.pages.length} and ${narrow.pages.length} pages`);
  assert.ok((narrow.pages[0]?.items ?? []).every(({ y }) => y > 5 * 72 - 5));
});

test.proves('pdf:options.printBackground');
test('printBackground', async () => {
  const html = '<body style="background:rgb(255,0,0)"><h1>x</h1></body>';
  const bytes = async (printBackground: boolean) =>
    (await fixture.post('/pdf', { html, options: { printBackground } })).bytes;
  const [on, off] = [await bytes(true), await bytes(false)];
  assert.ok(await paints(on), 'the background is printed');
  assert.ok(!(await paints(off)), 'the background is not printed');
});

/** Whether the first page sets this fill color; default pure red. */
async function paints(bytes: Uint8Array, color = /255,\s*0,\s*0|#ff0000/): Promise<boolean> {
  const { getDocument, OPS } = await import('unpdf/pdfjs');
  const task = getDocument({ data: bytes.slice(), verbosity: 0 });
  const page = await (await task.promise).getPage(1);
  const { fnArray, argsArray } = await page.getOperatorList();
  const found = [...fnArray].some(
    (operation, index) => operation === OPS.setFillRGBColor && color.test(String(argsArray[index])),
  );
  await task.destroy();
  return found;
}

test.proves('pdf:options.displayHeaderFooter pdf:options.headerTemplate pdf:options.footerTemplate');
test('displayHeaderFooter, headerTemplate, footerTemplate', async () => {
  const options = {
    displayHeaderFooter: true,
    headerTemplate: '<div style="font-size:12px">HEAD <span class="title"></span></div>',
    footerTemplate:
      '<div style="font-size:12px">FOOT <span class="pageNumber"></span> of <span class="totalPages"></span></div>',
    margin: { top: '1in', bottom: '1in' },
  };
  const { pages } = await print('/pages/3', options);
  assert.match(pages[1]?.text ?? '', /HEAD\s+Pages/);
  assert.match(pages[1]?.text ?? '', /FOOT\s+2\s+of\s+3/);
  const hidden = await print('/pages/3', { ...options, displayHeaderFooter: false });
  assert.not.match(hidden.pages[1]?.text ?? '', /HEAD|FOOT/);
});

test.proves('pdf:options.pageRanges');
test('pageRanges', async () => {
  for (const [pageRanges, expected] of Object.entries({
    '1, 3-4': ['Page 1', 'Page 3', 'Page 4'],
    '4-': ['Page 4', 'Page 5'],
    '': ['Page 1', 'Page 2', 'Page 3', 'Page 4', 'Page 5'],
  })) {
    const { pages } = await print('/pages/5', { pageRanges });
    assert.equal(
      pages.map(({ text }) => /Page \d+/.exec(text)?.[0]),
      expected,
    );
  }
});

test('pageRanges beyond the document is an error that says so', async () => {
  await fixture.refuse('/pdf', { html: heading, options: { pageRanges: '7-9' } }, 400, 'options.pageRanges');
});

test.proves('pdf:options.preferCSSPageSize');
test('preferCSSPageSize', async () => {
  assert.equal(size(await print('/css-page', { preferCSSPageSize: true })), [225, 300]);
  assert.equal(size(await print('/css-page', { preferCSSPageSize: false, format: 'Letter' })), [612, 792]);
});

test.proves('pdf:options.tagged');
test('tagged', async () => {
  assert.is((await usual()).tagged, true);
  assert.is((await print(heading, { tagged: false })).tagged, false);
});

test.proves('pdf:options.outline');
test('outline', async () => {
  const html = '<h1>First</h1><h2>Second</h2><h1>Third</h1>';
  assert.ok((await print(html, { outline: true })).outline.includes('First'));
  assert.equal((await print(html, { outline: false })).outline, []);
});

test.proves('pdf:options.omitBackground');
test('omitBackground omits what the browser paints behind the page', async () => {
  const html = '<html style="color-scheme:dark"><h1>x</h1>';
  const dark = async (omitBackground: boolean) => {
    const { bytes } = await fixture.post('/pdf', { html, options: { printBackground: true, omitBackground } });
    return paints(bytes, /#121212/);
  };
  assert.equal([await dark(false), await dark(true)], [true, false]);
});

test('path is accepted and writes nothing', async () => {
  const path = `${fixture.service.baseDir}/written.pdf`;
  await print(heading, { path });
  const { existsSync } = await import('node:fs');
  assert.is(existsSync(path), false);
});

test.proves('pdf:options.timeout');
test('timeout', async () => {
  const url = `${fixture.site.url}/pages/2000`;
  await fixture.refuse('/pdf', { url, options: { timeout: 1 } }, tooSlow, /1\s?ms/, 'options.timeout');
  await print(heading, { timeout: 0 });
});

test.proves('pdf:options.waitForFonts');
test('waitForFonts', async () => {
  // Chromium itself waits 2 s for a font that is requested after the page has loaded.
  const time = async (waitForFonts: boolean) => {
    const html = `<style>@font-face{font-family:Late;src:url(${fixture.site.url}/slow?ms=4000&${waitForFonts})}</style>
<h1>font</h1><script>onload = () => setTimeout(() => {
  const heading = document.querySelector('h1');
  heading.style.fontFamily = 'Late';
  heading.textContent = String(heading.offsetWidth > 0);
})</script>`;
    const asked = { waitForFunction: { fn: "document.querySelector('h1').textContent === 'true'" } };
    const [began, idleBegan] = [performance.now(), idleNow()];
    await print(html, { waitForFonts }, asked);
    return waitForFonts ? performance.now() - began : idleNow() - idleBegan;
  };
  const [waiting, not] = await Promise.all([time(true), time(false)]);
  assert.ok(waiting >= 4_000, `${waiting} ms with it`);
  assert.ok(not < 4_000, `${not} ms without it`);
});

test.proves('pdf:options.fullPage');
test('fullPage produces one page as tall as the document', async () => {
  const { pages } = await print('/tall', { fullPage: true });
  assert.is(pages.length, 1);
  near(pages[0]?.height ?? 0, 2_250, 5);
  const wide = await print('/tall', { fullPage: true, width: '5in' });
  near(wide.pages[0]?.width ?? 0, 360, 1);
});

test('print media rules apply', async () => {
  const { pages } = await print('/print');
  assert.match(pages[0]?.text ?? '', /on paper/);
  assert.not.match(pages[0]?.text ?? '', /on screen/);
});

test('emulateMediaType screen prints what the screen shows', async () => {
  const { pages } = await print('/print', {}, { emulateMediaType: 'screen' });
  assert.match(pages[0]?.text ?? '', /on screen/);
});

test.differs('`blockAds`, `scrollPage`, `blockConsentModals` in a body return a 400');
test('blockConsentModals, blockAds and scrollPage are accepted', async () => {
  await print(heading, {}, { blockConsentModals: true, blockAds: false, scrollPage: true });
});
