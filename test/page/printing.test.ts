// The page driver: documents that printing breaks apart, and what the page notices of being printed.
import * as assert from 'uvu/assert';
import { printToPdf } from '../../src/browser/page/capture/pdf.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import { setContent } from '../../src/browser/page/load/set-content.ts';
import { pdfOptions } from '../../src/base/schema/request/pdf-options.ts';
import { evaluateText } from '../../src/browser/page/evaluate.ts';
import { readPdf } from '../support/checks/media.ts';
import { problemOf } from '../support/refusals.ts';
import { gotoDefaults, pageSuite, prepare } from '../support/pages.ts';
import * as v from 'valibot';

const { test, fixture } = pageSuite('page: printing', { timeoutMs: 90_000 });

const bytesOf = async (made: Uint8Array | ReadableStream<Uint8Array>) =>
  made instanceof Uint8Array ? made : new Uint8Array(await new Response(made).arrayBuffer());

const rawPdf = (html: string, options: object, emulateMediaType?: 'screen') =>
  fixture.browser.withPage(async (page) => {
    await prepare(page, { emulateMediaType });
    await setContent(page, html, gotoDefaults);
    return bytesOf(await printToPdf(page, v.parse(pdfOptions, options)));
  });
const printed = async (...args: Parameters<typeof rawPdf>) => readPdf(await rawPdf(...args));

const tall = '<div style="height:2500px">tall</div>';
const oneSheet: Record<string, string> = {
  'a page size and margins': `<style>@page{size:A4;margin:20mm}</style>${tall}<p style="break-after:page">end</p>`,
  'important page rules': `<style>@page{size:A5!important;margin:10mm!important}@page :first{margin:50mm!important}</style>${tall}`,
  'forced breaks': `<style>h1{break-before:page!important}</style><h1>a</h1><h1 style="page-break-after:always!important">b</h1><h1>c</h1>`,
  'breaks of pseudo elements': `<style>p::after{content:"x";display:block;break-after:page}</style><p>a</p><p>b</p>`,
  'named pages': `<style>@page wide{size:A3 landscape}.w{page:wide}</style><p>a</p><p class=w>b</p><p>c</p>`,
  'breaks in a shadow tree': `<x-a><template shadowrootmode=open><style>p{break-after:page}</style><p>a</p><p>b</p></template></x-a>`,
  'the print rule of Bootstrap 4': `<style>@media print{@page{size:a3}body{min-width:992px!important}}</style>${tall}`,
  'a height of the window': `<style>body{margin:0}</style><div style="height:100vh">hero</div>${tall}`,
  'a share of the window': `<style>body{margin:0}</style><div style="min-height:150vh">hero</div><p>end</p>`,
  'a page that grows when it is printed': `<script>addEventListener('beforeprint',()=>{document.body.append(Object.assign(document.createElement('div'),{style:'height:900px',textContent:'grown'}))},{once:true})</script><p>a</p>`,
};

for (const [name, html] of Object.entries(oneSheet)) {
  test(`fullPage: ${name}`, async () => {
    const { pages } = await printed(html, { fullPage: true });
    assert.is(pages.length, 1, JSON.stringify(pages.map(({ width, height, text }) => [width, height, text])));
  });
}

const policy = `<meta http-equiv="Content-Security-Policy" content="require-trusted-types-for 'script'; style-src 'none'">`;

test('fullPage: a page that forbids inline styles and markup from scripts, and one whose scripts are off', async () => {
  const html = `<style>@page{size:A4}h1{break-before:page}</style>${policy}${tall}<h1>end</h1>`;
  assert.is((await printed(html, { fullPage: true })).pages.length, 1);
  await fixture.browser.withPage(async (page) => {
    await prepare(page, { setJavaScriptEnabled: false });
    await setContent(page, oneSheet['a height of the window'] ?? '', gotoDefaults);
    const made = await printToPdf(page, v.parse(pdfOptions, { fullPage: true }));
    assert.is((await readPdf(await bytesOf(made))).pages.length, 1);
  });
});

test('fullPage: an SVG document', () =>
  fixture.browser.withPage(async (page) => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="2400"><rect width="300" height="2400"/></svg>';
    await navigate(page, `data:image/svg+xml,${encodeURIComponent(svg)}`, gotoDefaults);
    const { pages } = await readPdf(await bytesOf(await printToPdf(page, v.parse(pdfOptions, { fullPage: true }))));
    assert.is(pages.length, 1);
  }));

test('fullPage: as tall as the content, not as the window', async () => {
  const { pages } = await printed(`<!doctype html><style>body{margin:0}</style><p style="margin:0;height:50vh">`, {
    fullPage: true,
    margin: { top: '1in' },
    width: '4in',
  });
  assert.ok(Math.abs((pages[0]?.height ?? 0) - (300 * 0.75 + 72)) < 3, `${pages[0]?.height}`);
});

