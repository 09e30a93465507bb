// BrowserQL: deep selectors in closed shadow trees and two levels of cross-site frames, and waiting for elements.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL selectors');

test('clicks work in closed shadow trees in every frame', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/frames", waitUntil: networkIdle) { status }
    main: click(selector: "< button.inner") { x y }
    outer: click(selector: "< */bql/outer button.inner") { x y }
    first: waitForSelector(selector: "document.querySelectorAll('.told')[1]") { x }
    inner: click(selector: "< SITE/bql/inner button[data-where^='inn']") { x y }
    second: waitForSelector(selector: "document.querySelectorAll('.told')[2]") { x }
    told: mapSelector(selector: ".told") { innerText }
  }`);
  assert.equal(
    data.told.map(({ innerText }: { innerText: string }) => innerText),
    ['clicked main true', 'clicked outer true', 'clicked inner true'],
  );
});

test('every step with a selector accepts a deep selector', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/frames", waitUntil: networkIdle) { status }
    text(selector: "< .only-inner") { text }
    html(selector: "< */inner* .pay") { html }
    one: querySelector(selector: "< .pay") { className }
    all: querySelectorAll(selector: "< button.inner") { className }
    rows: mapSelector(selector: "< button.inner") { where: attribute(name: "data-where") { value } }
    box: waitForSelector(selector: "< .pay") { width height }
    hover(selector: "< .only-inner") { x }
    scroll(selector: "< */outer iframe") { y }
    type(selector: "< */inner input[name='number']", text: "4242", delay: 0) { text }
    value: text(selector: "< .only-inner", clean: { removeRegex: true }) { text }
    tick: checkbox(selector: "< */inner .tick", checked: true) { x }
    select(selector: "< .choice", value: "2") { value }
    if(selector: "< .pay", visible: true) { title { title } }
    ifnot(selector: "< .nowhere") { url { url } }
    picture: screenshot(selector: "< .pay") { format base64 }
  }`);
  assert.is(data.text.text, 'inner text');
  assert.match(data.html.html, /^<button class="pay"/);
  assert.equal([data.one.className, data.all.length], ['pay', 3]);
  assert.equal(
    data.rows.map((row: { where: { value: string } }) => row.where.value),
    ['main', 'outer', 'inner'],
  );
  assert.ok(data.box.width > 0 && data.box.height > 0);
  assert.equal([data.type.text, data.select.value, data.value.text], ['4242', '2', 'inner text']);
  assert.is(data.if.title.title, 'Frames');
  assert.is(data.ifnot.url.url, `${fixture.site.url}/bql/frames`);
  assert.ok(data.picture.base64.length > 100);
});

test('deep selectors that match nothing or are invalid are reported', async () => {
  await fixture.fails(
    'mutation { goto(url: "SITE/bql/frames") { status } click(selector: "< */nowhere* button", timeout: 300) { x } }',
    'click',
    'SELECTOR_NOT_FOUND',
    '*/nowhere* button',
  );
  for (const selector of ['<', '< */x* ', '< a{b}', '< a;b']) {
    await fixture.fails(`mutation { click(selector: "${selector}", wait: false) { x } }`, 'click', 'INVALID_SELECTOR');
  }
  await fixture.fails('mutation { click(selector: "< a[", wait: false) { x } }', 'click', 'INVALID_SELECTOR', 'CSS');
});

test.proves('waitForSelector.selector');
test('waitForSelector returns position and size, and with visible waits until the element is visible', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/boxes") { status }
    box: waitForSelector(selector: "#box") { selector time x y width height }
    there: goto(url: "SITE/bql/later") { status }
    later: waitForSelector(selector: "#later", timeout: 20000) { x }
    seen: waitForSelector(selector: "#later", visible: true, timeout: 20000) { height }
    script: waitForSelector(selector: "document.getElementById('now')") { width }
    list: waitForSelector(selector: "[...document.querySelectorAll('p')]") { width }
  }`);
  const { time, ...box } = data.box;
  assert.equal(box, { selector: '#box', x: 100, y: 50, width: 120, height: 80 });
  assert.ok(time >= 0 && data.seen.height > 0 && data.script.width > 0 && data.list.width > 0);
  await fixture.fails(
    'mutation { goto(url: "SITE/small") { status } w: waitForSelector(selector: "document.querySelector(", timeout: 300) { x } }',
    'w',
    'INVALID_SELECTOR',
  );
});

test.proves('preferences.timeout waitForTimeout.time');
test('waitForTimeout waits; preferences set the default timeout of later steps', async () => {
  const data = await fixture.data(
    'mutation { waitForTimeout(time: 300) { time } preferences(timeout: 1000) { timeout } usual: preferences { timeout } }',
  );
  assert.ok(data.waitForTimeout.time >= 290);
  assert.equal([data.preferences.timeout, data.usual.timeout], [1000, 30_000]);
  await fixture.fails(
    'mutation { preferences(timeout: 250) { timeout } waitForSelector(selector: "#no") { x } }',
    'waitForSelector',
    'SELECTOR_NOT_FOUND',
    '250 ms',
  );
  await fixture.fails('mutation { waitForTimeout(time: -1) { time } }', 'waitForTimeout', 'BAD_ARGUMENT', '"time"');
  await fixture.fails('mutation { click(selector: "a", timeout: -1) { x } }', 'click', 'BAD_ARGUMENT', '"timeout"');
});
