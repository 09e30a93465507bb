// BrowserQL with humanlike: the mouse, key and wheel events that a page records. The file is
// long because all tests use one recorder. Most of the time is spent between inputs, so two tests run concurrently.
// @tier ci
import * as assert from 'uvu/assert';
import { bqlSuite, type RunOptions } from '../support/clients/bql.ts';
import { concurrently } from '../support/concurrently.ts';

const { test: suite, fixture } = bqlSuite('BrowserQL like a person');
const test = concurrently(suite, 2);

interface PageEvent {
  type: 'move' | 'pointerdown' | 'pointerup' | 'keydown' | 'keyup' | 'wheel';
  at: number;
  id: string;
  x: number;
  y: number;
  pageX: number;
  pageY: number;
  boxes: { x: number; y: number; width: number; height: number }[];
  pressure: number;
  points: { x: number; y: number }[];
  key: string;
  code: string;
  shift: boolean;
  location: number;
  dy: number;
  wheel: number;
}

const humanlike: RunOptions = { query: { humanlike: true, timeout: 120_000 } };
/** Time limit of tests with many inputs, which take as long as a person would. */
const longMs = 120_000;
const taken = 'seen: evaluate(content: "take()") { value }';

/** Runs steps on the recording page; returns their results and the events that the page recorded. */
async function act(steps: string, options: RunOptions = humanlike) {
  const data = await fixture.data(`mutation { goto(url: "SITE/bql/hand") { status } ${steps} ${taken} }`, options);
  const seen: PageEvent[] = JSON.parse(data['seen'].value);
  return { data, seen, of: (type: PageEvent['type']) => seen.filter((event) => event.type === type) };
}

const many = (count: number, step: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `s${index}: ${step(index)}`).join(' ');
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const typing = (text: string, selector: string, delay = '[0, 0]') =>
  `type(selector: ${JSON.stringify(selector)}, text: ${JSON.stringify(text)}, delay: ${delay}, timeout: 100000) { time }
   value: evaluate(content: "(e => e.value ?? e.innerText)(document.querySelector('${selector}'))") { value }`;

/** When each key was pressed and released; checks that no key is pressed again before its release. */
function keyHolds(seen: readonly PageEvent[]): { code: string; from: number; to: number }[] {
  const open = new Map<string, number>();
  const found = [];
  for (const { type, code, at } of seen) {
    if (type === 'keydown') {
      assert.not(open.has(code), `${code} is pressed twice`);
      open.set(code, at);
    } else if (type === 'keyup') {
      const from = open.get(code);
      assert.type(from, 'number', `${code} is released but was not pressed`);
      found.push({ code, from: from ?? 0, to: at });
      open.delete(code);
    }
  }
  assert.equal([...open.keys()], [], 'some keys were not released');
  return found;
}

/** Checks that every press and release, and no move, has the pressure of a mouse. */
function assertMousePressure(seen: readonly PageEvent[]): void {
  for (const { type, pressure } of seen) {
    if (type === 'pointerdown') assert.is(pressure, 0.5);
    else if (type === 'pointerup' || type === 'move') assert.is(pressure, 0);
  }
}

test('every click has the pressure of a mouse, even without humanlike', async () => {
  const { seen, of } = await act(
    `click(selector: "#button") { x } checkbox(selector: "#agreed", checked: true) { x }
     type(selector: "#text", text: "x") { x }`,
    {},
  );
  const ids = ['button', 'agreed', 'text'];
  assert.equal(
    [of('pointerdown'), of('pointerup')].map((events) => events.map(({ id }) => id)),
    [ids, ids],
  );
  assertMousePressure(seen);
});

test(
  'clicks land off-center, hold the button, and have coalesced moves',
  async () => {
    // Elements far apart, so that the paths are long.
    const ids = ['button', 'round', 'label', 'wide', 'row', 'partly', 'text', 'agreed'];
    const { data, seen, of } = await act(many(16, (index) => `click(selector: "#${ids[index % ids.length]}") { x y }`));
    const [downs, ups] = [of('pointerdown'), of('pointerup')];
    assert.is(downs.length, 16);
    const exact = downs.filter(({ x, y, boxes: [box] }) => {
      const { x: left = 0, y: top = 0, width = 0, height = 0 } = box ?? {};
      return Math.abs(x - left - width / 2) <= 0.5 && Math.abs(y - top - height / 2) <= 0.5;
    });
    // In the smallest box, about one in a hundred clicks hits the exact center: the chance of five is below one in a
    // million.
    assert.ok(exact.length <= 4, `${exact.length} of 16 at the exact center`);
    downs.forEach((down, index) => {
      assert.equal(
        [down.id, down.pageX, down.pageY],
        [ids[index % ids.length], data[`s${index}`].x, data[`s${index}`].y],
      );
      assert.equal([Math.round(down.x), Math.round(down.y)], [down.x, down.y], 'whole pixels, as with a mouse');
    });
    assertMousePressure(seen);
    const held = downs.map(({ at }, index) => (ups[index]?.at ?? 0) - at);
    assert.ok(median(held) >= 60 && median(held) <= 130, `held for ${median(held)} ms`);
    const points = of('move').map((move) => move.points);
    assert.ok(
      points.some(({ length }) => length >= 2),
      'coalesced',
    );
    assert.ok(points.flat().every(({ x, y }) => x >= 0 && y >= 0 && Number.isInteger(x) && Number.isInteger(y)));
  },
  { timeoutMs: longMs },
);

