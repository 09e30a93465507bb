// BrowserQL: network of the page: recorded requests and responses, blocked requests, headers, cookies; user agent,
// viewport and media.
import * as assert from 'uvu/assert';
import { type BqlAnswer, bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL network');

const kinds =
  'cspviolationreport document eventsource fetch font image manifest media other ping prefetch preflight script signedexchange stylesheet texttrack websocket xhr'.split(
    ' ',
  );

interface Named {
  name: string;
  value: string;
}

/** Checks that each step whose result is null has an error with this code; each message contains its text. */
function assertErrors({ data, errors = [] }: BqlAnswer, code: string, texts: string[]): void {
  const failed = Object.keys(data).filter((key) => data[key] === null);
  assert.equal(
    errors.map(({ path, extensions }) => [path?.[0], extensions?.code]),
    failed.map((key) => [key, code]),
  );
  assert.is(errors.length, texts.length);
  for (const [index, { message }] of errors.entries()) assert.match(message, texts[index] ?? '');
}

test('request returns recorded requests by method, type and URL', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/network", waitUntil: networkIdle) { status }
    all: request(wait: false) { url method type headers { name value } }
    images: request(type: [image, font], method: [POST], url: ["*/nowhere"], operator: or, wait: true, timeout: 20000) { url type }
    both: request(type: [xhr, image], url: "*/json?xhr", operator: and) { url type }
    none: request(type: media, wait: false) { url }
    socket: request(type: websocket) { url }
  }`);
  const seen = new Set(data.all.map(({ type }: { type: string }) => type));
  for (const kind of ['document', 'image', 'stylesheet', 'script', 'fetch', 'xhr', 'websocket'])
    assert.ok(seen.has(kind), kind);
  assert.equal(data.all[0].method, 'GET');
  assert.ok(data.all[0].headers.some(({ name }: Named) => name.toLowerCase() === 'user-agent'));
  assert.equal(data.images, [{ url: `${fixture.site.url}/images/blue.png`, type: 'image' }]);
  assert.equal(data.both, [{ url: `${fixture.site.url}/json?xhr`, type: 'xhr' }]);
  assert.equal(data.none, []);
  assert.match(data.socket[0].url, /^ws:.*\/websocket$/);
});

test('response returns recorded responses with their bodies', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/network", waitUntil: networkIdle) { status }
    json: response(type: [xhr, fetch], url: "*/json*", operator: and, method: [GET], status: [200, 204], timeout: 20000, wait: true) {
      url status method type body bodyEncoding headers { name value }
    }
    image: response(type: image) { body bodyEncoding }
    page: response(type: document) { status body }
    none: response(status: 500, wait: false) { url }
  }`);
  assert.is(data.json.length, 2);
  const [first] = data.json;
  assert.equal([first.status, first.method, first.body, first.bodyEncoding], [200, 'GET', '{"answer":42}', 'utf8']);
  assert.ok(
    first.headers.some(
      ({ name, value }: Named) => name.toLowerCase() === 'content-type' && value === 'application/json',
    ),
  );
  assert.equal([data.image[0].bodyEncoding, data.image[0].body.slice(0, 4)], ['base64', 'iVBO']);
  assert.match(data.page[0].body, '<h1>Network</h1>');
  assert.equal(data.none, []);
});

test('response bodies are available when many documents run concurrently', async () => {
  const one = () =>
    fixture.data('mutation { goto(url: "SITE/network") { status } response(type: document) { body } }') as Promise<{
      response: { body: string | null }[];
    }>;
  const all = await Promise.all(Array.from({ length: 8 }, one));
  for (const { response } of all) assert.match(response[0]?.body ?? 'none', '<h1>Network</h1>');
});

test('a response body is still available after its page is gone', async () => {
  const data = await fixture.data(`mutation {
    one: goto(url: "SITE/small") { status }
    two: goto(url: "OTHER/bql/list", waitUntil: networkIdle) { status }
    response(type: document, url: "*/small", operator: and) { body }
  }`);
  assert.match(data.response[0].body, 'Small page.');
});

