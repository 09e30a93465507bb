// Serves sites for the /export tests; each page has one kind of content that is hard to save.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { page, solidPng } from './pages.ts';
import type { SiteHandler } from './site.ts';

const style =
  (css: string): SiteHandler =>
  (_request, response) => {
    response.setHeader('content-type', 'text/css');
    return css;
  };

let font: Uint8Array | undefined;

/** A font from the embedded browser's package: the first .ttf of its archive (tar, POSIX 1003.1 header). */
function anyFont(): Uint8Array {
  if (font) return font;
  const packed = join(import.meta.dirname, '../../../node_modules/@sparticuz/chromium/bin/fonts.tar.br');
  const tar = brotliDecompressSync(readFileSync(packed));
  for (let at = 0; at + 512 <= tar.length;) {
    const field = (from: number, length: number) =>
      tar
        .subarray(at + from, at + from + length)
        .toString('latin1')
        .replace(/\0.*$/s, '');
    const size = parseInt(field(124, 12), 8) || 0;
    if (field(0, 100).endsWith('.ttf')) return (font = tar.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('no font in the archive');
}

/** Files that a test adds to the site, by their names in `/added/`: headers and body. */
export const addedFiles: [headers: Record<string, string>, body: string | Uint8Array][] = [];

const added: SiteHandler = ({ params }, response) => {
  const [headers, body] = addedFiles[Number(params['number'])] ?? [{}, ''];
  response.writeHead(200, headers).end(body);
};

export const exportPages: Record<string, SiteHandler> = {
  '/added/:number': added,
  /** The same file under a name. */
  '/added/:number/:name': added,
  /** srcset, picture, style sheets that import style sheets, fonts, backgrounds, non-ASCII names. */
  '/shop/': () =>
    page(
      'Shop',
      `<h1 class="title">Shöp</h1>
<img src="/images/black-100x80.png" srcset="/images/blue-100x80.png 1x, /images/red-200x160.png 2x" alt="">
<img srcset="/images/green-400x300.png 400w, /images/red-800x600.png 800w" sizes="200px" alt="">
<picture><source media="(min-width: 5000px)" srcset="/images/red-64x48.png"><source srcset="/images/yellow-64x48.png"><img src="/images/black-64x48.png" alt=""></picture>
<img src="bilder/${encodeURIComponent('größe 图')}.png?v=1&amp;w=2" width="60" height="40" alt="">
<img src="/redirect?to=/images/red-30x20.png" width="30" height="20" alt=""><div class="boxed"></div><div style="width:50px;height:50px;background:url('/images/cyan-50x50.png')"></div>
<svg width="60" height="40"><image href="/images/magenta-60x40.png" width="60" height="40"/></svg>
<a href="/small">to the small page</a> <a href="#here">here</a><base target="_self">`,
      `<link rel="stylesheet" href="css/${encodeURIComponent('stil-ü')}.css" integrity=""><link rel="preload" as="image" href="/images/white-10x10.png">
<style>@import "/shop/css/imported.css"; body { margin: 20px; background: rgb(240, 250, 240) }</style>`,
    ),
  '/shop/css/:name': (request, response, site) => {
    const sheets: Record<string, string> = {
      'stil-ü.css': `@charset "utf-8"; @import url(deeper.css); @font-face { font-family: Own; src: url("../fonts/own.ttf") format("truetype") }
.title { font: 40px Own, monospace } /* url(not-an-address.png) */ .title::after { content: "url(neither)" }`,
      'deeper.css': '.boxed { width: 80px; height: 60px; background-image: url( "../../images/blue-80x60.png" ) }',
      'imported.css': 'a { color: rgb(200, 0, 0) }',
    };
    return style(sheets[request.params['name'] ?? ''] ?? '')(request, response, site);
  },
  '/shop/fonts/own.ttf': (_request, response) => {
    response.writeHead(200, { 'content-type': 'font/ttf' });
    response.end(anyFont());
  },
  '/shop/bilder/:name': (_request, response) =>
    void response.writeHead(200, { 'content-type': 'image/png' }).end(solidPng('blue-60x40')),
  /** Nested frames of this site and another, and images that load late. */
  '/gallery': (_request, _response, site) =>
    page(
      'Gallery',
      `<h1>Gallery</h1><iframe src="/gallery/frame" width="300" height="200"></iframe>
<iframe src="${site.otherUrl}/gallery/frame?other" width="300" height="200"></iframe>
<iframe srcdoc="<body style='background:rgb(0,255,0)'>written</body>" width="100" height="50"></iframe>
<div style="height:4000px"></div><img loading="lazy" src="/images/red-100x80.png?lazy" width="100" height="80">
<div style="height:1500px"></div><img data-src="/images/blue-100x80.png?watched" width="100" height="80" alt="">
<script>const o = new IntersectionObserver((entries) => { for (const e of entries) if (e.isIntersecting && !e.target.src) e.target.src = e.target.dataset.src; });
for (const i of document.querySelectorAll('[data-src]')) o.observe(i)</script>`,
    ),
  '/gallery/frame': (request) =>
    page(
      'Frame',
      `<p>${request.query.has('other') ? 'of another site' : 'of this site'}</p><img src="/images/green-100x60.png">
${request.query.has('inner') ? '' : '<iframe src="/gallery/frame?inner" width="200" height="100"></iframe>'}`,
      '<link rel="stylesheet" href="/assets/red.css">',
    ),
  /** Content that only scripts create: elements, CSS rules, shadow trees, canvas drawings, form values. */
  '/app': () =>
    page(
      'App',
      `<div id="root"></div><canvas id="drawing" width="80" height="60"></canvas><input id="typed"><input type="checkbox" id="ticked">
<textarea id="written"></textarea><select id="chosen"><option>one<option>two</select><own-box></own-box><noscript>no scripts</noscript>
<script>
root.insertAdjacentHTML('beforeend', '<p class="made">made by a script</p>');
document.styleSheets[0].insertRule('.made { color: rgb(0, 0, 255); font-size: 30px }');
const sheet = new CSSStyleSheet(); sheet.replaceSync('#root { background: url(/images/yellow-20x20.png); padding: 20px }');
document.adoptedStyleSheets = [sheet];
const pen = drawing.getContext('2d'); pen.fillStyle = 'rgb(255,0,0)'; pen.fillRect(10, 10, 40, 30);
typed.value = 'by hand'; ticked.checked = true; written.value = 'some text'; chosen.selectedIndex = 1;
customElements.define('own-box', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML =
'<style>div { width: 90px; height: 40px; background: url(/images/cyan-90x40.png) }</style><div></div><slot></slot>'; } });
</script>`,
      '<style></style>',
    ),
  /** A file that never ends. */
  '/export-endless': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    const timer = setInterval(() => response.write(new Uint8Array(10_000)), 20);
    response.on('close', () => clearInterval(timer));
  },
};