test(
  'clicks land inside their target: tiny, partly outside the window, round, several lines long, or with a control inside',
  async () => {
    // A third of the row is a button that does not cover the center of the row.
    const ids = ['tiny1', 'tiny2', 'tiny3', 'tiny4', 'partly', 'wide', 'round', 'lines', ...Array(14).fill('row')];
    const steps = many(ids.length, (index) => `click(selector: "#${ids[index]}") { x }`);
    const { of } = await act(`viewport(width: 700, height: 500) { width } ${steps}`);
    const downs = of('pointerdown');
    assert.equal(
      downs.map(({ id }) => id),
      ids,
    );
    for (const { id, x, y, boxes } of downs) {
      const inside = boxes.some((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);
      assert.ok(inside && x >= 0 && x < 700 && y >= 0 && y < 500, `${id} at ${x}, ${y}`);
    }
  },
  { timeoutMs: longMs },
);

test(
  'keys are held, Shift is pressed as a separate key, and consecutive keys overlap',
  async () => {
    const text = 'The Quick brown fox jumps over the lazy dog & 42 "HOLD Shift" signs? '.repeat(2);
    const { data, seen } = await act(typing(text, '#text'));
    assert.is(data['value'].value, text);
    const keys = keyHolds(seen);
    const plain = keys.filter(({ code }) => code !== 'ShiftLeft');
    const held = plain.map(({ from, to }) => to - from);
    assert.ok(median(held) >= 60 && median(held) <= 130, `keys held for ${median(held)} ms`);
    assert.ok(new Set(held.map((ms) => Math.round(ms))).size > 10, 'of different lengths');
    // About a fifth of 90 pairs overlap: the chance of fewer than two is below one in a million.
    const overlapping = plain.filter(({ from }, index) => plain.slice(0, index).some(({ to }) => to > from)).length;
    assert.ok(overlapping >= 2 && overlapping < 60, `${overlapping} overlaps`);
    let shift = false;
    for (const { type, key, code, shift: told, location } of seen) {
      if (code === 'ShiftLeft') {
        shift = type === 'keydown';
        assert.equal([key, told, location], ['Shift', shift, 1]);
      } else if (type === 'keydown') {
        const expectsShift = /^[A-Z&"?]$/.test(key);
        assert.equal([told, shift], [expectsShift, expectsShift], `${key}: Shift ${shift ? 'down' : 'up'}`);
      }
    }
  },
  { timeoutMs: longMs },
);

test(
  'types the exact text: punctuation, newlines, tabs, characters without a key, and at any speed',
  async () => {
    const printable = String.fromCodePoint(...Array.from({ length: 95 }, (_, index) => 32 + index));
    for (const [text, selector, delay] of [
      [printable, '#text', '[0, 0]'],
      ['aé😀👩‍👩‍👧ß中´^~e', '#text', '[0, 5]'],
      ['one\nTwo\n\n three', '#area', '[0, 0]'],
      ['rich Text', '#edit', '[40, 90]'],
    ] as const) {
      const { data, seen } = await act(typing(text, selector, delay));
      assert.is(data['value'].value, text);
      keyHolds(seen);
    }
    const { data } = await act(
      `${typing('A\tb', '#text')} area: evaluate(content: "document.querySelector('#area').value") { value }
       ${typing('42', '#code').replace('type', 'code: type').replace('value:', 'first:')}
       next: evaluate(content: "document.querySelector('#code-next').value") { value }`,
    );
    assert.equal(
      ['value', 'area', 'first', 'next'].map((key) => data[key].value),
      ['A', 'b', '4', '2'],
    );
  },
  { timeoutMs: longMs },
);

test('appends text to what a field already contains, in a browser of any language', async () => {
  const { data } = await act(
    `${typing('first half, ', '#text')} again: ${typing('Second yz', '#text').replace('value:', 'both:')}`,
    {
      query: { ...humanlike.query, launch: JSON.stringify({ args: ['--lang=de-DE'] }) },
    },
  );
  assert.is(data['both'].value, 'first half, Second yz');
});

test('the pause between two keys is never shorter than the minimum delay', async () => {
  const { seen } = await act(typing('abcdefgh', '#text', '[260, 270]'));
  const downs = seen.filter(({ type, code }) => type === 'keydown' && code !== 'ShiftLeft');
  const pauses = downs.slice(1).map(({ at }, index) => at - (downs[index]?.at ?? 0));
  assert.ok(median(pauses) >= 255, `pauses of ${pauses.join(' ')} ms`);
});

test('scroll turns the wheel notch by notch, with pauses, to a position and to an element', async () => {
  for (const step of ['scroll(y: 2500) { y }', 'scroll(selector: "#end") { y }']) {
    const { data, of } = await act(`hover(x: 300, y: 100) { x } ${step}`);
    const wheels = of('wheel');
    const y: number = data['scroll'].y;
    assert.ok(wheels.length >= 20 && wheels.length <= 60, `${wheels.length} notches`);
    assert.ok(wheels.every(({ dy, wheel }) => dy === 100 && wheel === -120));
    assert.ok(step.includes('2500') ? y === 2_500 : y > 3_500, `scrolled to ${y}`);
    const pauses = wheels.slice(1).map(({ at }, index) => at - (wheels[index]?.at ?? 0));
    assert.ok(pauses.filter((ms) => ms >= 70).length >= 2, `pauses of ${pauses.map(Math.round).join(' ')} ms`);
  }
});

/** What a page does while the mouse is moving. */
const disturbances = {
  'navigates away': 'location.href = "OTHER/small"',
  reloads: 'location.reload()',
  'shows a dialog': 'alert(1)',
};
for (const [name, script] of Object.entries(disturbances)) {
  test(`a page that ${name} during mouse movement does not hold it up`, async () => {
    const prepared = `let n = 0; addEventListener("pointermove", () => { if (++n === 4) { ${script} } })`;
    const { data, errors } = await fixture.run(
      `mutation { goto(url: "SITE/bql/hand") { status } prepare: evaluate(content: ${JSON.stringify(prepared)}) { value }
       a: hover(x: 600, y: 400, timeout: 8000) { x time } b: hover(x: 10, y: 10, timeout: 8000) { x }
       url { url } }`,
      humanlike,
    );
    assert.is(errors, undefined);
    assert.equal([data['a'].x, data['b'].x], [600, 10]);
    assert.ok(data['a'].time < 5_000, `${data['a'].time} ms`);
  });
}

/** Steps that time out long before they are done, each with a script that the page runs first. */
const long = {
  'mouse moves': ['hover(x: 700, y: 500, timeout: 150) { x }', ''],
  'key presses': [`type(selector: "#text", text: "${'Long text '.repeat(40)}", delay: 0, timeout: 4000) { x }`, ''],
  'wheel notches': ['scroll(y: 3900, timeout: 250) { y }', ''],
  'mouse moves over a busy page': [
    'hover(x: 700, y: 500, timeout: 1200) { x }',
    'addEventListener("pointermove", () => { for (const end = Date.now() + 400; Date.now() < end;); })',
  ],
};
for (const [name, [step = '', script = '']] of Object.entries(long)) {
  test(`stops immediately when its time limit expires: ${name}`, async () => {
    const limit = Number(/timeout: (\d+)/.exec(step)?.[1]);
    const prepare = script === '' ? '' : `prepare: evaluate(content: ${JSON.stringify(script)}) { value }`;
    const answer = await fixture.run(
      `mutation { goto(url: "SITE/bql/hand") { status } ${prepare} start: hover(x: 5, y: 5, timeout: 20000) { x }
       long: ${step} a: waitForTimeout(time: 800) { time } ${taken}
       b: waitForTimeout(time: 500) { time } again: evaluate(content: "take()") { value } }`,
      humanlike,
    );
    const [error] = answer.errors ?? [];
    assert.equal([error?.path, error?.extensions?.code], [['long'], 'TIMEOUT']);
    assert.match(error?.message ?? '', `did not finish within ${limit} ms`);
    const seen: PageEvent[] = JSON.parse(answer.data['seen'].value);
    // Every pressed key is released.
    keyHolds(seen);
    assert.is(
      seen.filter(({ type }) => type === 'pointerdown').length,
      seen.filter(({ type }) => type === 'pointerup').length,
    );
    assert.is(answer.data['again'].value, '[]', 'input continued after the step ended');
  });
}

test('clicks work in frames and shadow trees, and typing a newline submits the form', async () => {
  const data = await fixture.data(
    `mutation {
      goto(url: "SITE/bql/frames") { status }
      pay: click(selector: "< *bql/inner* .pay") { x }
      closed: click(selector: "< *bql/inner* .inner") { x }
      told: waitForSelector(selector: ".told") { x }
      text: text(selector: ".told") { text }
      login: goto(url: "SITE/bql/login") { status }
      user: type(selector: "#user", text: "Ada", delay: [0, 0]) { x }
      pass: type(selector: "#pass", text: "Secret\\n", delay: [0, 0]) { x }
      who: text(selector: "#who") { text }
    }`,
    humanlike,
  );
  assert.equal([data['text'].text, data['who'].text], ['clicked inner true', 'Ada:Secret']);
});
