// Serves well-behaved pages, each of which makes one effect visible in the result.
import { PNG } from 'pngjs';
import type { SiteHandler } from './site.ts';

/** The colors of pages and images, as red, green, blue. */
export const colors = {
  red: [255, 0, 0],
  green: [0, 128, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
  white: [255, 255, 255],
  black: [0, 0, 0],
} as const;

/** The bands of /tall from top to bottom: 500 px each, 3000 px together. */
export const bands = ['red', 'green', 'blue', 'yellow', 'red', 'blue'] as const;

const words = 'the quick brown fox jumps over the lazy dog while seven wizards brew potions in a quiet valley '.split(
  ' ',
);

/** Returns the same text every time: `count` words from a starting word. */
function prose(start: number, count: number): string {
  return Array.from({ length: count }, (_, index) => words[(start * 7 + index * 3) % words.length]).join(' ');
}

export function page(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;
}

/** The latest page of a given size: building a large one takes longer than sending it. */
let latestSized = { bytes: 0, text: '' };

/** Returns a page of exactly this size (at least 500 bytes), in paragraphs. */
function sized(bytes: number): string {
  if (latestSized.bytes !== bytes) {
    const paragraph = `<p>${prose(1, 60)}</p>\n`;
    const room = bytes - page('Sized', '<h1>Sized</h1><p></p>').length;
    const whole = Math.floor(room / paragraph.length);
    const rest = 'x'.repeat(room - whole * paragraph.length);
    latestSized = { bytes, text: page('Sized', `<h1>Sized</h1>${paragraph.repeat(whole)}<p>${rest}</p>`) };
  }
  return latestSized.text;
}

export function solidPng(name: string): Uint8Array {
  const [, color = 'red', width = '32', height = width] = /^([a-z]+)(?:-(\d+)x(\d+))?$/.exec(name) ?? [];
  const [red, green, blue] = Object.entries(colors).find(([key]) => key === color)?.[1] ?? colors.red;
  const image = new PNG({ width: Number(width), height: Number(height) });
  for (let at = 0; at < image.data.length; at += 4) image.data.set([red, green, blue, 255], at);
  return PNG.sync.write(image);
}

export const pages: Record<string, SiteHandler> = {
  '/': () => page('Test page', '<h1>Hello</h1><p class="text">A paragraph of text.</p>'),
  '/small': () => page('Small', '<h1>Small</h1><p>Small page.</p>'),
  '/medium': () => {
    const blocks = Array.from({ length: 27 }, (_, index) => `<h2>Part ${index + 1}</h2><p>${prose(index, 30)}</p>`);
    const images = ['red', 'green', 'blue', 'yellow', 'black', 'white'].map(
      (color) => `<img src="/images/${color}-64x48.png" width="64" height="48" alt="">`,
    );
    const head = '<link rel="stylesheet" href="/assets/medium.css"><script src="/assets/medium.js" defer></script>';
    return page('Medium', `<h1>Medium</h1>${blocks.join('')}${images.join('')}`, head);
  },
  // One style sheet, one script of 4 KB, and an image from each of two hosts.
  '/budgeted': (_request, _response, site) =>
    page(
      'Budgeted',
      `<h1>Budgeted</h1><img src="/images/red.png" alt=""><img src="${site.otherUrl}/images/blue.png" alt="">`,
      '<link rel="stylesheet" href="/assets/medium.css"><script src="/assets/large.js" defer></script>',
    ),
  '/assets/large.js': (_request, response) => {
    response.setHeader('content-type', 'text/javascript');
    return `/*${'x'.repeat(4_000)}*/`;
  },
  '/sized/:bytes': (request) => sized(Number(request.params['bytes'])),
  '/assets/medium.css': (_request, response) => {
    response.setHeader('content-type', 'text/css');
    return 'body{font:16px sans-serif;max-width:50em;margin:auto}h2{color:#036;border-bottom:1px solid}p{line-height:1.5}';
  },
  '/assets/medium.js': (_request, response) => {
    response.setHeader('content-type', 'text/javascript');
    return `for (const h of document.querySelectorAll('h2')) h.dataset.length = String(h.nextElementSibling.textContent.length);
document.documentElement.dataset.ready = 'yes';`;
  },
  '/assets/red.css': (_request, response) => {
    response.setHeader('content-type', 'text/css');
    return 'body{background:rgb(255,0,0)}';
  },
  '/assets/mark.js': (_request, response) => {
    response.setHeader('content-type', 'text/javascript');
    return "document.documentElement.dataset.mark = 'by script'; window.marked = true;";
  },
  '/assets/module.js': (_request, response) => {
    response.setHeader('content-type', 'text/javascript');
    return 'document.documentElement.dataset.module = import.meta.url; export {};';
  },
  '/images/:name': (request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.end(solidPng((request.params['name'] ?? '').replace(/\.png$/, '')));
  },
  '/js': () =>
    page(
      'Before',
      '<h1>Script</h1><p id="out">static</p><noscript><p id="noscript">scripts are off</p></noscript>' +
        "<script>document.title = 'After'; document.querySelector('#out').textContent = 'scripted'</script>",
    ),
  '/console': () =>
    page(
      'Console',
      "<h1>Console</h1><script>console.log('first line'); console.error('second line', 42); console.warn({ a: 1 })</script>",
    ),
  '/network': () =>
    page(
      'Network',
      `<h1>Network</h1><img src="/images/blue.png"><pre id="fetched"></pre><pre id="socket"></pre><script src="/assets/mark.js"></script>
<script>
fetch('/json').then((r) => r.text()).then((t) => { document.querySelector('#fetched').textContent = t; }, () => { document.querySelector('#fetched').textContent = 'failed'; });
const xhr = new XMLHttpRequest(); xhr.open('GET', '/json?xhr'); xhr.send();
const ws = new WebSocket(location.origin.replace('http', 'ws') + '/websocket');
ws.onopen = () => ws.send('hello'); ws.onmessage = (e) => { document.querySelector('#socket').textContent = e.data; };
ws.onerror = () => { document.querySelector('#socket').textContent = 'failed'; };
</script>`,
      '<link rel="stylesheet" href="/assets/red.css">',
    ),
  '/lazy': () =>
    page(
      'Lazy',
      Array.from(
        { length: 6 },
        (_, index) =>
          `<div style="height:900px"></div><img data-src="/images/blue-50x50.png?${index}" width="50" height="50">`,
      ).join('') +
        `<script>const o = new IntersectionObserver((entries) => { for (const e of entries) if (e.isIntersecting && !e.target.src) e.target.src = e.target.dataset.src; });
for (const img of document.images) o.observe(img)</script>`,
    ),
  '/tall': () =>
    page(
      'Tall',
      bands
        .map((color) => `<div class="band" style="height:500px;background:rgb(${colors[color].join()})"></div>`)
        .join(''),
      '<style>body{margin:0}</style>',
    ),
  '/boxes': () =>
    page(
      'Boxes',
      `<div id="box" style="position:absolute;left:100px;top:50px;width:120px;height:80px;background:rgb(255,0,0)"></div>
<div id="below" style="position:absolute;left:10px;top:2000px;width:40px;height:30px;background:rgb(0,0,255)"></div>
<div id="hidden" style="display:none">hidden</div>`,
      '<style>body{margin:0}</style>',
    ),
  '/transparent': () => page('Transparent', '<h1>No background</h1>'),
  '/print': () =>
    page(
      'Print',
      '<h1>Media</h1><p class="screen">on screen</p><p class="print">on paper</p>',
      `<style>body{margin:0;background:rgb(0,0,255);min-height:100vh}.print{display:none}
@media print{body{background:rgb(255,0,0)}.screen{display:none}.print{display:block}}</style>`,
    ),
  '/dialogs': (request) => {
    const kind = request.query.get('kind') ?? 'all';
    const calls = {
      alert: "alert('hi'); done.push('alert');",
      confirm: "done.push('confirm ' + confirm('sure?'));",
      prompt: "done.push('prompt ' + prompt('name?', 'x'));",
    };
    const chosen = Object.entries(calls).filter(([name]) => kind === 'all' || kind === name);
    return page(
      'Dialogs',
      `<h1>Dialogs</h1><pre id="done"></pre><script>const done = [];
onbeforeunload = (event) => { event.preventDefault(); return 'stay'; };
${chosen.map(([, call]) => call).join('\n')}
document.querySelector('#done').textContent = done.join(', ');</script>`,
    );
  },
  '/popup': () =>
    page('Popup', "<h1>Popup</h1><script>for (let i = 0; i < 3; i++) window.open('/small?' + i)</script>"),
  '/download-page': () =>
    page('Download page', "<h1>Download page</h1><script>onload = () => { location.href = '/download'; }</script>"),
  '/frames': (_request, _response, site) =>
    page('Frames', `<h1>Frames</h1><iframe src="/small"></iframe><iframe src="${site.otherUrl}/small?other"></iframe>`),
  '/event': (request) =>
    page(
      'Event',
      `<h1>Event</h1><pre id="fired"></pre><script>onload = () => setTimeout(() => {
document.querySelector('#fired').textContent = 'fired'; ${request.query.get('on') ?? 'document'}.dispatchEvent(new CustomEvent('ready-now')); }, ${Number(request.query.get('ms') ?? 100)})</script>`,
    ),
  '/late': (request) =>
    page(
      'Late',
      `<h1>Late</h1><div id="target" style="display:none">waiting</div><script>setTimeout(() => {
const e = document.createElement('p'); e.className = 'late'; e.textContent = 'arrived'; document.body.append(e);
window.arrived = 'yes'; document.querySelector('#target').style.display = 'block'; document.querySelector('h1').remove(); }, ${Number(request.query.get('ms') ?? 200)})</script>`,
    ),
  '/scrape': () =>
    page(
      'Scrape',
      `<ul><li class="item" data-id="1">One</li><li class="item" data-id="2"><b>Two</b></li></ul>
<div id="box" style="position:absolute;left:30px;top:200px;width:100px;height:40px">Box <i>inner</i></div>`,
    ),
  '/pages/:n': (request) =>
    page(
      'Pages',
      Array.from(
        { length: Number(request.params['n']) },
        (_, index) => `<section><h2>Page ${index + 1}</h2><p>${prose(index, 60)}</p></section>`,
      ).join(''),
      '<style>section{break-after:page}section:last-child{break-after:auto}</style>',
    ),
  '/css-page': () => page('CSS page', '<h1>CSS page size</h1>', '<style>@page{size:300px 400px;margin:0}</style>'),
  '/wide': () =>
    page(
      'Wide',
      '<div id="size"></div><script>document.querySelector("#size").textContent = JSON.stringify({ w: innerWidth, h: innerHeight, dpr: devicePixelRatio, touch: navigator.maxTouchPoints, mobile: navigator.userAgentData?.mobile, orientation: screen.orientation.type })</script>',
      '<meta name="viewport" content="width=device-width"><style>body{margin:0}</style>',
    ),
  '/agent': () =>
    page(
      'Agent',
      `<pre id="agent"></pre><script>(async () => { const d = navigator.userAgentData;
const high = await d?.getHighEntropyValues(['architecture', 'bitness', 'model', 'platformVersion', 'fullVersionList', 'uaFullVersion', 'wow64', 'formFactors']);
document.querySelector('#agent').textContent = JSON.stringify({ agent: navigator.userAgent, platform: navigator.platform, brands: d?.brands, mobile: d?.mobile, high }); })()</script>`,
    ),
  '/referrer': () =>
    page(
      'Referrer',
      '<pre id="referrer"></pre><script>document.querySelector("#referrer").textContent = document.referrer</script>',
    ),
};
