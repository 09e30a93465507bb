// BrowserQL: user actions (click, checkbox, hover, scroll, select, type), and how human they look.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL actions');

test.proves('click.selector');
test('click scrolls the element into view and dispatches trusted events', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/form") { status }
    click(selector: "#go", timeout: 20000, visible: true, wait: true, scroll: true) { selector time x y }
    log: text(selector: "#log") { text }
    script: click(selector: "document.querySelector('#go')") { x y }
    twice: text(selector: "#log") { text }
  }`);
  assert.is(data.click.selector, '#go');
  // The button is 80 by 30, in a line that starts below 1500 pixels of other content.
  assert.is(data.click.x, 40);
  assert.ok(data.click.y >= 1515 && data.click.y < 1560, String(data.click.y));
  assert.is(data.log.text, 'go mouseover true;go mousedown true;go click true;');
  assert.match(data.twice.text, /go click true;go mousedown true;go click true;$/);
});

test('without scrolling, a point outside the window cannot be clicked', async () => {
  await fixture.fails(
    'mutation { goto(url: "SITE/bql/form") { status } click(selector: "#go", scroll: false, timeout: 300) { x } }',
    'click',
    'ELEMENT_COVERED',
    'the point is outside the viewport',
  );
});

test('click waits for its element unless wait is false', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/later") { status }
    click(selector: "#later", visible: true, timeout: 20000) { x }
  }`);
  assert.type(data.click.x, 'number');
  await fixture.fails(
    'mutation { goto(url: "SITE/small") { status } click(selector: "#later", wait: false) { x } }',
    'click',
    'SELECTOR_NOT_FOUND',
    'No element matches',
  );
  await fixture.fails('mutation { click(selector: "div[", wait: false) { x } }', 'click', 'INVALID_SELECTOR', 'div[');
  await fixture.fails('mutation { click(selector: " ", wait: false) { x } }', 'click', 'INVALID_SELECTOR', 'empty');
});

test('the error for a covered element names what covers it; click waits until it is uncovered', async () => {
  const { data } = await fixture.fails(
    'mutation { goto(url: "SITE/bql/covered") { status } click(selector: "#under", timeout: 400) { x } title { title } }',
    'click',
    'ELEMENT_COVERED',
    'div#cover.modal.dark',
    '#under',
  );
  assert.is(data.title.title, 'Covered');
  await fixture.fails(
    'mutation { goto(url: "SITE/bql/covered") { status } hover(selector: "#under", wait: false) { x } }',
    'hover',
    'ELEMENT_COVERED',
    'div#cover',
  );
  const passing = await fixture.data(
    'mutation { goto(url: "SITE/bql/covered?passing") { status } click(selector: "#under", timeout: 20000) { x } title { title } }',
  );
  assert.is(passing.title.title, 'clicked');
});

test('a moving element is clicked where it stops', async () => {
  const data = await fixture.data(
    'mutation { goto(url: "SITE/bql/moving", waitUntil: domContentLoaded) { status } click(selector: "#run") { x } title { title } }',
  );
  assert.equal([data.click.x, data.title.title], [430, 'caught']);
});

test('an element without a size cannot be clicked', async () => {
  await fixture.fails(
    'mutation { goto(url: "SITE/boxes") { status } click(selector: "#hidden", timeout: 300) { x } }',
    'click',
    'ELEMENT_NOT_READY',
    'no size',
  );
});

