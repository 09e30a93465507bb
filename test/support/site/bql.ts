// Serves pages for BrowserQL: forms that log their events, covered and moving elements, frames and shadow trees,
// windows, and the sites of the example documents.
import type { SiteHandler } from './site.ts';

function page(title: string, body: string, head = ''): string {
  return `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;
}

/** Writes every event of the field into #log, with its `isTrusted`. */
const logging = `<pre id="log"></pre><script>
const log = (text) => { document.querySelector('#log').textContent += text + ';'; };
const watch = (id, ...names) => { for (const name of names) document.getElementById(id).addEventListener(name, (e) => log(id + ' ' + name + ' ' + e.isTrusted)); };
</script>`;

const closedBox = `<script>
class ClosedBox extends HTMLElement { constructor() { super();
  const root = this.attachShadow({ mode: 'closed' });
  root.innerHTML = '<button class="inner" data-where="' + (this.getAttribute('where') ?? '') + '">closed</button><input class="field"><label><input type="checkbox" class="tick">tick</label><slot></slot>';
  root.querySelector('button').onclick = (e) => { document.title = 'clicked ' + this.getAttribute('where') + ' ' + e.isTrusted; parent.postMessage(document.title, '*'); };
} }
customElements.define('closed-box', ClosedBox);
onmessage = (e) => { const p = document.createElement('p'); p.className = 'told'; p.textContent = e.data; document.body.append(p); if (parent !== window) parent.postMessage(e.data, '*'); };
</script>`;

export const bqlPages: Record<string, SiteHandler> = {
  '/bql/form': () =>
    page(
      'Form',
      `<div style="height:1500px" id="top">top</div>
<button id="go" style="width:80px;height:30px">Go</button>
<input id="text"><textarea id="area"></textarea><div id="edit" contenteditable="true"></div>
<input type="checkbox" id="tick"><label id="tick-label" for="tick">tick</label>
<select id="one"><option value="a">A</option><option value="b">B</option><option value="no" disabled>No</option></select>
<select id="many" multiple><option value="x">X</option><option value="y">Y</option><option value="z">Z</option></select>
<div id="hidden" style="display:none">hidden</div>
<div style="height:3000px"></div><p id="bottom">bottom</p>${logging}
<script>watch('go', 'mousedown', 'click', 'mouseover'); watch('text', 'keydown', 'input'); watch('one', 'change'); watch('many', 'change'); watch('tick', 'change');
let moves = 0, maxJump = 0, last; addEventListener('pointermove', (event) => { for (const e of event.getCoalescedEvents()) { moves++; if (last) maxJump = Math.max(maxJump, Math.hypot(e.clientX - last.x, e.clientY - last.y)); last = { x: e.clientX, y: e.clientY }; } });
let backspaces = 0; addEventListener('keydown', (e) => { if (e.key === 'Backspace') backspaces++; });
let wheels = 0; addEventListener('wheel', () => { wheels++; });</script>`,
      '<style>body{margin:0}</style>',
    ),
  '/bql/hand': () =>
    page(
      'Hand',
      `<button id="button">button</button><label id="label">I agree to <a id="terms" href="/small">all of the terms</a> of it<input type="checkbox" id="agreed"></label>
<input id="text"><textarea id="area"></textarea><div id="edit" contenteditable="true"></div>
<input id="code" maxlength="1"><input id="code-next" maxlength="1">
${[1, 2, 3, 4].map((size) => `<div class="tiny" id="tiny${size}" style="left:${size * 50}.3px;width:${size}px;height:${size}px"></div>`).join('')}
<div id="partly"></div><div id="wide"></div><p><a id="lines" href="#lines">${'words of a link over several lines '.repeat(4)}</a></p>
<div id="row">row<button id="delete">delete</button></div><div id="round"></div><p id="end">end</p><script>
const seen = [];
const place = (e) => ({ x: e.clientX, y: e.clientY, pageX: e.pageX, pageY: e.pageY });
const note = (e) => { const boxes = e.target.getClientRects ? [...e.target.getClientRects()] : []; return { type: e.type, id: e.target.id, trusted: e.isTrusted, at: e.timeStamp, boxes, ...place(e) }; };
addEventListener('pointermove', (e) => seen.push({ type: 'move', at: e.timeStamp, points: e.getCoalescedEvents().map(place), pressure: e.pressure }), true);
for (const name of ['pointerdown', 'pointerup']) addEventListener(name, (e) => seen.push({ ...note(e), pressure: e.pressure, buttons: e.buttons }), true);
for (const name of ['keydown', 'keyup']) addEventListener(name, (e) => seen.push({ type: e.type, key: e.key, code: e.code, shift: e.shiftKey, location: e.location, at: e.timeStamp, repeat: e.repeat }), true);
addEventListener('wheel', (e) => seen.push({ type: 'wheel', at: e.timeStamp, dx: e.deltaX, dy: e.deltaY, wheel: e.wheelDeltaY }), { capture: true, passive: true });
document.querySelector('#code').addEventListener('keyup', () => document.querySelector('#code-next').focus());
const take = () => JSON.stringify(seen.splice(0));
</script>`,
      `<style>body{margin:0;font:16px sans-serif}#button{position:absolute;left:300px;top:250px;width:90px;height:30px}.tiny{position:absolute;top:120.4px;background:red}
#label{position:absolute;left:20px;top:300px;width:400px;background:#eee}#partly{position:absolute;left:-70px;top:150px;width:100px;height:40px;background:blue}
#wide{position:absolute;left:100px;top:200px;width:4000px;height:30px;background:green}p{margin-top:380px;width:180px}
#row{position:absolute;left:20px;top:340px;width:300px;height:40px;background:#ddd}#delete{position:absolute;left:0;top:0;width:40%;height:40px}
#round{position:absolute;left:500px;top:300px;width:60px;height:60px;border-radius:50%;background:red}#end{margin-top:4000px}</style>`,
    ),
  '/bql/covered': () =>
    page(
      'Covered',
      `<button id="under" style="position:absolute;left:50px;top:50px;width:100px;height:40px" onclick="document.title='clicked'">under</button>
<div id="cover" class="modal dark" style="position:fixed;inset:0;background:rgba(0,0,0,.5)"></div>
<button id="later" style="position:absolute;left:50px;top:150px;width:100px;height:40px" onclick="document.title='later'">later</button>
<script>addEventListener('uncover', () => document.querySelector('#cover').remove());
if (location.search === '?passing') setTimeout(() => document.querySelector('#cover').remove(), 300);</script>`,
    ),
  '/bql/moving': () =>
    page(
      'Moving',
      `<button id="run" style="position:absolute;left:0;top:50px;width:60px;height:40px" onclick="document.title='caught'">run</button>
<script>let x = 0; const step = () => { x += 20; const b = document.querySelector('#run'); b.style.left = Math.min(x, 400) + 'px'; if (x < 400) requestAnimationFrame(step); }; step();</script>`,
    ),
  '/bql/list': () =>
    page(
      'List',
      `<ul>${['A1', 'B2', 'C3'].map((sku, i) => `<li class="product big" id="p${i}" data-sku="${sku}"><span class="label">Item ${sku}</span><a href="/bql/item/${sku}">more</a><i>${i}</i></li>`).join('')}</ul>
<div id="host"></div><script>document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<b class="deep">in the shadow</b>';</script>`,
    ),
  '/bql/rows': (request) =>
    page(
      'Rows',
      Array.from(
        { length: Number(request.query.get('n') ?? 200) },
        (_, i) => `<li class="row" data-n="${i}"><b>b${i}</b><i>i${i}</i><a href="/x/${i}">a${i}</a></li>`,
      ).join(''),
    ),
  '/bql/item/:sku': (request) =>
    page(`Item ${request.params['sku']}`, `<h1>Item ${request.params['sku']}</h1><p class="price">12.50</p>`),
  '/bql/later': (request) =>
    page(
      'Later',
      `<p id="now">now</p><script>setTimeout(() => { const p = document.createElement('p'); p.id = 'later'; p.textContent = 'later'; p.style.display = 'none'; document.body.append(p);
setTimeout(() => { p.style.display = ''; }, ${Number(request.query.get('show') ?? 150)}); }, ${Number(request.query.get('ms') ?? 150)})</script>`,
    ),
  '/bql/frames': (_request, _response, site) =>
    page(
      'Frames',
      `<closed-box where="main"></closed-box><div style="height:900px"></div><iframe id="outer" src="${site.otherUrl}/bql/outer" width="600" height="400" style="border:7px solid;padding:5px"></iframe>${closedBox}`,
    ),
  '/bql/outer': (_request, _response, site) =>
    page(
      'Outer',
      `<closed-box where="outer"></closed-box><div style="height:500px"></div><iframe src="${site.url}/bql/inner" width="400" height="200"></iframe>${closedBox}`,
    ),
  '/bql/inner': () =>
    page(
      'Inner',
      `<p class="only-inner" onmouseover="document.title='hovered'">inner text</p><closed-box where="inner"></closed-box><select class="choice"><option value="1">1</option><option value="2">2</option></select><button class="pay" onclick="document.title='paid'">pay</button><input name="number">${closedBox}`,
    ),
  '/bql/windows': () =>
    page(
      'Windows',
      `<button id="open" onclick="window.open('/bql/item/popup')">open</button><button id="open-two" onclick="window.open('/bql/item/second')">second</button>`,
    ),
  '/bql/links': () =>
    page(
      'Links',
      `<a id="next" class="next" href="/bql/item/next">next</a><a id="slow" href="/slow?ms=300">slow</a><a id="hash" href="#part">part</a>
<button id="fetch" onclick="fetch('/json?clicked', { method: 'POST', body: 'sent' })">fetch</button>`,
    ),
  '/bql/messy': () =>
    page(
      'Messy',
      `<article id="art" class="c" data-x="1"><h1 title="t">Head</h1>
\t<p style="color:red">One   two</p><!-- note --><script>1</script><video></video><a href="/x" onclick="1">link</a><span class="ad">ad</span></article>`,
    ),
  '/bql/login': () =>
    page(
      'Login',
      `<form action="/bql/login-done"><input id="user" name="u"><input id="pass" name="p" type="password"><button type="submit">in</button></form>`,
    ),
  '/bql/login-done': (request) =>
    page(
      'Done',
      `<p id="who">${encodeURIComponent(request.query.get('u') ?? '')}:${encodeURIComponent(request.query.get('p') ?? '')}</p>`,
    ),
  '/bql/consent': (request) =>
    page(
      'News',
      `${request.query.has('none') ? '' : `<div id="consent" style="position:fixed;bottom:0;left:0;right:0;height:80px"><button class="ok" onclick="this.parentNode.remove()">ok</button></div>`}<h1>news</h1>`,
    ),
  '/bql/app': () =>
    page(
      'App',
      `<img src="/images/red.png"><div id="out"></div><script>fetch('/api/items').then((r) => r.json()).then((d) => { document.querySelector('#out').textContent = d.answer; });
const x = new XMLHttpRequest(); x.open('PUT', '/api/put'); x.send('1');</script>`,
    ),
  '/api/items': (_request, response) => {
    response.setHeader('content-type', 'application/json');
    return '{"answer":42}';
  },
  '/api/put': (_request, response) => {
    response.setHeader('content-type', 'application/json');
    return '{"put":true}';
  },
  '/bql/script.js': (_request, response) => {
    response.setHeader('content-type', 'text/javascript');
    return "const a = 20; return a + 1 + ' ' + document.title;";
  },
};
