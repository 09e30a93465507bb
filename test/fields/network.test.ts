// The common fields that intercept or change the page's network requests, each tested by its effect.
import * as assert from 'uvu/assert';
import { textOf } from '../support/site/markup.ts';
import { isColor, readPng } from '../support/checks/media.ts';
import { colors } from '../support/site/pages.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('fields: the network');

const paths = () => new Set(fixture.site.requests.map(({ path }) => path));
const loaded = { waitForFunction: { fn: "document.querySelector('#fetched').textContent", timeout: 5_000 } };

test('the network page requests everything', async () => {
  const html = await fixture.read('/network', {
    waitForFunction: { fn: "document.querySelector('#socket').textContent" },
  });
  assert.is(textOf(html, 'socket'), 'hello');
  for (const path of ['/assets/red.css', '/images/blue.png', '/assets/mark.js', '/json', '/websocket']) {
    assert.ok(paths().has(path), path);
  }
});

test.proves('page:rejectRequestPattern[]');
test('rejectRequestPattern blocks what matches, and nothing else', async () => {
  await fixture.read('/network', { rejectRequestPattern: ['\\.png$', 'mark\\.js'], ...loaded });
  const seen = paths();
  assert.equal([seen.has('/images/blue.png'), seen.has('/assets/mark.js')], [false, false]);
  assert.equal([seen.has('/assets/red.css'), seen.has('/json')], [true, true]);
});

test('rejectRequestPattern may match the document', async () => {
  const body = { url: `${fixture.site.url}/network`, rejectRequestPattern: ['/network$'] };
  const reply = await fixture.refuse('/content', body, 500);
  assert.not.match(reply.text, /Internal Server Error/);
  // The page of the previous test may still have been loading something.
  assert.not.ok(paths().has('/network'));
});

const types: Record<string, string> = {
  stylesheet: '/assets/red.css',
  image: '/images/blue.png',
  script: '/assets/mark.js',
};
for (const [type, path] of Object.entries(types)) {
  test.proves('page:rejectResourceTypes[]');
  test(`rejectResourceTypes: ${type}`, async () => {
    await fixture.read('/network', { rejectResourceTypes: [type], ...loaded });
    const others = Object.values(types).filter((other) => other !== path);
    assert.ok(!paths().has(path), `${path} was requested`);
    for (const other of others) assert.ok(paths().has(other), `${other} was not requested`);
  });
}

test.proves('page:rejectResourceTypes[]');
test('rejectResourceTypes: fetch and xhr are different types', async () => {
  const html = await fixture.read('/network', { rejectResourceTypes: ['fetch'], ...loaded });
  assert.is(textOf(html, 'fetched'), 'failed');
  // The page does not wait for the xhr.
  await until('the xhr', () => fixture.site.requests.some(({ path, query }) => path === '/json' && query.has('xhr')));
  fixture.site.clear();
  await fixture.read('/network', { rejectResourceTypes: ['xhr'], ...loaded });
  const jsonCalls = fixture.site.requests.filter(({ path }) => path === '/json');
  assert.equal(
    jsonCalls.map(({ query }) => query.has('xhr')),
    [false],
  );
});

test('rejectResourceTypes: websocket', async () => {
  const html = await fixture.read('/network', {
    rejectResourceTypes: ['websocket'],
    waitForFunction: { fn: "document.querySelector('#socket').textContent", timeout: 5_000 },
  });
  assert.is(textOf(html, 'socket'), 'failed');
  assert.ok(!paths().has('/websocket'));
});

test('rejectResourceTypes: document blocks the page itself', async () => {
  const body = { url: `${fixture.site.url}/small`, rejectResourceTypes: ['document'] };
  await fixture.refuse('/content', body, 500, 'rejectResourceTypes');
});

const every =
  'cspviolationreport document eventsource fedcm fetch font image manifest media other ping prefetch preflight script signedexchange stylesheet texttrack websocket xhr';
test('rejectResourceTypes: every type in the spec is accepted', async () => {
  const rejectResourceTypes = every.split(' ').filter((type) => type !== 'document');
  const html = await fixture.read('/network', { rejectResourceTypes });
  assert.match(html, /<h1>Network<\/h1>/);
  assert.equal([...paths()], ['/network']);
});

test.proves(
  'page:requestInterceptors[].pattern page:requestInterceptors[].response.status page:requestInterceptors[].response.headers page:requestInterceptors[].response.contentType page:requestInterceptors[].response.body',
);
test.differs('Interceptors with `headers` return a 400');
test('requestInterceptors: status, headers, contentType and body reach the page', async () => {
  const response = {
    status: 404,
    headers: { 'X-Canned': 'yes', 'X-Number': 7 },
    contentType: 'application/json',
    body: '{"canned":true}',
  };
  const script = `fetch('/json').then(async (r) => {
    const seen = [r.status, r.headers.get('x-canned'), r.headers.get('x-number'), r.headers.get('content-type'), await r.text()];
    document.body.append(Object.assign(document.createElement('pre'), { id: 'seen', textContent: seen.join(' ') })); })`;
  const html = await fixture.read('/small', {
    requestInterceptors: [{ pattern: '/json$', response }],
    addScriptTag: [{ content: script }],
    waitForSelector: { selector: '#seen' },
  });
  assert.is(textOf(html, 'seen'), '404 yes 7 application/json {"canned":true}');
  assert.ok(!paths().has('/json'));
});

