// The pages that the figures of live views are measured on.
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

export const documents = {
  /** Text that rests. */
  static: `<!doctype html><title>static</title>${style}${sections}`,
  /** Turns a ring of 32 pixels, all the time. */
  spinner: `<!doctype html><title>spinner</title>${style}<style>@keyframes turn { to { transform: rotate(1turn) } }
    i { display: block; width: 32px; height: 32px; border: 4px solid #ccc; border-top-color: #09f; border-radius: 50%;
    animation: turn 1s linear infinite }</style><i></i>${sections}`,
  /** A field for the keyboard. */
  typing: `<!doctype html><title>typing</title>${style}<h1>Form</h1>
    <textarea style="width:900px;height:300px;font:16px monospace"></textarea>${sections}`,
  /** Scrolls, four pixels with each frame. */
  scroll: `<!doctype html><title>scroll</title>${style}${sections}<script>let at = 0; (function go() {
    at += 4; scrollTo(0, at % (document.body.scrollHeight - 720)); requestAnimationFrame(go); })()</script>`,
  /** Its corner changes between two colours with each press. */
  press: `<!doctype html><title>press</title>${style}<b style="position:absolute;left:0;top:0;width:400px;height:300px;background:rgb(200,0,0)"></b>
    <script>let on = false; addEventListener('mousedown', () => { on = !on;
    document.querySelector('b').style.background = on ? 'rgb(0,0,200)' : 'rgb(200,0,0)'; })</script>`,
} as const;
