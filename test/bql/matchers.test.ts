// BrowserQL: how steps, conditions and subscriptions match requests: by method, type, url and status, separately and
// combined.
import { createClient } from 'graphql-ws';
import * as assert from 'uvu/assert';
import { bqlSuite, placed } from '../support/clients/bql.ts';
import { startHttpProxy, type TestProxy } from '../support/clients/proxies.ts';
import { until } from '../support/until.ts';

const { test, fixture } = bqlSuite('BrowserQL matchers');
let proxy: TestProxy;

test.before(async () => {
  proxy = await startHttpProxy();
});
test.after(() => proxy?.close());

const open = 'open: goto(url: "SITE/small") { status }';
/** Makes four requests that differ in method, type, URL and status; its value lists those that failed. */
const ask = (key: string) => `${key}: evaluate(content: """
  const loaded = (target) => new Promise((resolve, reject) => { target.onload = resolve; target.onerror = reject; });
  const xhr = new XMLHttpRequest();
  xhr.open('PUT', '/api/put');
  xhr.send('1');
  const image = new Image();
  image.src = '/images/red.png?${key}';
  const made = {
    '/api/items': fetch('/api/items').then((answer) => answer.text()),
    '/api/put': loaded(xhr),
    '/images/red.png': loaded(image),
    '/status/404': fetch('/status/404', { method: 'POST', body: 'x' }).then((answer) => answer.text()),
  };
  const results = await Promise.allSettled(Object.values(made));
  return Object.keys(made).filter((_, index) => results[index].status === 'rejected').join(' ');
""") { value }`;

const made = ['/api/items', '/api/put', '/images/red.png', '/status/404'];

/** Arguments and the paths of the requests that they match. */
const matchers: [args: string, paths: string[]][] = [
  ['method: PUT', ['/api/put']],
  ['method: [PUT, POST]', ['/api/put', '/status/404']],
  ['type: image', ['/images/red.png']],
  ['url: "*/api/items"', ['/api/items']],
  ['url: ["*/images/*", "*/api/items"]', ['/api/items', '/images/red.png']],
  ['type: xhr, url: "*/api/items"', ['/api/items', '/api/put']],
  ['method: POST, type: image, operator: or', ['/images/red.png', '/status/404']],
  ['type: fetch, method: GET, operator: and', ['/api/items']],
  ['type: xhr, url: "*/api/items", operator: and', []],
];
const responseMatchers: typeof matchers = [
  ['status: 404', ['/status/404']],
  ['status: [200], method: POST, operator: and', []],
];
const pathOf = ({ url }: { url: string }) => new URL(url).pathname;

for (const [name, list] of Object.entries({ request: matchers, response: [...matchers, ...responseMatchers] })) {
  test.proves(`${name}.{method,operator,type,url}`);
  if (name === 'response') test.proves('response.status');
  test(`${name} returns what its arguments match`, async () => {
    const told = list.map(([args], index) => `m${index}: ${name}(${args}, wait: false) { url }`);
    // A script may have a response before the browser reports it as complete.
    const all = made.map((path, index) => `all${index}: response(url: "*${path}*") { url }`);
    const data = await fixture.data(`mutation { ${open} ${ask('made')} ${all.join(' ')} ${told.join(' ')} }`);
    for (const [index, [args, paths]] of list.entries()) {
      assert.equal(data[`m${index}`].map(pathOf).toSorted(), paths, args);
    }
  });
}

test.proves('reject.enabled reject.method reject.operator reject.regex reject.type reject.url');
test('reject blocks what its arguments match until it is disabled', async () => {
  const list: typeof matchers = [...matchers, ['regex: ["items$", "/pu."]', ['/api/items', '/api/put']]];
  const rounds = list.map(
    ([args], index) =>
      `on${index}: reject(${args}) { enabled } ${ask(`m${index}`)} off${index}: reject(enabled: false) { enabled }`,
  );
  const data = await fixture.data(`mutation { ${open} ${rounds.join(' ')} ${ask('free')} }`);
  for (const [index, [args, paths]] of list.entries()) assert.is(data[`m${index}`].value, paths.join(' '), args);
  assert.is(data['free'].value, '');
});

test.proves('proxy.method proxy.operator proxy.server proxy.type proxy.url');
test('proxy fetches what its arguments match', async () => {
  const variables = { server: proxy.url() };
  for (const [args, paths] of matchers) {
    proxy.seen.length = 0;
    const rule = `proxy(server: $server, ${args}) { time }`;
    const data = await fixture.data(`mutation ($server: String!) { ${open} ${rule} ${ask('made')} }`, { variables });
    assert.is(data['made'].value, '');
    const seen = proxy.targets().map((target) => new URL(target.replace(/^\w+ /, '')).pathname);
    assert.equal(seen.toSorted(), paths, args);
  }
});