test('requestInterceptors: a base64 body is decoded', async () => {
  const green = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4AWNgaGAAAAEEAIFidXv2AAAAAElFTkSuQmCC';
  const requestInterceptors = [{ pattern: '\\.png', response: { body: green, contentType: 'image/png', status: 200 } }];
  const html = `<body style="margin:0"><img src="${fixture.site.url}/images/red.png" style="width:50px;height:50px"></body>`;
  const seen = readPng((await fixture.post('/screenshot', { html, requestInterceptors })).bytes).at(20, 20);
  assert.ok(isColor(seen, colors.green), `got ${seen}`);
  assert.is(fixture.site.requests.length, 0);
});

test.proves(
  'page:requestInterceptors[].response.headers[].name page:requestInterceptors[].response.headers[].value page:requestInterceptors[].response.headers[].value[] page:requestInterceptors[].response.headers',
);
test('requestInterceptors: headers as a list, and headers with several values', async () => {
  const listed = [
    { name: 'X-One', value: 7 },
    { name: 'X-More', value: ['a', 'b'] },
  ];
  const script = `Promise.all(['/json?list', '/json?map'].map((path) => fetch(path))).then((answers) => {
    const seen = answers.map(({ headers }) => headers.get('x-one') + ' ' + headers.get('x-more'));
    document.body.append(Object.assign(document.createElement('pre'), { id: 'seen', textContent: seen.join('; ') })); })`;
  const html = await fixture.read('/small', {
    requestInterceptors: [
      { pattern: 'list$', response: { headers: listed } },
      { pattern: 'map$', response: { headers: { 'X-One': true, 'X-More': ['c', 'd'] } } },
    ],
    addScriptTag: [{ content: script }],
    waitForSelector: { selector: '#seen' },
  });
  assert.is(textOf(html, 'seen'), '7 a, b; true c, d');
});

test('requestInterceptors: the first match is used; headers may be a list', async () => {
  const canned = (body: string) => ({ status: 200, contentType: 'text/html', body });
  const requestInterceptors = [
    { pattern: 'nothing-like-it', response: canned('<h1>never</h1>') },
    { pattern: '/small', response: { ...canned('<h1>first!</h1>'), headers: [{ name: 'X-A', value: 'b' }] } },
    { pattern: '.*', response: canned('<h1>second!</h1>') },
  ];
  assert.match(await fixture.read('/small', { requestInterceptors }), /first!/);
});

test('requestInterceptors: the X-Response headers describe the canned document', async () => {
  const response = { status: 418, contentType: 'text/html', body: '<h1>short and stout</h1>' };
  const url = `${fixture.site.url}/small`;
  const reply = await fixture.post('/content', { url, requestInterceptors: [{ pattern: '.*', response }] });
  assert.is(reply.headers['x-response-code'], '418');
  assert.is(reply.headers['x-response-url'], url);
});

test('requestInterceptors: rejections come first', async () => {
  await fixture.read('/network', {
    rejectRequestPattern: ['\\.png$'],
    requestInterceptors: [{ pattern: '\\.css$', response: { status: 200, contentType: 'text/css', body: '' } }],
    ...loaded,
  });
  assert.ok(!paths().has('/images/blue.png') && !paths().has('/assets/red.css'));
  assert.ok(paths().has('/assets/mark.js'));
});

test('interception covers cross-site frames', async () => {
  const response = { status: 200, contentType: 'text/html', body: '<h1 id="canned">canned frame</h1>' };
  const url = `${fixture.site.url}/frames`;
  await fixture.post('/content', { url, requestInterceptors: [{ pattern: 'other$', response }] });
  await fixture.post('/content', { url, rejectRequestPattern: ['other$'] });
  const others = fixture.site.requests.filter(({ query }) => query.has('other'));
  assert.is(others.length, 0);
});

test('interception works with html, redirects and authentication', async () => {
  const rejectRequestPattern = ['\\.png$'];
  const html = await fixture.readHtml(`<img src="${fixture.site.url}/images/red.png"><h1>inline</h1>`, {
    rejectRequestPattern,
  });
  assert.match(html, /inline/);
  assert.is(fixture.site.requests.length, 0);
  assert.match(await fixture.read('/redirect-chain/2', { rejectRequestPattern }), /Hello/);
  const authenticate = { username: 'user', password: 'pass' };
  assert.match(await fixture.read('/auth', { rejectRequestPattern, authenticate }), /let in/);
});
