// Serves pages that live view tests watch. Elements have fixed positions, so that tests can click them.
import type { SiteHandler } from './site.ts';

const page = (body: string, title = 'Live') =>
  `<!doctype html><title>${title}</title><style>body, p { margin: 0; font: 16px sans-serif } .at { position: absolute; box-sizing: border-box }</style>${body}`;

/** The position of an element, in CSS pixels. */
const at = (x: number, y: number, width = 200, height = 30) =>
  `class="at" style="left:${x}px;top:${y}px;width:${width}px;height:${height}px"`;

/** Fields at x 20, one below the other: text 20, area 60, password 140, button 180, select 220, date 260. */
const form = page(`
  <input id="text" ${at(20, 20)} value="">
  <textarea id="area" ${at(20, 60, 200, 60)}></textarea>
  <input id="password" type="password" ${at(20, 140)} value="secret">
  <button id="button" ${at(20, 180)}>Press</button>
  <select id="select" ${at(20, 220)}><optgroup label="One"><option>a<option disabled>b</optgroup><option>c</select>
  <input id="date" type="date" ${at(20, 260)} value="2026-01-02" min="2026-01-01">
  <p id="words" ${at(300, 20, 300, 60)}>first second third</p>
  <script>
    const log = (window.seen = []);
    for (const type of ['click', 'dblclick', 'contextmenu', 'mousemove', 'mousedown', 'mouseup', 'wheel', 'keydown',
      'keyup', 'input', 'change', 'compositionstart', 'compositionupdate', 'compositionend', 'touchstart', 'touchmove',
      'touchend', 'touchcancel', 'paste', 'copy', 'blur'])
      addEventListener(type, (event) => log.push([type, event.target.id ?? '', event.key ?? event.data ?? event.deltaY ?? '', event.isTrusted, event.detail ?? 0]), { capture: true, passive: true });
    document.querySelector('button').onclick = () => (document.body.style.background = 'rgb(0, 160, 0)');
  </script>`);

export const livePages: Readonly<Record<string, SiteHandler>> = {
  '/live/form': () => form,
  '/live/spinner': () =>
    page(`<style>@keyframes turn { to { transform: rotate(1turn) } } i { position: absolute; left: 50px; top: 50px;
      width: 32px; height: 32px; border: 4px solid #08c; border-top-color: #fff; border-radius: 50%; animation: turn 1s linear infinite }</style><i></i>`),
  '/live/noise': () =>
    page(`<canvas width="800" height="600"></canvas><script>
      const canvas = document.querySelector('canvas'), context = canvas.getContext('2d');
      const picture = context.createImageData(800, 600), words = new Uint32Array(picture.data.buffer);
      const draw = () => { for (let at = 0; at < words.length; at++) words[at] = (Math.random() * 2 ** 32) | 0xff000000;
        context.putImageData(picture, 0, 0); requestAnimationFrame(draw); }; draw();</script>`),
  '/live/tall': () => page('<div style="height:5000px;background:linear-gradient(#fff, #000)"></div>'),
  '/live/popup': () => page(`<button ${at(20, 20)} onclick="window.open('/live/form')">Open</button>`, 'Opener'),
  '/live/files': () =>
    page(
      `<input type="file" id="one" accept=".txt" ${at(20, 20)}><input type="file" multiple id="many" ${at(20, 60)}>
       <a href="/live/report.txt" download ${at(20, 100)}>Report</a>`,
      'Files',
    ),
  '/live/report.txt': (_, response) => {
    response.writeHead(200, {
      'Content-Type': 'text/plain',
      'Content-Disposition': 'attachment; filename="report.txt"',
    });
    response.end('the report');
  },
  '/live/dialog': () =>
    page(
      `<button ${at(20, 20)} onclick="document.title = String(prompt('Your name?', 'nobody'))">Ask</button>
       <button ${at(20, 60)} onclick="alert('Careful'); document.title = 'read'">Tell</button>`,
      'Dialogs',
    ),
};
