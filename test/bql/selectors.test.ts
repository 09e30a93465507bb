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

/**
 * Light elements named 2, 4, … beside and inside hosts; shadow trees of shadow trees, with slots, before, between and
 * after them.
 */
const nested = (mode: 'open' | 'closed') => {
  const tree = (inside: string) => `<template shadowrootmode="${mode}">${inside}</template>`;
  return `<div>${tree('<b>1</b>')}</div><b>2</b>
<section id="rows"><b>3</b><div>${tree(
    `<b>4</b><p>${tree('<i><b>5</b></i>')}<b>6</b></p><slot></slot><b>7</b>`,
  )}<b>8</b><span>${tree('<slot></slot><b>9</b>')}<b>10</b></span></div><b>11</b></section>
<p>${tree('')}<b>12</b></p>`;
};

test('deep selectors return document order, a shadow tree after its host and before the children of its host', async () => {
  const text = (rows: { innerText: string }[]) => rows.map(({ innerText }) => innerText).join(' ');
  for (const mode of ['open', 'closed'] as const) {
    const data = await fixture.data(
      `mutation($html: String!) {
      content(html: $html) { status }
      all: querySelectorAll(selector: "< b") { innerText }
      rows: mapSelector(selector: "< b") { innerText }
      inner: mapSelector(selector: "#rows") { b: mapSelector(selector: "< b") { innerText } }
      first: text(selector: "< b") { text }
      hosts: mapSelector(selector: "< :is(p, span, i)") { innerText }
    }`,
      { variables: { html: nested(mode) } },
    );
    assert.is(text(data.all), '1 2 3 4 5 6 7 8 9 10 11 12');
    assert.is(text(data.rows), text(data.all));
    // Within the rows of mapSelector, only open shadow trees are searched.
    assert.is(text(data.inner[0].b), mode === 'open' ? '3 4 5 6 7 8 9 10 11' : '3 8 10 11');
    assert.is(data.first.text, '1');
    assert.is(data.hosts.length, 4);
  }
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