test('request and response wait for events that have not happened yet', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/late-fetch") { status }
    page: content(html: "<script>setTimeout(() => fetch('SITE/json?late', { method: 'POST', mode: 'no-cors', body: 'x' }), 300)</script>") { status }
    request(method: POST) { url method type }
    again: content(html: "<script>setTimeout(() => fetch('SITE/json?later', { mode: 'no-cors' }), 300)</script>") { status }
    asked: waitForRequest(url: "*?later", method: GET, timeout: 20000) { url time }
    answered: waitForResponse(url: "*?later", statuses: [200, 201], timeout: 20000) { status url time }
    old: waitForResponse(codes: 200) { status }
  }`);
  assert.equal(data.request, [{ url: `${fixture.site.url}/json?late`, method: 'POST', type: 'fetch' }]);
  assert.is(data.asked.url, '*?later');
  assert.equal([data.answered.status, data.answered.url, data.old.status], [200, '*?later', 200]);
  const late = await fixture.run(`mutation {
    goto(url: "SITE/small") { status }
    request(url: "*/no", timeout: 200) { url }
    response(status: 418, timeout: 200) { url }
    waitForRequest(url: "*/no", timeout: 200) { url }
    waitForResponse(statuses: 418, timeout: 200) { url }
  }`);
  assertErrors(late, 'TIMEOUT', ['"wait"', 'nothing matched', '*/no', '418']);
});

test('reject blocks by type, URL, regular expression and method', async () => {
  // covers: Mutation.reject(operator) Mutation.reject(url) Mutation.reject(type) RejectResponse.time
  const refused = async (rule: string) => {
    fixture.site.clear();
    await fixture.data(`mutation { reject(${rule}) { enabled time } goto(url: "SITE/network", waitUntil: networkIdle) { status }
      done: waitForSelector(selector: "#fetched:not(:empty)", timeout: 20000) { x } }`);
    return ['/images/blue.png', '/assets/red.css', '/assets/mark.js', '/json', '/websocket'].filter(
      (path) => !fixture.site.requests.some((request) => request.path === path),
    );
  };
  assert.equal(await refused('type: [image, stylesheet, media]'), ['/images/blue.png', '/assets/red.css']);
  assert.equal(await refused('url: ["*/images/*"], type: script, operator: or'), [
    '/images/blue.png',
    '/assets/mark.js',
  ]);
  assert.equal(await refused('url: "*/images/*", type: script, operator: and'), []);
  assert.equal(await refused('regex: ["mark\\\\.js$", "[.]css"]'), ['/assets/red.css', '/assets/mark.js']);
  assert.equal(await refused('method: POST, type: [websocket], enabled: true'), ['/websocket']);
  assert.equal(await refused('type: [xhr, fetch]'), ['/json']);
});

test('WebSockets work again when reject is turned off, in the current document and the next', async () => {
  const open = (key: string) =>
    `${key}: evaluate(content: "new Promise((done) => { const s = new WebSocket(location.origin.replace('http', 'ws') + '/websocket?${key}'); s.onopen = () => { s.close(); done('open'); }; s.onerror = () => done('refused'); })") { value }`;
  const data = await fixture.data(`mutation {
    goto(url: "SITE/small") { status }
    kind: reject(type: websocket) { enabled } address: reject(url: "*/websocket*") { enabled } ${open('held')}
    next: goto(url: "SITE/medium") { status } ${open('heldNext')}
    off: reject(enabled: false) { enabled } ${open('free')}
    last: goto(url: "SITE/small") { status } ${open('freeNext')}
    again: reject(type: websocket) { enabled } ${open('heldAgain')}
  }`);
  const values = ['held', 'heldNext', 'free', 'freeNext', 'heldAgain'].map((key) => data[key].value);
  assert.equal(values, ['refused', 'refused', 'open', 'open', 'refused']);
});

test('every type and method is accepted', async () => {
  // covers: ResourceType.*
  const list = kinds.join(', ');
  const data = await fixture.data(`mutation {
    reject(type: [${list}]) { enabled }
    method: reject(method: [CONNECT, DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE]) { enabled }
    off: reject(enabled: false) { enabled }
    goto(url: "SITE/network") { status }
    request(type: [${list}], wait: false) { type }
  }`);
  assert.equal(
    [data.reject.enabled, data.method.enabled, data.off.enabled, data.goto.status],
    [true, true, false, 200],
  );
  assert.ok(data.request.length > 3);
});

test('invalid arguments are reported', async () => {
  const answer = await fixture.run(`mutation {
    reject { enabled }
    regex: reject(regex: "(") { enabled }
    userAgent(userAgent: " ") { userAgent }
    setExtraHTTPHeaders(headers: [{ name: "a b", value: "1" }]) { time }
    cookies(cookies: { name: "a", value: "b" }) { time }
    viewport(width: 0, height: 5) { width }
    scaled: viewport(width: 5, height: 5, deviceScaleFactor: 0) { width }
  }`);
  const mentions = ['"type"', 'regular expression', 'a single line', 'header name', 'cookies[0]', '"width"'];
  assertErrors(answer, 'BAD_ARGUMENT', [...mentions, '"deviceScaleFactor"']);
});

test.proves('setExtraHTTPHeaders.headers userAgent.userAgent HeaderInput.name HeaderInput.value');
test('headers and the user agent are sent with every request', async () => {
  const data = await fixture.data(`mutation {
    userAgent(userAgent: "Tester/1.0") { userAgent time }
    setExtraHTTPHeaders(headers: [{ name: "X-One", value: "1" }, { name: "X-Two", value: "2" }]) { headers { name value } time }
    goto(url: "SITE/echo-headers") { status }
    text(selector: "#headers") { text }
    agent: evaluate(content: "navigator.userAgent") { value }
    none: setExtraHTTPHeaders(headers: []) { headers { name } }
    again: goto(url: "SITE/echo-headers?2") { status }
    later: text(selector: "#headers") { text }
  }`);
  const seen = JSON.parse(data.text.text);
  assert.equal(
    [seen['user-agent'], seen['x-one'], seen['x-two'], data.agent.value],
    ['Tester/1.0', '1', '2', 'Tester/1.0'],
  );
  assert.equal(data.setExtraHTTPHeaders.headers, [
    { name: 'X-One', value: '1' },
    { name: 'X-Two', value: '2' },
  ]);
  assert.is(JSON.parse(data.later.text)['x-one'], undefined);
});

test.proves(
  'cookies.cookies CookieInput.name CookieInput.value CookieInput.domain CookieInput.path CookieInput.url CookieInput.expires CookieInput.httpOnly CookieInput.secure CookieInput.sameSite',
);
test('cookies are set and read, including HttpOnly cookies', async () => {
  // Chromium does not keep cookies for more than 400 days.
  const expires = Math.round(Date.now() / 1_000) + 86_400;
  const data = await fixture.data(
    `mutation Cookies($expires: Float) {
    put: cookies(cookies: [
      { name: "sid", value: "1", url: "SITE", sameSite: Lax },
      { name: "full", value: "2", domain: "127.0.0.1", path: "/cookies", expires: $expires, httpOnly: true, secure: false, sameSite: Strict }
    ]) { cookies { name } time }
    goto(url: "SITE/cookies") { status }
    sent: text(selector: "#header") { text }
    own: cookies(cookies: { name: "here", value: "3" }) { cookies { name } }
    got: cookies { cookies { name value domain path expires httpOnly secure sameSite url } }
    secure: cookies(cookies: [{ name: "safe", value: "4", url: "https://127.0.0.1", secure: true, sameSite: None }, { name: "own", value: "5", domain: "127.0.0.1", secure: true }, { name: "https", value: "6", url: "https://127.0.0.1", secure: false }]) { cookies { name sameSite secure } }
  }`,
    { variables: { expires } },
  );
  assert.match(data.sent.text, 'sid=1');
  assert.match(data.sent.text, 'full=2');
  const byName = Object.fromEntries(data.got.cookies.map((cookie: Named) => [cookie.name, cookie]));
  assert.equal(byName.full, {
    name: 'full',
    value: '2',
    domain: '127.0.0.1',
    path: '/cookies',
    expires,
    httpOnly: true,
    secure: false,
    sameSite: 'Strict',
    url: 'http://127.0.0.1/cookies',
  });
  assert.equal([byName.sid.expires, byName.sid.sameSite, byName.here.value], [null, 'Lax', '3']);
  assert.ok(
    data.secure.cookies.some(
      (cookie: Record<string, unknown>) => cookie['sameSite'] === 'None' && cookie['secure'] === true,
    ),
  );
  const isSecure = (name: string) => data.secure.cookies.find((cookie: Named) => cookie.name === name)?.secure;
  assert.equal([isSecure('own'), isSecure('https'), isSecure('full')], [true, true, false]);
});

test.proves(
  'emulateMediaType.type javaScriptEnabled.enabled viewport.width viewport.height viewport.deviceScaleFactor viewport.mobile',
);
test('viewport, media type and JavaScript follow the settings in the document', async () => {
  const data = await fixture.data(`mutation {
    viewport(width: 390, height: 844, deviceScaleFactor: 3, mobile: true) { width height deviceScaleFactor mobile time }
    goto(url: "SITE/wide") { status }
    size: text(selector: "#size") { text }
    plain: viewport(width: 1000, height: 500) { deviceScaleFactor mobile }
    emulateMediaType(type: print) { type time }
    printing: evaluate(content: "matchMedia('print').matches + ' ' + innerWidth") { value }
    screen: emulateMediaType(type: screen) { type }
    back: evaluate(content: "matchMedia('print').matches") { value }
    reset: emulateMediaType { type }
    on: javaScriptEnabled { enabled }
    off: javaScriptEnabled(enabled: false) { enabled time }
    js: goto(url: "SITE/js") { status }
    static: title { title }
    text(selector: "#noscript", timeout: 20000) { text }
  }`);
  assert.equal(JSON.parse(data.size.text), { ...JSON.parse(data.size.text), w: 390, h: 844, dpr: 3 });
  assert.ok(JSON.parse(data.size.text).touch > 0);
  assert.equal([data.plain.deviceScaleFactor, data.plain.mobile], [1, false]);
  assert.equal([data.printing.value, data.back.value], ['true 1000', 'false']);
  assert.equal([data.on.enabled, data.off.enabled, data.static.title], [true, false, 'Before']);
  assert.is(data.text.text, 'scripts are off');
});

test('turning off reject at the end of a document leaves no unhandled rejection', async () => {
  const ends = [
    'reject(type: websocket) { enabled } off: reject(enabled: false) { enabled }',
    'reject(url: "*/a", type: [image, websocket]) { enabled } off: reject(enabled: false) { enabled }',
    'reject(regex: "a+") { enabled } goto(url: "SITE/simple") { status } off: reject(enabled: false) { enabled }',
    'a: reject(regex: "a+") { enabled } b: reject(url: "*") { enabled } off: reject(enabled: false) { enabled }',
  ];
  for (let round = 0; round < 2; round++) {
    for (const answer of await Promise.all(ends.map((end) => fixture.data(`mutation { ${end} }`)))) {
      assert.equal(answer.off, { enabled: false });
    }
  }
  assert.equal(
    fixture.service.logs().filter(({ event }) => event === 'uncaught'),
    [],
  );
});
