// BrowserQL: the arguments that many element steps share, tested on each of these steps: timeout, visible, wait,
// scroll.
import * as assert from 'uvu/assert';
import { type BqlAnswer, bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL arguments');

/** The source of each step; `…` is replaced by its selector and the other arguments of a test. */
const steps: Record<string, string> = {
  checkbox: 'checkbox(checked: true, …) { y }',
  click: 'click(…) { y }',
  hover: 'hover(…) { y }',
  html: 'html(…) { html }',
  mapSelector: 'mapSelector(…) { id }',
  querySelector: 'querySelector(…) { id }',
  querySelectorAll: 'querySelectorAll(…) { id }',
  screenshot: 'screenshot(…) { format }',
  scroll: 'scroll(…) { y }',
  select: 'select(value: "seen", …) { value }',
  text: 'text(…) { text }',
  type: 'type(text: "a", delay: 0, …) { y }',
  waitForSelector: 'waitForSelector(…) { height }',
};
const written = (name: string, args: string) => (steps[name] ?? '').replace('…', args);

/** An element that the step accepts; most accept a list with options. */
function elementFor(name: string, id: string, style = ''): string {
  const marks = `id="${id}" class="one" style="${style}"`;
  if (name === 'checkbox') return `<input type="checkbox" ${marks}>`;
  return name === 'type' ? `<input ${marks}>` : `<select ${marks}><option>any</option><option>${id}</option></select>`;
}

/** Runs steps on a page with this markup, after setting the default timeout for steps. */
function run(body: string, document: string, limitMs = 20_000): Promise<BqlAnswer> {
  const open = `content(html: $html) { status } preferences(timeout: ${limitMs}) { timeout }`;
  const html = `<body style="margin:0">${body}`;
  return fixture.run(`mutation ($html: String!) { ${open} ${document} }`, { variables: { html } });
}

/** The outcome of the step with this key: its result, or the message of its error. */
function outcome({ data, errors = [] }: BqlAnswer, key: string): string {
  return errors.find(({ path }) => path?.[0] === key)?.message ?? JSON.stringify(data[key]);
}

for (const name of Object.keys(steps)) {
  test.proves(`${name}.timeout preferences.timeout`);
  test(`${name}: timeout limits how long it waits for its element`, async () => {
    const never = (more: string) => written(name, `selector: "#never"${more}`);
    const answer = await run('', `own: ${never(', timeout: 120')} usual: ${never('')}`, 200);
    for (const [key, ms] of Object.entries({ own: 120, usual: 200 })) {
      assert.match(outcome(answer, key), `${name} did not finish within ${ms} ms: no element matches`);
    }
  });
}

for (const name of Object.keys(steps).filter((step) => step !== 'mapSelector' && step !== 'screenshot')) {
  test.proves(`${name}.visible`);
  test(`${name}: visible skips hidden elements`, async () => {
    const hidden = elementFor(name, 'unseen', 'display:none');
    const answer = await run(
      `${hidden}<div style="height:3000px"></div>${elementFor(name, 'seen')}`,
      `unseen: ${written(name, 'selector: "#unseen", visible: true, timeout: 120')}
      first: ${written(name, 'selector: ".one", visible: false, timeout: 120')}
      second: ${written(name, 'selector: ".one", visible: true')}`,
    );
    assert.match(outcome(answer, 'unseen'), 'no visible element matches the selector "#unseen"');
    assert.is.not(answer.data['second'], null, outcome(answer, 'second'));
    assert.is.not(outcome(answer, 'second'), outcome(answer, 'first'));
  });
}

for (const name of ['checkbox', 'click', 'hover', 'mapSelector', 'scroll', 'select', 'type']) {
  test.proves(`${name}.wait`);
  test(`${name}: with wait false, it does not wait for its element`, async () => {
    const add = `setTimeout(() => { document.body.innerHTML = '${elementFor(name, 'seen')}'; }, 200)`;
    const answer = await run(
      '',
      `now: ${written(name, 'selector: "#seen", wait: false')}
      begin: evaluate(content: ${JSON.stringify(add)}) { value }
      usual: ${written(name, 'selector: "#seen"')}`,
    );
    // Rows are null if there are none.
    const none = name === 'mapSelector' ? 'null' : 'No element matches the selector "#seen".';
    assert.is(outcome(answer, 'now'), none);
    assert.is.not(answer.data['usual'], null, outcome(answer, 'usual'));
  });
}

const outside = 'the point is outside the viewport';
/** The outcome of a step on an element below the viewport when the step must not scroll. */
const unscrolled: Record<string, string> = {
  checkbox: outside,
  click: outside,
  hover: outside,
  select: '{"value":"seen"}',
  type: outside,
};
for (const [name, expected] of Object.entries(unscrolled)) {
  test.proves(`${name}.scroll`);
  test(`${name}: scroll false does not scroll the page`, async () => {
    const place = 'evaluate(content: "scrollY") { value }';
    const answer = await run(
      `<div style="height:3000px"></div>${elementFor(name, 'seen')}<div style="height:3000px"></div>`,
      `still: ${written(name, 'selector: "#seen", scroll: false, timeout: 120')} before: ${place}
      usual: ${written(name, 'selector: "#seen"')} after: ${place}`,
    );
    assert.match(outcome(answer, 'still'), expected);
    assert.is.not(answer.data['usual'], null, outcome(answer, 'usual'));
    assert.is(answer.data['before'].value, '0');
    assert.ok(Number(answer.data['after'].value) > 2_000, answer.data['after'].value);
  });
}
