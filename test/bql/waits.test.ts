// BrowserQL: timeout and waitUntil of the steps that wait for something other than an element.
import * as assert from 'uvu/assert';
import { type BqlAnswer, bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL waits');

/** The error of the step with this key, or the failure that its result reports. */
function problemOf({ data, errors = [] }: BqlAnswer, key: string): string {
  return errors.find(({ path }) => path?.[0] === key)?.message ?? data[key]?.error ?? JSON.stringify(data[key]);
}

const unloaded = 'goto(url: "SITE/never-load?KEY", waitUntil: commit) { status }';
const small = 'goto(url: "SITE/small?KEY") { status }';
const script = (code: string) => `evaluate(content: "${code}") { value }`;
/**
 * Steps that go to a page whose load event never fires, with the steps that must precede them; `…` stands for
 * arguments.
 */
const navigations: Record<string, [before: string[], step: string]> = {
  goto: [[], 'goto(url: "SITE/never-load?KEY", …) { status }'],
  back: [[unloaded, small], 'back(…) { status }'],
  forward: [[small, unloaded, 'back { status }'], 'forward(…) { status }'],
  reload: [[unloaded], 'reload(…) { status }'],
  waitForNavigation: [[small, script("location.href = '/never-load?KEY'")], 'waitForNavigation(…) { status }'],
  switchToWindow: [
    [small, script("void window.open('/never-load?KEY')")],
    'switchToWindow(url: "*/never-load?KEY", …) { error navigation { status } }',
  ],
};
for (const [name, [before, step]] of Object.entries(navigations)) {
  test.proves(`${name}.{waitUntil,timeout}`);
  test(`${name}: waitUntil sets what to wait for, timeout how long`, async () => {
    const part = (key: string, args: string) =>
      [...before.map((one, index) => `${key}${index}: ${one}`), `${key}: ${step.replace('…', args)}`]
        .join(' ')
        .replaceAll('KEY', key);
    const usual = name === 'switchToWindow' ? 'waitUntil: load, ' : '';
    const answer = await fixture.run(
      `mutation { ${part('early', 'waitUntil: domContentLoaded')} ${part('late', `${usual}timeout: 250`)} }`,
    );
    const { early } = answer.data;
    assert.is((early?.navigation ?? early)?.status, 200, problemOf(answer, 'early'));
    assert.match(problemOf(answer, 'late'), 'did not finish within 250 ms');
    assert.match(problemOf(answer, 'late'), name === 'switchToWindow' ? 'did not reach "load"' : '"load"');
  });
}

test.proves('content.waitUntil');
test('content: waitUntil sets what to wait for', async () => {
  const content = (args: string) => `content(html: "<p>1</p><img src='SITE/hang'>"${args}) { status }`;
  const answer = await fixture.run(
    `mutation { early: ${content(', waitUntil: domContentLoaded')} preferences(timeout: 250) { timeout } late: ${content('')} }`,
  );
  assert.equal(answer.data['early'], { status: 200 }, problemOf(answer, 'early'));
  assert.match(problemOf(answer, 'late'), 'content did not finish within 250 ms: the HTML did not reach "load"');
});

const imagePage = `content(html: "<img src='SITE/hang'>", waitUntil: domContentLoaded) { status }`;
/** Steps that wait for something that never happens, with the step that must precede them and the error message. */
const endless: Record<string, [before: string, step: string, told: string]> = {
  evaluate: ['', 'evaluate(content: "new Promise(() => {})", …) { value }', 'the script was still running'],
  pdf: [imagePage, 'pdf(waitForImages: true, …) { size }', 'an image on the page has not loaded'],
  screenshot: [imagePage, 'screenshot(waitForImages: true, …) { format }', 'an image on the page has not loaded'],
  request: ['', 'request(url: "*/never", …) { url }', 'nothing matched {"url":["*/never"]}'],
  response: ['', 'response(url: "*/never", …) { url }', 'nothing matched {"url":["*/never"]}'],
  waitForRequest: ['', 'waitForRequest(url: "*/never", …) { url }', 'no request matched {"url":"*/never"}'],
  waitForResponse: ['', 'waitForResponse(url: "*/never", …) { url }', 'no response matched {"url":"*/never"'],
};
for (const [name, [before, step, told]] of Object.entries(endless)) {
  test.proves(`${name}.timeout`);
  if (step.includes('waitForImages')) test.proves(`${name}.waitForImages`);
  test(`${name}: timeout limits the wait`, async () => {
    const answer = await fixture.run(
      `mutation { open: ${small.replace('KEY', '')} ${before} late: ${step.replace('…', 'timeout: 150')} }`,
    );
    assert.ok(problemOf(answer, 'late').includes(`did not finish within 150 ms: ${told}`), problemOf(answer, 'late'));
  });
}

test.proves('request.wait response.wait');
test('waitForImages false does not wait for images; wait false does not wait for requests and responses', async () => {
  const data = await fixture.data(`mutation {
    ${imagePage} preferences(timeout: 20000) { timeout }
    pdf(waitForImages: false) { size }
    screenshot(waitForImages: false) { format }
    request(url: "*/never", wait: false) { url }
    response(url: "*/never", wait: false) { url }
  }`);
  assert.ok(data['pdf'].size > 500 && data['screenshot'].format === 'png');
  assert.equal([data['request'], data['response']], [[], []]);
});

test.proves('MapSelectorResponse.mapSelector.timeout MapSelectorResponse.mapSelector.wait');
test('nested rows: waits up to timeout, or not at all if wait is false', async () => {
  const inner = (args: string) => `mapSelector(selector: "ul") { inner: mapSelector(selector: "li", ${args}) { id } }`;
  const add = "setTimeout(() => { document.querySelector('ul').innerHTML = '<li id=late>'; }, 300)";
  const data = await fixture.data(`mutation {
    content(html: "<ul></ul>") { status }
    still: ${inner('timeout: 20000, wait: false')}
    short: ${inner('timeout: 1')}
    ${script(add)}
    late: ${inner('timeout: 20000')}
  }`);
  assert.equal(data['still'], [{ inner: null }]);
  assert.equal(data['short'], [{ inner: null }]);
  assert.equal(data['late'], [{ inner: [{ id: 'late' }] }]);
});

test.proves('switchToWindow.url switchToWindow.title switchToWindow.newest');
test('switchToWindow selects a window by URL or title, or the newest one', async () => {
  const open = (path: string) => script(`void window.open('${path}')`);
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/windows") { status } a: ${open('/bql/item/1')} b: ${open('/bql/item/2')} c: ${open('/bql/item/3')}
    newest: switchToWindow(newest: true, waitUntil: load) { url }
    titled: switchToWindow(title: "Item 2", waitUntil: load) { url }
    placed: switchToWindow(url: "*/item/1") { url title }
    neither: switchToWindow(url: "*/item/1", title: "Item 2", timeout: 150) { success error }
    none: switchToWindow(newest: false) { success error }
  }`);
  const urls = ['newest', 'titled', 'placed'].map((key) => new URL(data[key].url).pathname);
  assert.equal(urls, ['/bql/item/3', '/bql/item/2', '/bql/item/1']);
  assert.match(data['neither'].error, 'did not finish within 150 ms: no such window is open');
  assert.match(data['none'].error, 'needs "url", "title" or "newest"');
});
