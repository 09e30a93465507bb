// Archives of /export with includeResources: what scripts changed and what a page on the disk may not load.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { isColor, readPng } from '../support/checks/media.ts';
import { unzip, writeFiles } from '../support/checks/unzip.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { test, site, fixture } = fixtureSuite('export: offline', { env: { ALLOW_FILE_PROTOCOL: 'true' } });

/** Path on the site of a file with this content. */
const file = (type: string, body: string, rest = '') =>
  `/answer?${new URLSearchParams({ type, body }).toString().replaceAll("'", '%27')}${rest}`;
const sheet = (css: string) => file('text/css', css);

const svg = (inside: string) =>
  file('image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">${inside}</svg>`);
const lime = svg('<rect width="40" height="40" fill="lime"/>');

const size = 40;
const perRow = 10;

/** A page with one square for each case; the styles and the script make the middle of each lime. */
const pageOf = (cases: Record<string, string>, head = '', script = '') =>
  file(
    'text/html; charset=utf-8',
    `<!doctype html><style>.box{position:absolute;width:${size}px;height:${size}px;overflow:hidden}
.box>div{width:100%;height:100%}</style>${head}<body>${Object.values(cases)
      .map((html, at) => {
        const place = `left:${(at % perRow) * size}px;top:${Math.floor(at / perRow) * size}px`;
        return `<section class="box" style="${place}">${html}</section>`;
      })
      .join('\n')}<script nonce="x">${script}</script>`,
  );

/** Names of the cases whose square is not lime. */
async function wrong(url: string, cases: Record<string, string>): Promise<string[]> {
  const image = readPng((await fixture.post('/screenshot', { url, waitForTimeout: 100 })).bytes);
  return Object.keys(cases).filter((_, at) => {
    const middle = image.at((at % perRow) * size + size / 2, Math.floor(at / perRow) * size + size / 2);
    return !isColor(middle, [0, 255, 0]);
  });
}

/** Exports the page and opens the archive: every square must be lime in both, without a request. */
async function looksTheSame(path: string, cases: Record<string, string>): Promise<Map<string, Uint8Array>> {
  const url = `${site.url}${path}`;
  assert.equal(await wrong(url, cases), [], 'not lime on the site');
  const files = await unzip(
    (await fixture.post('/export', { url, includeResources: true, waitForTimeout: 100 })).bytes,
  );
  const folder = temporaryDirectory();
  writeFiles(files, folder);
  site.clear();
  assert.equal(await wrong(pathToFileURL(join(folder, 'index.html')).href, cases), [], 'not lime offline');
  assert.equal(site.requests, [], 'the copy makes no requests to the site');
  return files;
}

test('rules that scripts insert, edit and delete', async () => {
  const cases = {
    inserted: '<div class="a"></div>',
    edited: '<div class="b"></div>',
    deleted: '<div class="c"></div>',
    'inside @media': '<div class="d"></div>',
    'inside @layer': '<div class="e"></div>',
    nested: '<div class="f"><div class="g" style="height:100%"></div></div>',
    selector: '<div class="h"></div>',
    'a text with an end tag': '<div class="i"></div>',
    keyframes: '<div class="j"></div>',
    'a linked sheet': '<div class="k"></div>',
    'an imported sheet': '<div class="l"></div>',
    'a sheet in an imported sheet': '<div class="m"></div>',
    svg: '<svg width="40" height="40"><style>.n{fill:red}</style><rect class="n" width="40" height="40"/></svg>',
    shadow: '<div id="shadow"></div>',
    'shadow, linked': '<div id="linked"></div>',
    'picture of a linked sheet': '<div class="o"></div>',
  };
  const first = `@import "${sheet('.l{background:red}')}"; @import "${sheet(`@import "${sheet('.m{background:red}')}";.y{}`)}";
.b{background:red} .c{background:red!important} .c{background:lime} @media all{.d{background:red}} @layer x{.e{background:red}}
.f{.g{background:red}} .other{background:lime} @keyframes k{to{background:red}} .j{animation:k 1s -1s both paused}`;
  const head = `<style id="first">${first}</style><link id="link" rel="stylesheet" href="${sheet(`.k{background:red}.o{background:url('${lime}')}`).replaceAll('&', '&amp;')}">`;
  const script = `const one = first.sheet, at = (n) => one.cssRules[n];
one.insertRule('.a{background:lime}', one.cssRules.length);
at(2).style.background = 'lime'; one.deleteRule(3); at(4).insertRule('.d{background:lime}', 1);
at(5).cssRules[0].style.setProperty('background', 'lime'); at(6).cssRules[0].style.background = 'lime';
at(7).selectorText = '.h'; at(8).appendRule('to{background:lime}');
one.insertRule('.i::after{content:"<\\/style>";color:transparent;display:block;background:lime;height:40px}', one.cssRules.length);
at(0).styleSheet.cssRules[0].style.background = 'lime';
at(1).styleSheet.cssRules[0].styleSheet.insertRule('.m{background:lime}', 1);
link.sheet.insertRule('.k{background:lime}', 1);
document.querySelector('svg style').sheet.cssRules[0].style.fill = 'lime';
const inside = shadow.attachShadow({ mode: 'open' });
inside.innerHTML = '<style>div{height:100%;background:red}</style><div></div>';
inside.querySelector('style').sheet.cssRules[0].style.background = 'lime';
const other = linked.attachShadow({ mode: 'open' });
other.innerHTML = '<link rel=stylesheet><div></div>';
other.firstChild.onload = () => other.firstChild.sheet.insertRule('div{background:lime!important}');
other.firstChild.href = ${JSON.stringify(sheet('div{height:100%;background:red}'))};`;
  await looksTheSame(pageOf(cases, head, `onload = () => {${script}}`), cases);
});

test('a page whose policy forbids style elements', async () => {
  const cases = {
    allowed: '<div class="a"></div>',
    inserted: '<div class="b"></div>',
    imported: '<div class="c"></div>',
    forbidden: '<style>.d{background:red!important}</style><div class="d"></div>',
  };
  const head = `<link rel="stylesheet" href="${sheet(`.box{position:absolute;width:40px;height:40px}.box>div{height:100%}
.box:nth-of-type(2){left:40px}.box:nth-of-type(3){left:80px}.box:nth-of-type(4){left:120px}.a,.d{background:lime}`).replaceAll(
    '&',
    '&amp;',
  )}">
<style nonce="x" id="own">@import "${sheet('.c{background:lime}')}"; .e{color:red}</style>`;
  const script = "own.sheet.insertRule('.b{background:lime}', 1)";
  const policy = `style-src 'nonce-x' ${site.url}; script-src 'nonce-x'; require-trusted-types-for 'script'`;
  const header = encodeURIComponent(`Content-Security-Policy: ${policy}`);
  const files = await looksTheSame(`${pageOf(cases, head, script)}&header=${header}`, cases);
  assert.not.ok([...files.keys()].some((name) => name.includes('changed-')));
});

test('style sheets that scripts switch on and off', async () => {
  const cases = {
    disabled: '<div class="a"></div>',
    'a linked sheet': '<div class="b"></div>',
    media: '<div class="c"></div>',
    'media, linked': '<div class="d"></div>',
    'an alternate sheet': '<div class="e"></div>',
    'the other title': '<div class="f"></div>',
    adopted: '<div class="g"></div>',
    'adopted for print': '<div class="h"></div>',
    'adopted after a sheet in the body': '<style>.i{background:red}</style><div class="i"></div>',
    shadow: '<div id="shadow"></div>',
  };
  const link = (css: string, rest: string) =>
    `<link rel="stylesheet" href="${sheet(css).replaceAll('&', '&amp;')}" ${rest}>`;
  const head = `<style>.a,.b,.f,.g,.h{background:lime}.c,.d,.e{background:red}</style><style id="one">.a{background:red}</style>
${link('.b{background:red}', 'id="two"')}<style id="three" media="print">.c{background:lime}</style>
${link('.d{background:lime}', 'media="print" id="four"')}
${link('.f{background:red}', 'title="first" id="six"')}
<link rel="alternate stylesheet" title="second" id="five" disabled href="${sheet('.e{background:lime}').replaceAll('&', '&amp;')}">`;
  const script = `const off = (sheet) => { sheet.disabled = true };
off(one.sheet); off(two.sheet); three.sheet.media.mediaText = 'screen'; four.sheet.media.appendMedium('screen');
five.disabled = false; off(six.sheet);
const made = (css, options) => { const it = new CSSStyleSheet(options); it.replaceSync(css); return it; };
const g = made('.g{background:red}'); off(g);
document.adoptedStyleSheets = [g, made('.h{background:red}', { media: 'print' }), made('.i{background:lime}')];
const root = shadow.attachShadow({ mode: 'open' });
root.innerHTML = '<style>div{height:100%;background:lime}</style><style>div{background:red}</style><div></div>';
off(root.styleSheets[1]);`;
  await looksTheSame(pageOf(cases, head, `onload = () => {${script}}`), cases);
});