test.proves('checkbox.checked checkbox.selector');
test('checkbox checks and unchecks; clicking the label works too', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/form") { status }
    on: checkbox(checked: true, selector: "#tick", scroll: true, timeout: 20000, visible: true, wait: true) { selector time x y }
    again: checkbox(checked: true, selector: "#tick") { x }
    state: evaluate(content: "document.querySelector('#tick').checked") { value }
    off: checkbox(checked: false, selector: "#tick") { x }
    log: text(selector: "#log") { text }
    label: click(selector: "#tick-label") { x }
    after: evaluate(content: "document.querySelector('#tick').checked") { value }
  }`);
  assert.is(data.on.selector, '#tick');
  assert.equal([data.state.value, data.after.value], ['true', 'true']);
  assert.is(data.log.text, 'tick change true;tick change true;');
  await fixture.fails(
    'mutation { goto(url: "SITE/bql/form") { status } checkbox(checked: true, selector: "#go", timeout: 500) { x } }',
    'checkbox',
    'ELEMENT_NOT_READY',
    'not a checkbox',
  );
});

test.proves('hover.selector hover.x hover.y');
test('hover moves the mouse over an element or to a point', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/form") { status }
    hover(selector: "#go", scroll: true, timeout: 20000, visible: true, wait: true) { selector time x y }
    log: text(selector: "#log") { text }
    point: hover(x: 10, y: 12) { x y }
    last: evaluate(content: "JSON.stringify(last)") { value }
  }`);
  assert.is(data.log.text, 'go mouseover true;');
  assert.equal(data.point, { x: 10, y: 12 });
  assert.is(data.last.value, '{"x":10,"y":12}');
  await fixture.fails('mutation { hover(x: 1) { x } }', 'hover', 'BAD_ARGUMENT', '"selector"');
});

test.proves('scroll.selector scroll.x scroll.y');
test('scroll scrolls to an element or a position', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/form") { status }
    place: scroll(x: 0, y: 700) { x y time }
    down: scroll(y: 900) { y }
    to: scroll(selector: "#bottom", timeout: 20000, visible: true, wait: true) { selector x y }
    seen: evaluate(content: "scrollY") { value }
  }`);
  assert.equal([data.place.x, data.place.y, data.down.y], [0, 700, 900]);
  assert.ok(data.to.y > 4_000 && String(data.to.y) === data.seen.value);
  const wide = await fixture.data(`mutation {
    content(html: "<body style='width:5000px;height:5000px'>") { status }
    right: scroll(x: 300) { x y } down: scroll(y: 200) { x y } both: scroll(x: 40, y: 50) { x y }
    seen: evaluate(content: "scrollX + ' ' + scrollY") { value }
  }`);
  assert.equal(
    [wide.right, wide.down, wide.both, wide.seen.value],
    [{ x: 300, y: 0 }, { x: 300, y: 200 }, { x: 40, y: 50 }, '40 50'],
  );
  await fixture.fails('mutation { scroll { x } }', 'scroll', 'BAD_ARGUMENT', '"selector"');
});

test.proves('select.selector select.value');
test('select chooses one or more options and fires a change event', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/form") { status }
    one: select(selector: "#one", value: "b", scroll: true, timeout: 20000, visible: true, wait: true) { selector value time }
    many: select(selector: "#many", value: ["x", "z"]) { value }
    log: text(selector: "#log") { text }
  }`);
  assert.equal([data.one.value, data.many.value], ['b', ['x', 'z']]);
  assert.is(data.log.text, 'one change false;many change false;');
  const late = (value: string) =>
    `mutation { goto(url: "SITE/bql/form") { status } select(selector: "#one", value: ${value}, timeout: 300) { value } }`;
  await fixture.fails(late('"q"'), 'select', 'ELEMENT_NOT_READY', 'no option with the value "q"');
  await fixture.fails(late('"no"'), 'select', 'ELEMENT_NOT_READY', 'disabled');
  await fixture.fails(late('["a", "b"]'), 'select', 'ELEMENT_NOT_READY', 'only one value');
  await fixture.fails(
    'mutation { goto(url: "SITE/bql/form") { status } select(selector: "#go", value: "a", wait: false) { value } }',
    'select',
    'ELEMENT_NOT_READY',
    'not a select',
  );
});

