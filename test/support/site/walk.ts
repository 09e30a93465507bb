// Serves the page of the walk over pairs of options: each option of a request leaves a trace in what the page requests
// or in how it is printed and captured.
import type { SiteHandler } from './site.ts';

const words = 'word '.repeat(900);

export const walkPages: Record<string, SiteHandler> = {
  /** `id` separates the requests of one page from those of others. `?css` sets a paper size in CSS. */
  '/walk/:id': ({ params, query }, _response, site) => {
    const at = `/walk/${params['id']}`;
    const when = (media: string, name: string) =>
      `<picture><source media="${media}" srcset="${at}/${name}"><img src="${at}/plain"></picture>`;
    return `<!doctype html><html style="color-scheme:dark"><meta charset="utf-8"><title>Walk</title>
<link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">
<style>${query.has('css') ? '@page { size: 300px 400px }' : ''}
@font-face { font-family: Walk; src: url(${at}/font) } body { margin: 0; font: 16px monospace } h1 { margin: 0; font: 32px monospace }
p { margin: 0 } .red { width: 9px; height: 9px; background: rgb(255, 0, 0) } .sheet { break-after: page } #box { width: 100px; height: 50px; background: linear-gradient(to right, rgb(255, 0, 0) 50%, transparent 50%) }
#far { margin-top: 4000px } .font { font-family: Walk } @media print { .screen { display: none } #far { margin: 0 } }</style>
<h1>MARK</h1><div id="box"></div><div class="red"></div><p>FIRST</p><p class="screen">SCREEN</p>
${when('print', 'print')}${when('(width: 500px)', 'width')}${when('(height: 400px)', 'height')}<img srcset="${at}/plain 1x, ${at}/scale 3x">
<img src="${at}/pattern"><img src="${at}/mocked"><img src="${at}/auth"><img src="${site.url.replace('127.0.0.1', 'ads.localhost')}/banner_ads/x.gif?${params['id']}">
<span class="font">font</span><noscript><img src="${at}/noscript"></noscript>
<script>let count = 0; const end = () => { document.body.append(Object.assign(document.createElement('i'), { id: 'late' })); dispatchEvent(new Event('walk')) };
 addEventListener('scroll', () => { new Image().src = '${at}/scrolled' }, { once: true });
onload = () => { const timer = setInterval(() => { new Image().src = '${at}/tick?' + ++count; if (count < 3) return; clearInterval(timer);
Object.assign(new Image(), { onerror: end, src: '${at}/late' }) }, 300) }</script>
<p class="sheet">end</p><h1>MARK</h1><div class="red"></div><p>SECOND</p><p class="screen">SCREEN</p><p>${words}</p>
<div id="far">END</div>`;
  },
  '/walk/:id/auth': ({ headers }, response) =>
    void response.writeHead(headers['authorization'] ? 204 : 401, { 'www-authenticate': 'Basic realm="walk"' }).end(),
  '/walk/:id/script': (_request, response) => void response.writeHead(200, { 'content-type': 'text/javascript' }).end(),
  '/walk/:id/style': (_request, response) => void response.writeHead(200, { 'content-type': 'text/css' }).end(),
  '/walk/:id/:name': (_request, response) => void response.writeHead(204).end(),
};