test('fullPage: emulateMediaType decides which styles apply', async () => {
  const html = '<style>@media print{i{display:none}}@media screen{b{display:none}}</style><i>screen</i><b>paper</b>';
  const text = async (media?: 'screen') => (await printed(html, { fullPage: true }, media)).pages[0]?.text;
  assert.equal([await text(), await text('screen')], ['paper', 'screen']);
});

test('fullPage: a document that grows with the paper is refused', async () => {
  const html = `<script>addEventListener('beforeprint', () => {
    document.body.append(Object.assign(document.createElement('div'), { style: 'height:' + 9 * document.body.offsetHeight + 'px' }));
  })</script><p>a</p>`;
  const refusal = await printed(html, { fullPage: true }).catch((error: unknown) => error);
  assert.match(String(refusal), 'Print without "fullPage"');
});

test('fullPage leaves the page as it was', () =>
  fixture.browser.withPage(async (page) => {
    await setContent(page, oneSheet['a height of the window'] ?? '', gotoDefaults);
    const state = () =>
      evaluateText(
        page,
        `[innerWidth, innerHeight, matchMedia('print').matches, document.adoptedStyleSheets.length, document.documentElement.outerHTML]`,
      );
    const before = await state();
    await printToPdf(page, v.parse(pdfOptions, { fullPage: true, width: '3in' }));
    assert.equal(await state(), before);
  }));

test('an outline brings tags along', async () => {
  for (const tagged of [true, false]) {
    const { outline } = await printed('<h1>First</h1><h2>Second</h2>', { outline: true, tagged });
    assert.ok(outline.includes('First'), outline.join());
  }
});

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const pictures: Record<string, string> = {
  'double quotes as character references': `<div style="background:url(&quot;${png}&quot;)">x</div>`,
  'single quotes as character references': `<div style="background:url(&#39;${png}&#39;)">x</div>`,
  'an escaped name': `<div style='background:u\\72l("${png}")'>x</div>`,
  'a style element': `<style>div{background:url("${png}")}</style><div>x</div>`,
  'an image': `<img src="${png}" style="width:10px;height:10px">`,
};
for (const [name, html] of Object.entries(pictures)) {
  test(`headers show pictures: ${name}`, async () => {
    const headerTemplate = `<div style="font-size:9px;-webkit-print-color-adjust:exact">${html}</div>`;
    const options = { displayHeaderFooter: true, headerTemplate, footerTemplate: '<p></p>', margin: { top: '1in' } };
    assert.match(Buffer.from(await rawPdf('<p>x</p>', options)).toString('latin1'), '/Subtype /Image');
  });
}

test('headers load nothing from outside, however the URL is written', async () => {
  const url = `${fixture.site.url}/hang`;
  for (const html of [
    `<style>@\\69mport "${url}";</style>`,
    `<style>@import/**/"${url}";b{background:u\\72l(${url})}</style><b>b</b>`,
    `<b style="background:image-set('${url}' 1x)">b</b>`,
    `<b style="background:url&#40;${url})">b</b>`,
    `<svg><rect fill="url(${url}#a)" mask="url(${url}#b)" width="9" height="9"/><use href="${url}#c"/></svg>`,
  ]) {
    const options = { displayHeaderFooter: true, headerTemplate: `<i>head</i>${html}`, margin: { top: '1in' } };
    assert.match((await printed(`${policy}<p>x</p>`, options)).pages[0]?.text ?? '', 'head', html);
  }
});

test('templates that are too long or nest too deeply are refused', async () => {
  const footer = (footerTemplate: string) => ({ displayHeaderFooter: true, footerTemplate, margin: { bottom: '1in' } });
  assert.match((await problemOf(rawPdf('x', footer('<b>'.repeat(100_000))))).message, 'nest too deeply');
  assert.is(v.safeParse(pdfOptions, footer('x'.repeat(1_000_001))).success, false);
  assert.ok((await printed('x', footer(`<i>${'<b>x</b>'.repeat(1_000)}</i>`))).pages.length > 0);
});

test('the page notices one print, also while a font loads', () =>
  fixture.browser.withPage(async (page) => {
    const font = `${fixture.site.url}/slow?ms=400`;
    const html = `<style>@font-face{font-family:Slow;src:url("${font}")}p{font-family:Slow}</style>
      <script>window.prints = 0; addEventListener('beforeprint', () => window.prints++)</script><p>text</p>`;
    await setContent(page, html, { ...gotoDefaults, waitUntil: ['domcontentloaded'] });
    await printToPdf(page, v.parse(pdfOptions, {}));
    assert.is(await evaluateText(page, 'window.prints'), 1);
  }));
