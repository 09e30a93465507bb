// BrowserQL: reading pages: html, text, cleaning, rows, scripts.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL reading');

test.proves('html.selector text.selector');
test('html and text read the page or an element', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/scrape") { status }
    page: html { html time }
    part: html(selector: "li.item", timeout: 5000, visible: true) { html }
    all: text { text }
    box: text(selector: "#box", timeout: 5000, visible: true) { text time }
  }`);
  assert.match(data.page.html, /^<!DOCTYPE html><html/);
  assert.is(data.part.html, '<li class="item" data-id="1">One</li>');
  assert.match(data.all.text, 'Two');
  assert.is(data.box.text, 'Box inner');
  await fixture.fails(
    'mutation { goto(url: "SITE/boxes") { status } text(selector: "#hidden", visible: true, timeout: 200) { text } }',
    'text',
    'SELECTOR_NOT_FOUND',
    '#hidden',
    'no visible element matches',
  );
});

test.proves('html.clean text.clean');
test('clean removes what the caller does not need', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/messy") { status }
    regexes: html(selector: "h1", clean: { removeNonTextNodes: false, removeRegex: false, regexes: ["H[a-e]+"] }) { html }
    listed: html(selector: "article", clean: { selectors: [".ad", "h1"], removeRegex: true }) { html }
    keep: html(selector: "article", clean: { removeAttributes: true, attributes: ["href"], mode: ALLOW }) { html }
  }`);
  assert.is(data.regexes.html, '<h1 title="t"> </h1>');
  assert.not.match(data.listed.html, /class="ad"|<h1|\n|note/);
  assert.match(data.listed.html, '<script>');
  assert.match(data.keep.html, /^<article> +<p>One two<\/p> <a href="\/x">link<\/a> *<\/article>$/);
  const more = await fixture.data(`mutation {
    goto(url: "SITE/bql/messy") { status }
    deny: html(selector: "article", clean: { removeAttributes: true, attributes: ["style", "onclick"], mode: DENY }) { html }
    text(clean: { removeNonTextNodes: true }) { text }
    whole: html(clean: {}) { html }
  }`);
  assert.match(more.deny.html, 'class="c" data-x="1"');
  assert.not.match(more.deny.html, /style=|onclick=|<script|<video/);
  assert.not.match(more.text.text, /\n|\t/);
  assert.not.match(more.whole.html, '<script');
  await fixture.fails(
    'mutation { goto(url: "SITE/small") { status } html(clean: { regexes: ["("] }) { html } }',
    'html',
    'BAD_ARGUMENT',
    'clean',
  );
});

test.proves(
  'CleanInput.removeNonTextNodes CleanInput.removeAttributes CleanInput.removeRegex CleanInput.selectors CleanInput.attributes CleanInput.mode CleanInput.regexes',
);
test('each option of clean can be used separately', async () => {
  const parts: Record<string, string> = {
    all: '',
    nodes: 'removeNonTextNodes: false',
    blanks: 'removeRegex: false',
    attributes: 'removeAttributes: true',
    denied: 'removeAttributes: true, attributes: ["class"], mode: DENY',
    allowed: 'removeAttributes: true, attributes: ["class"], mode: ALLOW',
    selectors: 'selectors: ["b"]',
    regexes: 'regexes: ["bo.d"]',
  };
  const body = '<p class="c" id="i">one   two<script>1</script><b>bold</b></p>';
  // Cleaning changes the page, so each step loads it again.
  const steps = Object.entries(parts).map(
    ([key, clean]) =>
      `open_${key}: content(html: $html) { status } ${key}: html(selector: "p", clean: { ${clean} }) { html }`,
  );
  const data = await fixture.data(`mutation ($html: String!) { ${steps.join(' ')} }`, { variables: { html: body } });
  assert.equal(Object.fromEntries(Object.keys(parts).map((key) => [key, data[key].html])), {
    all: '<p class="c" id="i">one two<b>bold</b></p>',
    nodes: '<p class="c" id="i">one two<script>1</script><b>bold</b></p>',
    blanks: '<p class="c" id="i">one   two<b>bold</b></p>',
    attributes: '<p>one two<b>bold</b></p>',
    denied: '<p id="i">one two<b>bold</b></p>',
    allowed: '<p class="c">one two<b>bold</b></p>',
    selectors: '<p class="c" id="i">one two<script>1</script></p>',
    regexes: '<p class="c" id="i">one two<b> </b></p>',
  });
});