test.proves('type.text type.selector type.delay');
test('type sends keys character by character with the given delay', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/form") { status }
    type(text: "aB3 é😀!", selector: "#text", delay: [1, 5], interactable: true, scroll: true, timeout: 20000, visible: true, wait: true) { selector text time x y }
    value: evaluate(content: "document.querySelector('#text').value") { value }
    log: text(selector: "#log") { text }
    lines: type(text: "one\\r\\ntwo", selector: "#area", delay: 0) { time }
    area: evaluate(content: "document.querySelector('#area').value") { value }
    edit: type(text: "rich", selector: "#edit", delay: [0, 1]) { text }
    rich: text(selector: "#edit") { text }
    slow: type(text: "abcd", selector: "#text", delay: [260, 270]) { time }
    fast: type(text: "${'x'.repeat(40)}", selector: "#text", delay: 0) { time }
  }`);
  assert.equal([data.type.text, data.value.value], ['aB3 é😀!', 'aB3 é😀!']);
  // Characters without a key are inserted without key events: é and the emoji.
  assert.is(data.log.text.match(/keydown true/g)?.length, 5);
  assert.is(data.log.text.match(/input true/g)?.length, 7);
  assert.is(data.area.value, 'one\ntwo');
  assert.is(data.rich.text, 'rich');
  // Without an argument, each key is followed by a delay of 50 to 200 ms.
  assert.ok(data.slow.time >= 4 * 260, `four keys took ${data.slow.time} ms`);
  assert.ok(data.fast.time < 40 * 50, `forty keys took ${data.fast.time} ms`);
});

test.proves('type.interactable');
test('type checks that its element is not covered unless interactable is false', async () => {
  const covered = `goto(url: "SITE/bql/form") { status }
    cover: evaluate(content: "document.body.insertAdjacentHTML('beforeend', '<div id=veil style=\\"position:fixed;inset:0\\"></div>')") { value }`;
  await fixture.fails(
    `mutation { ${covered} type(text: "x", selector: "#text", timeout: 400) { time } }`,
    'type',
    'ELEMENT_COVERED',
    'div#veil',
  );
  const data = await fixture.data(
    `mutation { ${covered} type(text: "x", selector: "#text", interactable: false, delay: 0) { time } value: evaluate(content: "document.querySelector('#text').value") { value } }`,
  );
  assert.is(data.value.value, 'x');
  await fixture.fails(
    'mutation { type(text: "x", selector: "body", delay: [5, 1]) { time } }',
    'type',
    'BAD_ARGUMENT',
    '"delay"',
  );
});

test.proves('humanlike@bql');
test('humanlike moves the mouse in curves, scrolls with the wheel and corrects typos', async () => {
  const text = 'the quick brown fox jumps over the lazy dog and the quick brown fox jumps once more over it';
  const data = await fixture.data(
    `mutation {
      goto(url: "SITE/bql/form") { status }
      start: hover(x: 5, y: 5) { x }
      type(text: "${text}", selector: "#text", delay: 0) { time }
      value: evaluate(content: "document.querySelector('#text').value") { value }
      moves: evaluate(content: "moves") { value }
      jump: evaluate(content: "maxJump") { value }
      scroll(y: 0) { y }
      wheels: evaluate(content: "wheels") { value }
    }`,
    { query: { humanlike: true } },
  );
  assert.is(data.value.value, text);
  assert.ok(Number(data.moves.value) >= 16, `${data.moves.value} moves`);
  assert.ok(Number(data.jump.value) < 300, `a jump of ${data.jump.value} pixels`);
  assert.equal([data.scroll.y, Number(data.wheels.value) > 3], [0, true]);
});

test.proves('launch.slowMo@bql');
test('slowMo pauses after each user action', async () => {
  const launch = JSON.stringify({ slowMo: 400 });
  const started = performance.now();
  await fixture.data(
    'mutation { goto(url: "SITE/small") { status } a: hover(x: 1, y: 1) { x } b: hover(x: 2, y: 2) { x } }',
    {
      query: { launch },
    },
  );
  assert.ok(performance.now() - started >= 800);
});
