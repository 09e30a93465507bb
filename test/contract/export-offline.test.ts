// Archives of /export with includeResources: what scripts changed and what a page on the disk may not load.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PNG } from 'pngjs';
import * as assert from 'uvu/assert';
import { isColor, readPng } from '../support/checks/media.ts';
import { unzip, writeFiles } from '../support/checks/unzip.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { addedFiles } from '../support/site/export.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { test, site, fixture } = fixtureSuite('export: offline', { env: { ALLOW_FILE_PROTOCOL: 'true' } });

/** Adds a file to the site. @returns its path */
const file = (type: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  `/added/${addedFiles.push([{ 'content-type': type, ...headers }, body]) - 1}`;
const sheet = (css: string) => file('text/css', css);

const svg = (inside: string) =>
  file('image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">${inside}</svg>`);
const lime = svg('<rect width="40" height="40" fill="lime"/>');

const size = 40;
const perRow = 10;

/** A page with one square for each case; the styles and the script make the middle of each lime. */
const pageOf = (cases: Record<string, string>, head = '', script = '', headers?: Record<string, string>) =>
  file(
    'text/html; charset=utf-8',
    `<!doctype html><style>.box{position:absolute;width:${size}px;height:${size}px;overflow:hidden}
.box>div{width:100%;height:100%}</style>${head}<body>${Object.values(cases)
      .map((html, at) => {
        const place = `left:${(at % perRow) * size}px;top:${Math.floor(at / perRow) * size}px`;
        return `<section class="box" style="${place}">${html.replaceAll('URL', `/added/${addedFiles.length}`)}</section>`;
      })
      .join('\n')}<script nonce="x">${script}</script>`,
    headers,
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
  const head = `<style id="first">${first}</style><link id="link" rel="stylesheet" href="${sheet(`.k{background:red}.o{background:url('${lime}')}`)}">`;
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
  const files = await looksTheSame(pageOf(cases, head, script, { 'content-security-policy': policy }), cases);
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
  const link = (css: string, rest: string) => `<link rel="stylesheet" href="${sheet(css)}" ${rest}>`;
  const head = `<style>.a,.b,.f,.g,.h{background:lime}.c,.d,.e{background:red}</style><style id="one">.a{background:red}</style>
${link('.b{background:red}', 'id="two"')}<style id="three" media="print">.c{background:lime}</style>
${link('.d{background:lime}', 'media="print" id="four"')}
${link('.f{background:red}', 'title="first" id="six"')}
<link rel="alternate stylesheet" title="second" id="five" disabled href="${sheet('.e{background:lime}')}">`;
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

const parts =
  svg(`<style>.s{fill:lime}path{stroke:red}</style><symbol id="g" viewBox="0 0 10 10"><rect width="10" height="10" fill="lime"/></symbol>
<linearGradient id="fade"><stop stop-color="lime"/></linearGradient><rect id="faded" width="40" height="40" fill="url(#fade)"/>
<rect id="styled" class="s" width="40" height="40"/><g id="nested"><use href="#g" width="40" height="40"/></g><rect id="own" width="40" height="40" fill="lime"/>
<filter id="x"><feFlood flood-color="lime"/></filter><clipPath id="y"><rect width="40" height="40"/></clipPath>
<clipPath id="none"><rect width="5" height="5"/></clipPath><mask id="m"><rect width="40" height="40" fill="white"/></mask>
<marker id="k" markerUnits="userSpaceOnUse" markerWidth="40" markerHeight="40"><rect width="40" height="40" fill="lime"/></marker>`);
const pixels = new PNG({ width: 40, height: 40 });
pixels.data.forEach((_, at) => (pixels.data[at] = [0, 255, 0, 255][at % 4] ?? 0));
const picture = file('image/png', PNG.sync.write(pixels));
const left = svg('<rect width="20" height="40"/>');
const none = svg('');

test('style sheets with titles', async () => {
  const cases = {
    preferred: '<div class="a"></div>',
    alternate: '<div class="b"></div>',
    'switched on': '<div class="c"></div>',
  };
  const link = (rel: string, title: string, css: string) =>
    `<link rel="${rel}" title="${title}" id="${title}" href="${sheet(css)}">`;
  const head = `<style>.b{background:lime}.a,.c{background:red}</style>${link('stylesheet', 'first', '.a{background:lime}')}
${link('alternate stylesheet', 'second', '.b{background:red}')}${link('alternate stylesheet', 'third', '.c{background:lime}')}`;
  const script = 'onload = () => { third.disabled = true; third.disabled = false }';
  await looksTheSame(pageOf(cases, head, script), cases);
});

test('files whose names and attributes say another type or charset', async () => {
  const css = '.g[title=\xe1]{background:lime}';
  const greek = file('text/css', Buffer.from(css, 'latin1'));
  const cases = {
    'a style sheet': '<div class="a"></div>',
    'a style sheet that is imported': '<div class="b"></div>',
    SVG: `<img src="${lime}/logo.php">`,
    'SVG, named as another': `<img src="${lime}/logo.png">`,
    'named SVG': `<img src="${picture}/logo.svg">`,
    charset: '<div class="g" title="\u03b1"></div>',
  };
  const head = `<link rel="stylesheet" href="${sheet('.a{background:lime}')}/style.php"><style>@import "${sheet('.b{background:lime}')}/style.js";</style>
<link rel="stylesheet" charset="windows-1253" href="${greek}">`;
  await looksTheSame(pageOf(cases, head), cases);
});

test('the target of the fragment', async () => {
  const cases = { target: '<div id="here"></div>', other: '<div id="there" style="background:lime"></div>' };
  const path = pageOf(cases, '<style>#here{background:red}:target{background:lime!important}</style>');
  await looksTheSame(`${path}#here`, cases);
});

test('what CSS may not load from a page on the disk', async () => {
  const shape = `<i style="float:left;width:40px;height:40px;shape-outside:url('${left}')"></i><i style="display:inline-block;width:15px;height:40px;background:lime"></i>`;
  const cases = {
    mask: `<div style="background:lime;mask:url('${lime}')"></div>`,
    'mask of two pictures': `<div style="background:lime;-webkit-mask-image:url('${none}'),url('${lime}')"></div>`,
    'mask hides': `<div style="background:lime"><div style="height:100%;background:red;mask-image:url('${none}')"></div></div>`,
    'mask element': `<div style="background:lime;mask:url('${parts}#m')"></div>`,
    'in a style element': '<style>.a{background:red;filter:url("' + parts + '#x")}</style><div class="a"></div>',
    'in a linked sheet': '<div class="b"></div>',
    'in a changed sheet': '<div class="c"></div>',
    'in a custom property': '<div class="d"></div>',
    clip: `<div style="background:lime"><div style="height:100%;background:red;clip-path:url('${parts}#none')"></div></div>`,
    backdrop: `<div style="background:red"><div style="height:100%;backdrop-filter:url('${parts}#x')"></div></div>`,
    shape,
    'shape with an invisible float': shape.replace('width:40px', 'margin-right:-20px;width:40px'),
    'fill of the page':
      '<svg><linearGradient id="l"><stop stop-color="lime"/></linearGradient><rect width="40" height="40" fill="url(URL#l)"/></svg>',
    'in a sheet, of the page': '<svg><rect class="e" width="40" height="40"/></svg>',
    'filter attribute': `<svg><rect width="40" height="40" fill="red" filter="url(${parts}#x)"/></svg>`,
    'mask attribute': `<svg><rect width="40" height="40" fill="lime" mask="url('${parts}#m')"/></svg>`,
    'clip-path attribute': `<svg style="background:lime"><rect width="40" height="40" fill="red" clip-path="url(${parts}#none)"/></svg>`,
    'marker attribute': `<svg><path d="M0 0h1" marker-start="url(${parts}#k)"/></svg>`,
    'text on a path of the page':
      '<svg style="background:lime"><path id="p" d="M0 20h40"/><text><textPath href="URL#p" fill="red">x</textPath></text></svg>',
  };
  const css = `.b{background:red;filter:url('${parts}#x')} .d{--mask:url('${lime}');--other:1px}
.e{fill:url('/added/${addedFiles.length + 1}#l')}`;
  const head = `<link rel="stylesheet" href="${sheet(css)}"><style>.d{background:lime;mask-image:var(--mask)}</style>
<style id="changed">.f{color:red}</style>`;
  const script = `changed.sheet.insertRule('.c{background:red;filter:url("${parts}#x")}')`;
  await looksTheSame(pageOf(cases, head, script), cases);
});

test('parts of SVG files, and documents in elements', async () => {
  const use = (id: string, rest = 'width="40" height="40"') => `<svg><use href="${parts}#${id}" ${rest}/></svg>`;
  const cases = {
    symbol: use('g'),
    'the same again': use('g'),
    'with a gradient': use('faded'),
    'styled in its file': use('styled'),
    'a part that uses another': use('nested'),
    'a whole file': `<svg><use href="${lime}"/></svg>`,
    subtitles: `<div style="background:lime"><video><track default src="${file('text/vtt', 'WEBVTT')}"></video></div>`,
    'no style of the file': '<svg><path stroke="lime" stroke-width="40" d="M0 20h40"/></svg>',
    'with an id of the page': `<i id="own"></i>${use('own')}`,
    'an id that is not encoded correctly': `<svg style="background:lime"><use href="${parts}#100%"/></svg>`,
    'old attribute': `<svg><use xlink:href="${parts}#g" width="40" height="40"/></svg>`,
    'color of the page': `<svg style="color:lime"><use href="${svg('<circle id="c" r="60" fill="currentColor"/>')}#c"/></svg>`,
    shadow: `<div id="shadow"></div>`,
    'an object': `<object data="${lime}"></object>`,
    'an object with a type': `<object type="image/svg+xml" data="${lime}"></object>`,
    'an embedded picture': `<embed src="${lime}">`,
    'a frame': `<iframe style="border:0" src="${lime}"></iframe>`,
    'a page in an object': `<object data="${file('text/html', '<body style=background:lime>')}"></object>`,
    'a picture in an object': `<object data="${picture}"></object>`,
    'a picture in a frame': `<iframe style="border:0" src="${picture}"></iframe>`,
    'parts in an object': `<object data="${svg(`<use href="${parts}#g" width="40" height="40"/>`)}"></object>`,
  };
  const script = `const root = shadow.attachShadow({ mode: 'open' }); root.innerHTML = ${JSON.stringify(use('faded'))};`;
  const files = await looksTheSame(pageOf(cases, '', script), cases);
  const html = new TextDecoder().decode(files.get('index.html'));
  assert.match(html, '<track default="" src="data:text/vtt;base64,V0VCVlRU">');
});

test('shorthands with variables of which another declaration overrides a part', async () => {
  const cases = {
    adopted: '<div class="a"></div>',
    'adopted, with several classes': '<div class="a"></div><div class="b c"></div>',
    'a size': '<div class="d" style="height:auto"></div>',
    inserted: '<div class="e"></div>',
    'beside an inserted rule': '<div class="f"></div>',
    'in a linked sheet': '<div class="g"></div>',
    'in @media': '<div class="h"></div>',
    'in @media, beside an edited rule': '<div class="i"></div>',
    nested: '<div class="j"><div class="k" style="height:100%"></div></div>',
    'a pseudo-element': '<div class="l"></div>',
    important: '<div class="m" style="background:red"></div>',
    shadow: '<div id="shadow"></div>',
    host: '<div id="host"></div>',
    'the style attribute': '<div id="own"></div>',
    'a part that is a list': '<div class="n"></div>',
    'the value of each element': '<div style="--c:red" hidden class="o"></div><div class="o"></div>',
  };
  const part = 'background:var(--c);background-repeat:no-repeat';
  const head = `<style>:root{--c:lime;--s:40px 20px;--t:linear-gradient(lime,lime),none}</style>
<style id="one">.f{${part}} .o{${part}} @media all{.x{color:red} .h{${part}}} @layer y{.i{${part}} .z{color:red}} .last{}</style>
<link id="two" rel="stylesheet" href="${sheet(`.g{${part}}`)}">`;
  const script = `const adopt = (root, css) => { const made = new CSSStyleSheet(); made.replaceSync(css); root.adoptedStyleSheets.push(made); };
const part = ${JSON.stringify(part)};
adopt(document, '.a,.b.c{' + part + '} .b{height:40px} .d{padding:var(--s);padding-bottom:10px;background:lime}');
adopt(document, '.j{color:red;.k{' + part + '}} .l::before{content:"";display:block;height:40px;' + part + '}');
adopt(document, '.m{background:var(--c)!important;background-size:9px!important} .n{background:var(--t);background-origin:border-box}');
one.sheet.insertRule('.e{' + part + '}'); one.sheet.cssRules[4].cssRules[1].style.color = 'blue';
two.sheet.insertRule('.other{color:red}');
for (const [element, css] of [[shadow, '.p{height:40px;' + part + '}'], [host, ':host{' + part + '}']]) {
  const root = element.attachShadow({ mode: 'open' });
  root.innerHTML = '<div class="p"></div>';
  adopt(root, css);
}
own.style.background = 'var(--c)'; own.style.backgroundRepeat = 'no-repeat';`;
  await looksTheSame(pageOf(cases, head, `onload = () => {${script}}`), cases);
});

test('canvases that scripts cannot read', async () => {
  const canvas = (id: string, style = '') => `<canvas id="${id}" width="40" height="40" style="${style}"></canvas>`;
  const cases = {
    WebGL: canvas('one'),
    'WebGL 2, below something': `${canvas('two')}<p style="position:absolute;left:0;top:0;width:10px;height:40px;background:red"></p>`,
    'without alpha': canvas('three', 'transform:rotate(180deg);box-sizing:border-box;padding:5px'),
    'partly transparent': `<div style="background:lime">${canvas('four')}</div>`,
    shadow: '<div id="shadow"></div>',
    worker: canvas('five'),
    tainted: canvas('six'),
    'empty and never used': `<div style="background:lime">${canvas('seven')}${canvas('eight')}</div>`,
    'drawn in 2d': canvas('nine'),
  };
  const script = `const draw = (canvas, type, options, green = 1, alpha = 1) => { const gl = canvas.getContext(type, options);
gl.clearColor(0, green, 0, alpha); gl.clear(gl.COLOR_BUFFER_BIT); };
draw(one, 'webgl'); draw(two, 'webgl2'); draw(three, 'webgl', { alpha: false }); draw(four, 'webgl', {}, 0, 0);
const root = shadow.attachShadow({ mode: 'open' }); root.innerHTML = '<canvas width=40 height=40>'; draw(root.firstChild, 'webgl');
draw(five.transferControlToOffscreen(), 'webgl');
const picture = new Image(); picture.onload = () => six.getContext('2d').drawImage(picture, 0, 0);
picture.src = ${JSON.stringify(site.otherUrl + picture)}; seven.getContext('2d');
const plain = nine.getContext('2d'); plain.fillStyle = 'lime'; plain.fillRect(0, 0, 40, 40);`;
  const files = await looksTheSame(pageOf(cases, '', script), cases);
  assert.not.match(new TextDecoder().decode(files.get('index.html')), 'not saved');
});

test('names the drawings that an archive lacks', async () => {
  const frame = file('text/html', "<canvas id=c></canvas><script>c.getContext('webgl').clear(16384)</script>");
  const files = await looksTheSame(pageOf({}, `<iframe src="${frame}"></iframe>`), {});
  const html = new TextDecoder().decode(files.get('resources/frame-1.html'));
  assert.match(html, '<!-- not saved: drawings of 1 canvas elements -->');
});

test('elements in the top layer, and animations in shadow trees', async () => {
  const cases = {
    'a popover above the dialog that it precedes': '',
    'a popover that was opened from one after it': '',
    'popovers that a script opens together': '',
    'a popover next to its button': '',
    'an animation in a shadow tree': '<div id="shadow"></div>',
    'an animation of float': '<p id="float" style="width:25px;height:40px;margin:0;background:lime"></p>',
  };
  const popover = (id: string, at: number, rest = 'popover') =>
    `<div id="${id}" ${rest} style="margin:0;padding:0;border:0;background:lime;width:40px;height:40px;inset:0 auto auto ${at * size}px"></div>`;
  const head = `<style>#beside{inset:auto!important;position-area:top center} #float{float:right} ::backdrop{display:none}
#dialog{margin:0;padding:0;border:0;background:red;inset:0 auto auto 0;width:160px;height:40px}</style>
${popover('toast', 0, 'popover="manual"')}${popover('second', 1)}${popover('third', 2)}<dialog id="dialog"></dialog>
<div id="first" popover style="inset:80px auto auto 0;margin:0"><button id="open" popovertarget="second">x</button></div>
${popover('beside', 3, 'popover="manual"')}
<button id="anchor" popovertarget="beside" style="position:fixed;left:120px;top:40px;width:40px;height:20px">y</button>`;
  const script = `const root = shadow.attachShadow({ mode: 'open' }), kept = { duration: 1, fill: 'forwards' };
root.innerHTML = '<p style="height:40px;margin:0;background:red"></p>';
root.firstChild.animate({ background: ['red', 'lime'] }, kept); float.animate({ cssFloat: ['left', 'left'] }, kept);
dialog.showModal(); toast.showPopover(); first.showPopover(); open.click(); third.showPopover({ source: second });
anchor.click();`;
  await looksTheSame(
    pageOf(cases, head, `onload = () => {${script.replaceAll('open.click', 'document.all.open.click')}}`),
    cases,
  );
});

test('a page in quirks mode, with attributes of archives, and with a script before its head', async () => {
  const body = (color: string) =>
    `<div style="position:absolute;left:0;top:600px;width:100%;height:100%;background:${color}">`;
  const script = `onload = () => { scrollTo(0, 600); box.scrollTop = 300;
const first = document.createElement('script'); first.textContent = 'if (!document.body) document.documentElement.style.filter = "invert(1)"';
document.documentElement.prepend(first); }`;
  const path = file(
    'text/html; charset=utf-8',
    `<p data-archive-state="not JSON" hidden></p>${body('lime')}<div id="box" style="height:90px;overflow:auto;background:red">
<div style="margin-top:300px;height:300px;background:lime"></div></div></div><script>${script}</script>`,
  );
  await looksTheSame(path, { 'a scrolled box in a scrolled window': '' });
});

test('elements that only look like those of HTML, and a document without elements', async () => {
  const names = ['input', 'select', 'textarea', 'canvas', 'dialog', 'style', 'template', 'slot'];
  const script = `for (const name of ${JSON.stringify(names)}) holder.append(document.createElementNS('urn:x', name))`;
  const xml = file('text/xml', '<x xmlns="urn:x"><input/><select/><style/><canvas/></x>');
  const cases = {
    'in the page': '<div style="background:lime"><p hidden id="holder"></p></div>',
    'in a frame': `<div style="background:lime"><iframe hidden src="${xml}"></iframe></div>`,
  };
  const files = await looksTheSame(pageOf(cases, '', script), cases);
  assert.match(new TextDecoder().decode(files.get('resources/frame-1.html')), '<x xmlns="urn:x"><input>');
  await looksTheSame(file('text/html', '<script>document.documentElement.remove()</script>'), {});
});
