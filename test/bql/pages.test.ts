// BrowserQL: navigation, and the fields of its results.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL pages');

test.proves('goto.url');
test('goto returns the response, and title and url describe the page', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/redirect?to=/small", waitUntil: load) { status text url ip port time }
    title { title } url { url }
  }`);
  const { time, ...goto } = data.goto;
  assert.equal(goto, {
    status: 200,
    text: 'OK',
    url: `${fixture.site.url}/small`,
    ip: '127.0.0.1',
    port: fixture.site.port,
  });
  assert.ok(time > 0);
  assert.equal([data.title.title, data.url.url], ['Small', `${fixture.site.url}/small`]);
  const other = await fixture.data(`mutation { goto(url: "SITE/status/404") { status text } }`);
  assert.equal(other.goto, { status: 404, text: 'Not Found' });
});

test('goto waits for each waitUntil event', async () => {
  const data = await fixture.data(`mutation {
    commit: goto(url: "SITE/never-load", waitUntil: commit) { status }
    parsed: goto(url: "SITE/never-load?1", waitUntil: domContentLoaded) { status }
    painted: goto(url: "SITE/never-load?2", waitUntil: firstContentfulPaint) { status }
    idle: goto(url: "SITE/lazy", waitUntil: networkIdle) { status }
    meaningful: goto(url: "SITE/small", waitUntil: firstMeaningfulPaint) { status }
    interactive: goto(url: "SITE/small?2", waitUntil: interactiveTime) { status }
  }`);
  for (const [key, { status }] of Object.entries(data)) assert.is(status, 200, key);
});

test('a load that times out only ends the wait', async () => {
  const { data } = await fixture.fails(
    `mutation { slow: goto(url: "SITE/never-load", timeout: 500) { status } title { title } }`,
    'slow',
    'TIMEOUT',
    '500 ms',
    '"load"',
  );
  assert.equal(data.title, { title: 'never' });
});

test('goto reports why a URL cannot be opened', async () => {
  await fixture.fails('mutation { goto(url: "not an address") { status } }', 'goto', 'BAD_ARGUMENT', '"url"');
  await fixture.fails('mutation { goto(url: "file:///etc/passwd") { status } }', 'goto', 'FORBIDDEN_DESTINATION');
  await fixture.fails(
    `mutation { goto(url: "${fixture.site.refusingUrl}/") { status } }`,
    'goto',
    'NAVIGATION_FAILED',
    'refused the connection',
  );
});

test('back, forward and reload navigate the history, and return null at its ends', async () => {
  const data = await fixture.data(`mutation {
    early: back { status }
    one: goto(url: "SITE/small") { url }
    first: back { status }
    two: goto(url: "SITE/tall") { url }
    back(timeout: 20000, waitUntil: load) { status url }
    forward(timeout: 20000, waitUntil: domContentLoaded) { status url }
    end: forward { url }
    reload(timeout: 20000, waitUntil: networkIdle) { status url time }
    again: reload(waitUntil: commit) { status }
  }`);
  assert.equal([data.early, data.first, data.end], [null, null, null]);
  assert.equal(data.back, { status: 200, url: `${fixture.site.url}/small` });
  assert.equal(data.forward, { status: 200, url: `${fixture.site.url}/tall` });
  assert.is(data.reload.url, `${fixture.site.url}/tall`);
  assert.is(data.again.status, 200);
  assert.is(fixture.site.requests.filter(({ path }) => path === '/tall').length >= 2, true);
});

test('a history step that never finishes times out', async () => {
  await fixture.fails(
    `mutation { a: goto(url: "SITE/never-load", waitUntil: commit) { status } b: goto(url: "SITE/small") { status } back(timeout: 300) { status } }`,
    'back',
    'TIMEOUT',
  );
  await fixture.fails(
    `mutation { a: goto(url: "SITE/never-load", waitUntil: commit) { status } reload(timeout: 300, waitUntil: load) { status } }`,
    'reload',
    'TIMEOUT',
  );
});

test.proves('content.html');
test('content replaces the document and waits for the given event', async () => {
  const data = await fixture.data(`mutation {
    content(html: "<title>Own</title><p id=a>mine</p><img src='SITE/images/red.png'>") { status text url time }
    title { title }
    text(selector: "#a") { text }
    dom: content(html: "<p>1</p><img src='SITE/hang'>", waitUntil: domContentLoaded) { status }
    committed: content(html: "<p>2</p>", waitUntil: commit) { status }
    idle: content(html: "<p>3</p><script>fetch('SITE/json')</script>", waitUntil: networkIdle) { status }
    last: html { html }
  }`);
  assert.equal(data.title, { title: 'Own' });
  assert.equal(data.text, { text: 'mine' });
  assert.is(data.content.status, 200);
  assert.match(data.last.html, '<p>3</p>');
});

test('waitForNavigation catches the navigation that a click starts, even if it has already finished', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/links") { status }
    click(selector: "#slow") { x y }
    nav: waitForNavigation(timeout: 20000, waitUntil: load) { status url }
    again: goto(url: "SITE/bql/links") { status }
    fast: click(selector: "#next") { x }
    pause: waitForTimeout(time: 500) { time }
    over: waitForNavigation { status url }
    there: goto(url: "SITE/bql/links?2") { status }
    within: click(selector: "#hash") { x }
    hash: url { url }
  }`);
  assert.equal(data.nav, { status: 200, url: `${fixture.site.url}/slow?ms=300` });
  assert.equal(data.over, { status: 200, url: `${fixture.site.url}/bql/item/next` });
  assert.match(data.hash.url, '#part');
  await fixture.fails(
    `mutation { goto(url: "SITE/small") { status } waitForNavigation(timeout: 200) { status } }`,
    'waitForNavigation',
    'TIMEOUT',
    'no navigation',
  );
});
