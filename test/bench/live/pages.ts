// The pages on which live views are measured.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const style = '<style>body { margin: 24px; font: 16px/1.5 sans-serif; background: #fff } h3 { color: #245 }</style>';
const sections = Array.from(
  { length: 300 },
  (
    _,
    at,
  ) => `<h3>Section ${at}</h3><p style="max-width:900px">Lorem ipsum dolor sit amet, consectetur adipiscing elit ${at}.
    Sed do eiusmod tempor incididunt ut labore et dolore magna aliqua. Ut enim ad minim veniam, quis nostrud
    exercitation. <a href="#">link ${at}</a> <button>Button</button></p>`,
).join('');

const rows = Array.from(
  { length: 4_000 },
  (_, at) => `<div class="row"><span>cell ${at}</span><a href="#${at}">link</a><b>bold ${at}</b><img alt="" width="10"
    height="10"><input value="v${at}"></div>`,
).join('');

export const documents = {
  /** Text that does not change. */
  static: `<!doctype html><title>static</title>${style}${sections}`,
  /** Continuously rotates a 32-pixel ring. */
  spinner: `<!doctype html><title>spinner</title>${style}<style>@keyframes turn { to { transform: rotate(1turn) } }
    i { display: block; width: 32px; height: 32px; border: 4px solid #ccc; border-top-color: #09f; border-radius: 50%;
    animation: turn 1s linear infinite }</style><i></i>${sections}`,
  /** A field for keyboard input. */
  typing: `<!doctype html><title>typing</title>${style}<h1>Form</h1>
    <textarea style="width:900px;height:300px;font:16px monospace"></textarea>${sections}`,
  /** Scrolls by four pixels with each frame. */
  scroll: `<!doctype html><title>scroll</title>${style}${sections}<script>let at = 0; (function go() {
    at += 4; scrollTo(0, at % (document.body.scrollHeight - 720)); requestAnimationFrame(go); })()</script>`,
  /** Its corner toggles between two colors with each click. */
  press: `<!doctype html><title>press</title>${style}<b style="position:absolute;left:0;top:0;width:400px;height:300px;background:rgb(200,0,0)"></b>
    <script>let on = false; addEventListener('mousedown', () => { on = !on;
    document.querySelector('b').style.background = on ? 'rgb(0,0,200)' : 'rgb(200,0,0)'; })</script>`,
  /** 20,000 elements, of which 20 change 20 times a second; records its longest task. */
  heavy: `<!doctype html><title>heavy</title><style>.row { display: flex; gap: 8px; font: 14px sans-serif }</style>
    <script>let longest = 0; new PerformanceObserver((list) => { for (const { duration } of list.getEntries())
    longest = Math.max(longest, duration); }).observe({ type: 'longtask' });</script><div id="app">${rows}</div><script>
    let tick = 0; setInterval(() => { const app = document.querySelector('#app');
    for (let at = 0; at < 20; at++) { const row = app.children[(tick * 13 + at * 29) % app.children.length];
    row.children[0].textContent = 't' + tick + '-' + at; row.className = 'row r' + (tick % 7); }
    if (tick % 5 === 0) { const row = document.createElement('div'); row.className = 'row'; row.textContent = 'new ' + tick;
    app.prepend(row); app.lastElementChild.remove(); } tick++; }, 50);</script>`,
} as const;

/** Serves a document on loopback. */
export async function servePage(html: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((_, answer) => void answer.setHeader('Content-Type', 'text/html').end(html));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A TCP server has an address of this type.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
