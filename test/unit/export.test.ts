// The parts of an export that work without a browser: URLs in style sheets, file names.
import * as assert from 'uvu/assert';
import { needsCors, rewriteCss } from '../../src/browser/injected/css-links.ts';
import { splitCss } from '../../src/browser/injected/pending-css.ts';
import { safeName } from '../../src/browser/page/file-name.ts';
import { suite } from '../support/suite.ts';

const test = suite('export');
const base = 'https://site.example/css/main.css';
const rewrite = (css: string) => rewriteCss(css, base, (url) => `<${url}>`);

for (const [css, expected] of [
  ['a{b:url(x.png)}', 'a{b:url("<https://site.example/css/x.png>")}'],
  ["a{b:URL( '../x y.png' )}", 'a{b:URL( "<https://site.example/x%20y.png>" )}'],
  ['@import "a.css" screen;', '@import "<https://site.example/css/a.css>" screen;'],
  ['@import url(/a.css);', '@import url("<https://site.example/a.css>");'],
  [
    'a{b:image-set("a.png" 1x, url(b.png) 2x)}',
    'a{b:image-set("<https://site.example/css/a.png>" 1x, url("<https://site.example/css/b.png>") 2x)}',
  ],
  ['a{b:url(\\62 .png)}', 'a{b:url("<https://site.example/css/b.png>")}'],
  ['@import/* note */"a.css";', '@import/* note */"<https://site.example/css/a.css>";'],
  ['@\\69mport "a.css";', '@\\69mport "<https://site.example/css/a.css>";'],
  ['a{b:u\\72l(b.png)}', 'a{b:url("<https://site.example/css/b.png>")}'],
  ['a{b:src("b.png")}', 'a{b:src("<https://site.example/css/b.png>")}'],
  [
    'a{b:image-set(linear-gradient(red, rgb(0 0 0)) 2x,"g.png" type("image/png") 1x)}',
    'a{b:image-set(linear-gradient(red, rgb(0 0 0)) 2x,"<https://site.example/css/g.png>" type("image/png") 1x)}',
  ],
  ['a{b:url("a\\"b.png")}', 'a{b:url("<https://site.example/css/a%22b.png>")}'],
] as const) {
  test(`rewrites ${css}`, () => assert.is(rewrite(css), expected));
}

for (const css of [
  'a{b:url(data:image/png;base64,AA==)}',
  'a{b:url(#mask)}',
  'a{b:url()}',
  '/* url(x.png) @import "y" */',
  'a::after{content:"url(x.png)"}',
  "a{font-family:'x.png'}",
  'a{b:url(http://[)}',
  'a{b:curl(x.png) my-url("x.png")}',
  '@media print{a{content:"x.png"}}',
  '@import;a{content:"x.png"}',
]) {
  test(`does not rewrite ${css}`, () => assert.is(rewrite(css), css));
}

for (const [css, ...expected] of [
  ['a:hover{Mask : url(x)}b{color:red;/* ; */ filter:blur(1px) url(x),url(y)}', 'mask', 'filter', 'filter'],
  ['@import "x";@media (a:b){a{--b:url(x);fill:src("y")}}', '', '--', 'fill'],
  ['a{b:url("data:,;c:");content:";d:" url(x)}', 'content'],
  ['@font-face{src:url(x)}@namespace url(y);', 'src', ''],
  [`a{${'/**/'.repeat(50_000)}mask:${'url(x)'.repeat(3)}}`, 'mask', 'mask', 'mask'],
  ['clip-path:url(x);a', 'clip-path'],
] as const) {
  test(`names the properties of ${css.slice(0, 60)}`, () => {
    const found: string[] = [];
    rewriteCss(css, base, (url, property) => {
      found.push(property);
      return url;
    });
    assert.equal(found, expected);
  });
}

for (const [css, ...expected] of [
  ['a{b:c} d{e:f}', 'a{b:c}', 'd{e:f}'],
  ['@import url(a;b{);@media x{a{b:c}d{}}', '@import url(a;b{);', '@media x{a{b:c}d{}}'],
  ['/* } */a[b="}"]{c:"\\"}"} \\}{}', '/* } */a[b="}"]{c:"\\"}"}', '\\}{}'],
  ['}a{b:c', '}'],
] as const) {
  test(`splits ${css}`, () => {
    const rules = splitCss(css).map(({ text }) => text);
    assert.equal(rules, expected);
  });
}

test('splits long texts in linear time', () => {
  for (const part of ['{', '}', '/*', '"', 'url(', 'url( ', "'\\"]) splitCss(part.repeat(300_000));
  splitCss(`url(${' '.repeat(300_000)}`);
});

test('knows the properties whose files need CORS', () => {
  const all = ['--', 'mask', '-webkit-mask-image', 'mask-border-source', 'clip-path', 'fill', 'marker-end', 'content'];
  for (const property of all) assert.ok(needsCors(property), property);
  for (const property of ['', 'background', 'src', 'fill-rule', 'content-visibility'])
    assert.not.ok(needsCors(property));
});

for (const [source, type, expected] of [
  ['https://site.example/a/b/logo.png?x=1#y', 'image/png', 'logo.png'],
  ['https://site.example/', 'text/html', 'file.html'],
  ['https://site.example/style', 'text/css; charset=utf-8', 'style.css'],
  ['https://site.example/%C3%BCber%20uns%2F..%2F.jpg', 'image/jpeg', 'über-uns-..-.jpg'],
  ['../../etc/passwd', '', 'passwd'],
  ['..\\..\\boot.ini', '', 'boot.ini'],
  ['..', '', 'file'],
  ['.htaccess', '', 'htaccess'],
  ['a"b\r\nc<d>.txt', '', 'a-b-c-d-.txt'],
  ['https://site.example/%E0%A4%A', 'text/plain', 'E0-A4-A.txt'],
  [`${'x'.repeat(300)}.pdf`, '', `${'x'.repeat(68)}.pdf`],
] as const) {
  test(`file name for ${source.slice(0, 60)}`, () => assert.is(safeName(source, type), expected));
}