test.proves(
  'Subscription.request.method Subscription.request.operator Subscription.request.type Subscription.request.url Subscription.response.method Subscription.response.operator Subscription.response.status Subscription.response.type Subscription.response.url',
);
test('subscriptions report what their arguments match', async () => {
  const url = `${fixture.service.url.replace('http', 'ws')}/chromium/bql`;
  const client = createClient({ url, lazy: false, retryAttempts: 0 });
  const failures: unknown[] = [];
  const run = (query: string, next: (value: unknown) => void = () => {}) =>
    new Promise<void>((complete) => {
      const error = (reason: unknown) => {
        failures.push(reason);
        complete();
      };
      client.subscribe({ query: placed(query, fixture) }, { next, error, complete });
    });
  const listen = (name: string, args: string) => {
    const paths: string[] = [];
    // The cast is safe: the subscription selects only the URL.
    const next = (value: unknown) =>
      paths.push(pathOf((value as { data: Record<string, { url: string }> }).data[name] ?? { url: '' }));
    void run(`subscription { ${name}${args} { url } }`, next);
    return paths;
  };
  await run(`mutation { ${open} }`);
  const subscriptions = Object.entries({ request: matchers, response: [...matchers, ...responseMatchers] }).flatMap(
    ([name, list]) =>
      list.map(([args, paths]) => ({ name: `${name}(${args})`, paths, told: listen(name, `(${args})`) })),
  );
  const all = [listen('request', ''), listen('response', '')];
  // A subscription starts when the server reads its message, and documents run in order.
  await run('mutation { title { title } }');
  await run(`mutation { ${ask('made')} }`);
  await until('all events', () => all.every((paths) => paths.length >= made.length));
  await run('mutation { title { title } }');
  for (const { name, paths, told } of subscriptions) assert.equal(told.toSorted(), paths, name);
  assert.equal(failures, []);
  await client.dispose();
});

/** Conditions and whether they are true after the requests. */
const conditions: Record<string, boolean> = {
  'request: { method: PUT }': true,
  'request: { method: DELETE }': false,
  'request: { url: "*/api/put" }': true,
  'request: { url: "*/never" }': false,
  'request: { url: "*/api/put", method: GET }': false,
  'response: { statuses: [500, 404] }': true,
  'response: { statuses: [500] }': false,
  'response: { codes: 404 }': true,
  'response: { codes: 500 }': false,
  'response: { url: "*/api/items" }': true,
  'response: { url: "*/never" }': false,
  'response: { url: "*/api/items", statuses: 404 }': false,
  'selector: "h1"': true,
  'selector: "h7"': false,
  'selector: "h1", request: { method: DELETE }': false,
};

test.proves(
  'if.request if.response if.selector if.visible ifnot.request ifnot.response ifnot.selector RequestInput.method RequestInput.url ResponseInput.statuses ResponseInput.codes ResponseInput.url',
);
test('if and ifnot evaluate conditions on requests, responses and elements', async () => {
  const list = Object.entries(conditions);
  const seen = { 'selector: "#unseen"': true, 'selector: "#unseen", visible: true': false };
  const steps = [...list, ...Object.entries(seen)].map(
    ([args], index) => `if${index}: if(${args}) { title { title } }`,
  );
  const inverse = list.map(([args], index) => `not${index}: ifnot(${args}) { title { title } }`);
  const hidden = `hide: evaluate(content: "document.body.append(Object.assign(document.createElement('i'), { id: 'unseen' }))") { value }`;
  const data = await fixture.data(
    `mutation { ${open} ${ask('made')} ${hidden} ${steps.join(' ')} ${inverse.join(' ')} }`,
  );
  for (const [index, [args, holds]] of [...list, ...Object.entries(seen)].entries()) {
    assert.is(data[`if${index}`] !== null, holds, `if(${args})`);
  }
  for (const [index, [args, holds]] of list.entries()) assert.is(data[`not${index}`] === null, holds, `ifnot(${args})`);
});

/** Waits, and whether the event occurred in the requests. */
const waits: Record<string, boolean> = {
  'waitForRequest(method: PUT': true,
  'waitForRequest(method: DELETE': false,
  'waitForRequest(url: "*/api/items"': true,
  'waitForRequest(url: "*/never"': false,
  'waitForRequest(method: GET, url: "*/api/put"': false,
  'waitForResponse(statuses: [404, 500]': true,
  'waitForResponse(statuses: 500': false,
  'waitForResponse(codes: 404': true,
  'waitForResponse(codes: 500': false,
  'waitForResponse(url: "*/api/items"': true,
  'waitForResponse(url: "*/never"': false,
  'waitForResponse(url: "*/api/items", statuses: 404': false,
};

test.proves(
  'waitForRequest.method waitForRequest.url waitForResponse.codes waitForResponse.statuses waitForResponse.url',
);
test('waitForRequest and waitForResponse wait for what their arguments match', async () => {
  const list = Object.entries(waits);
  const steps = list.map(([step, comes], index) => `m${index}: ${step}, timeout: ${comes ? 20_000 : 100}) { url }`);
  const { data, errors = [] } = await fixture.run(`mutation { ${open} ${ask('made')} ${steps.join(' ')} }`);
  for (const [index, [step, comes]] of list.entries()) {
    const error = errors.find(({ path }) => path?.[0] === `m${index}`);
    assert.equal([data[`m${index}`] !== null, error?.extensions?.code], [comes, comes ? undefined : 'TIMEOUT'], step);
  }
});