test.proves('querySelector.selector querySelectorAll.selector');
test('querySelector returns the first match, querySelectorAll all of them', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/list") { status }
    querySelector(selector: "li.product", timeout: 5000, visible: true) {
      childElementCount className id innerHTML innerText localName outerHTML
    }
    querySelectorAll(selector: "li.product", timeout: 5000, visible: true) { id }
  }`);
  const { innerHTML, outerHTML, ...first } = data.querySelector;
  assert.equal(first, {
    childElementCount: 3,
    className: 'product big',
    id: 'p0',
    innerText: 'Item A1more0',
    localName: 'li',
  });
  assert.match(innerHTML, /^<span class="label">Item A1/);
  assert.match(outerHTML, /^<li class="product big"/);
  assert.equal(data.querySelectorAll, [{ id: 'p0' }, { id: 'p1' }, { id: 'p2' }]);
  await fixture.fails(
    'mutation { goto(url: "SITE/small") { status } querySelectorAll(selector: ".no", timeout: 200) { id } }',
    'querySelectorAll',
    'SELECTOR_NOT_FOUND',
  );
});

test.proves('mapSelector.selector MapSelectorResponse.attribute.name MapSelectorResponse.mapSelector.selector');
test('mapSelector returns rows nested as deeply as the document requests', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/list") { status }
    rows: mapSelector(selector: "li.product", timeout: 5000, wait: true) {
      sku: attribute(name: "data-sku") { name value }
      none: attribute(name: "no") { value }
      id class innerHTML text: innerText
      label: mapSelector(selector: ".label") { innerText }
      link: mapSelector(selector: "a") { href: attribute(name: "href") { value } inner: mapSelector(selector: "b") { id } }
    }
    script: mapSelector(selector: "document.querySelectorAll('li i')") { innerText }
    none: mapSelector(selector: ".no", wait: false) { id }
    deep: mapSelector(selector: "body") { b: mapSelector(selector: "< b.deep", timeout: 2000, wait: true) { innerText } }
  }`);
  assert.equal(data.rows[0], {
    sku: { name: 'data-sku', value: 'A1' },
    none: null,
    id: 'p0',
    class: ['product', 'big'],
    innerHTML: '<span class="label">Item A1</span><a href="/bql/item/A1">more</a><i>0</i>',
    text: 'Item A1more0',
    label: [{ innerText: 'Item A1' }],
    link: [{ href: { value: '/bql/item/A1' }, inner: null }],
  });
  assert.is(data.rows.length, 3);
  assert.equal(data.script, [{ innerText: '0' }, { innerText: '1' }, { innerText: '2' }]);
  assert.is(data.none, null);
  assert.equal(data.deep, [{ b: [{ innerText: 'in the shadow' }] }]);
});

test.proves('evaluate.content evaluate.url');
test('evaluate returns values as text', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/small") { status }
    sum: evaluate(content: "2 + 2") { value time }
    title: evaluate(content: "document.title;") { value }
    wait: evaluate(content: "const a = await Promise.resolve(20); return a + 1;") { value }
    iife: evaluate(content: """(() => { return JSON.stringify({ a: [1] }); })()""") { value }
    object: evaluate(content: "({ a: [1, null] })") { value }
    nothing: evaluate(content: "let x = 1;") { value }
    no: evaluate(content: "false", timeout: 5000) { value }
    fetched: evaluate(url: "SITE/bql/script.js") { value }
  }`);
  assert.equal(Object.fromEntries(Object.entries(data).map(([key, { value }]) => [key, value])), {
    goto: undefined,
    sum: '4',
    title: 'Small',
    wait: '21',
    iife: '{"a":[1]}',
    object: '{"a":[1,null]}',
    nothing: null,
    no: 'false',
    fetched: '21 Small',
  });
  await fixture.fails('mutation { evaluate(content: "nope()") { value } }', 'evaluate', 'SCRIPT_ERROR', 'nope');
  await fixture.fails('mutation { evaluate(content: "if (") { value } }', 'evaluate', 'SCRIPT_ERROR', 'parsed');
  await fixture.fails('mutation { evaluate { value } }', 'evaluate', 'BAD_ARGUMENT', '"content"');
  await fixture.fails(
    'mutation { evaluate(url: "SITE/status/500") { value } }',
    'evaluate',
    'NAVIGATION_FAILED',
    '500',
  );
  await fixture.fails(
    'mutation { evaluate(content: "new Promise(() => {})", timeout: 200) { value } }',
    'evaluate',
    'TIMEOUT',
  );
});
