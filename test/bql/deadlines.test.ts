// BrowserQL at its time limits: how long a call may take, what its response contains when time runs out, and what
// steps do after a failed navigation.
import * as assert from 'uvu/assert';
import { type BqlAnswer, bqlSuite, type RunOptions } from '../support/clients/bql.ts';
import { concurrently } from '../support/concurrently.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';
import { quickStealth } from './quick-stealth.ts';

const { test, fixture } = bqlSuite('BrowserQL deadlines', { env: quickStealth });

/** How late a response may arrive after its limit, in milliseconds. */
const maxDelayMs = 1_000;
// The short limits below are meant for the page, so start the browser first.
test.before(async () => void (await fixture.data('mutation { title { title } }')));

const jsonType = /^application\/json/;

/** The response, with status 408, to a document that is cut off by its time limit. */
async function cutOff(document: string, limitMs: number, options: RunOptions = {}): Promise<BqlAnswer> {
  const began = idleNow();
  const reply = await fixture.send(document, { ...options, query: { timeout: limitMs, ...options.query } });
  const ms = idleNow() - began;
  assert.is(reply.status, 408, reply.text);
  assert.match(reply.headers['content-type'] ?? '', jsonType);
  assert.ok(ms <= limitMs + maxDelayMs, `responded after ${Math.round(ms)} ms (limit: ${limitMs} ms)`);
  return reply.json<BqlAnswer>();
}

const reportedErrors = ({ errors = [] }: BqlAnswer) =>
  errors.map(({ path, extensions }) => [path?.join('.'), extensions?.code]);

/** The limit of a running document, as reported by /sessions. */
async function limitOf(service: Service, query: RunOptions['query'] = {}, extra = ''): Promise<number> {
  const leave = new AbortController();
  const document = `mutation { ${extra} waitForTimeout(time: 100000) { time } }`;
  const call = service.post('/chromium/bql', { query: document }, { query, signal: leave.signal });
  call.catch(() => undefined);
  const sessions = async () => (await service.get('/sessions')).json<{ ttl: number }[]>();
  const session = await until('the document to run', async () => (await sessions())[0]);
  leave.abort();
  await until('the document to end', async () => (await sessions()).length === 0);
  return session.ttl;
}

test.proves('TIMEOUT BQL_TIMEOUT');
test('a document has one minute unless the caller or the operator sets another limit', async () => {
  assert.is(await limitOf(fixture.service), 60_000);
  assert.is(await limitOf(fixture.service, { timeout: 12_345 }), 12_345);
  assert.is(await limitOf(fixture.service, {}, 'switchToWindow(newest: true, timeout: 1) { success }'), 60_000);
  for (const [env, ms] of [
    [{ TIMEOUT: '20000' }, 20_000],
    [{ MAX_TIMEOUT: '40000' }, 40_000],
    [{ TIMEOUT: '20000', BQL_TIMEOUT: '50000' }, 50_000],
  ] as const) {
    await using service = await startService({ env });
    assert.is(await limitOf(service), ms, JSON.stringify(env));
  }
});

test('at the time limit, the running step says what it waited for, and later steps do not run', async () => {
  const answer = await cutOff(
    `mutation {
      goto(url: "SITE/small") { status }
      in: if(selector: "h1") { gone: waitForSelector(selector: "#never") { x } inner: title { title } }
      title { title }
      no: ifnot(selector: "h1") { url { url } }
    }`,
    1_500,
  );
  assert.equal(answer.data, { goto: { status: 200 }, in: { gone: null, inner: null }, title: null, no: null });
  assert.equal(reportedErrors(answer), [
    ['in.gone', 'TIMEOUT'],
    ['in.inner', 'NOT_RUN'],
    ['title', 'NOT_RUN'],
    ['no', 'NOT_RUN'],
  ]);
  const [running, next] = answer.errors ?? [];
  assert.is(
    running?.message,
    'Request has timed out during waitForSelector: no element matches the selector "#never".',
  );
  assert.is(next?.message, 'title did not run: Request has timed out.');
});

const waits: Record<string, [step: string, ...mentions: string[]]> = {
  'a navigation': [
    'goto(url: "SITE/hang?token=SECRET", timeout: 0) { status }',
    'during goto',
    '/hang?token=***',
    '"load"',
  ],
  'an element that is not visible': [
    'click(selector: "#never", visible: true) { x }',
    'no visible element matches the selector "#never"',
  ],
  'a request': ['waitForRequest(url: "*/never*") { url }', 'no request matched {"url":"*/never*"}'],
  'a response': ['waitForResponse(statuses: [418]) { url }', '"statuses":[418]'],
  'recorded responses': ['response(url: "*/never*") { url }', '"url":["*/never*"]'],
  'a navigation of the page': ['waitForNavigation(waitUntil: domContentLoaded) { url }', 'no navigation reached'],
  'a window': ['switchToWindow(title: "never", timeout: 0) { success }', '"title":"never"'],
  'a script': ['evaluate(content: "new Promise(() => {})") { value }', 'during evaluate: the script was still running'],
  'a fixed time': ['waitForTimeout(time: 60000) { time }', 'its 60000 ms had not passed'],
};

/** These tests only wait for their limit, so they run concurrently. */
const waitingTest = concurrently(test, 3);
for (const [name, [step, ...mentions]] of Object.entries(waits)) {
  waitingTest(`the time limit error says what the step was waiting for: ${name}`, async () => {
    const answer = await cutOff(`mutation { goto(url: "SITE/small") { status } step: ${step} }`, 1_200);
    assert.equal(answer.data, { goto: { status: 200 }, step: null });
    assert.equal(reportedErrors(answer), [['step', 'TIMEOUT']]);
    const message = answer.errors?.[0]?.message ?? '';
    for (const mention of mentions) assert.ok(message.includes(mention), message);
    assert.not.match(message, 'SECRET');
  });
}

test.needs('a full Chromium');
test('reconnectable browsers and sessions: same response, and the next document finds the browser', async () => {
  const document = 'mutation { title { title } gone: text(selector: "#never") { text } url { url } }';
  const check = (answer: BqlAnswer, title: string) => {
    assert.equal(answer.data, { title: { title }, gone: null, url: null });
    assert.equal(reportedErrors(answer), [
      ['gone', 'TIMEOUT'],
      ['url', 'NOT_RUN'],
    ]);
  };
  const open = 'goto(url: "SITE/small") { status }';
  const { reconnect } = await fixture.data(`mutation { ${open} reconnect(timeout: 20000) { browserQLEndpoint } }`);
  const path = new URL(reconnect.browserQLEndpoint).pathname;
  const keeping =
    'mutation { reconnect(timeout: 20000) { browserQLEndpoint } gone: text(selector: "#never") { text } }';
  assert.is((await cutOff(keeping, 1_000, { path })).data['gone'], null);
  check(await cutOff(document, 1_000, { path }), 'Small');
  const made = (await fixture.service.post('/session', { stealth: true })).json<{ id: string; browserQL: string }>();
  const session = { path: new URL(made.browserQL).pathname };
  await fixture.data(`mutation { ${open} }`, session);
  check(await cutOff(document, 1_000, session), 'Small');
  assert.equal(await fixture.data('mutation { title { title } }', session), { title: { title: 'Small' } });
  const ahead = fixture.send('mutation { waitForTimeout(time: 2500) { time } }', session);
  await until('the earlier document to run', async () => {
    const sessions = (await fixture.service.get('/sessions')).json<{ numbConnected: number }[]>();
    return sessions.some(({ numbConnected }) => numbConnected > 0);
  });
  const behind = await cutOff('mutation { title { title } }', 1_000, session);
  assert.match(
    behind.errors?.[0]?.message ?? '',
    'after 1000 ms: it was waiting for earlier documents on this browser',
  );
  assert.is((await ahead).status, 200);
  await fixture.service.get(`/session/${made.id}`, { method: 'DELETE', query: { force: true } });
});

test('metrics and the log report a timeout, without URL parameter values', async () => {
  const totals = async () =>
    (await fixture.service.get('/metrics/total')).json<{ timedout: number; successful: number }>();
  const before = await totals();
  const lines = fixture.service.logs().length;
  await cutOff('mutation { goto(url: "SITE/hang?key=SECRET") { status } }', 800);
  await until('the call to be counted', async () => (await totals()).timedout === before.timedout + 1);
  assert.is((await totals()).successful, before.successful);
  const logged = fixture.service
    .logs()
    .slice(lines)
    .find(({ event }) => event === 'request');
  assert.equal([logged?.['status'], logged?.['code']], [408, 'timeout']);
  assert.match(String(logged?.['reason']), 'Request has timed out during goto');
  assert.not.match(fixture.service.output(), 'SECRET');
});

test('a step slowed by slowMo keeps its result when the limit cuts off its pause', async () => {
  const answer = await cutOff('mutation { one: evaluate(content: "1") { value } two: title { title } }', 1_500, {
    query: { slowMo: 60_000 },
  });
  assert.equal(answer.data, { one: { value: '1' }, two: null });
  assert.equal(reportedErrors(answer), [['two', 'NOT_RUN']]);
});

const failing: Record<string, [goto: string, code: string, reason: string]> = {
  'a hostname that does not exist': [
    'http://nowhere.invalid/',
    'NAVIGATION_FAILED',
    'the hostname could not be resolved',
  ],
  'a connection that is reset': ['SITE/reset', 'NAVIGATION_FAILED', 'closed the connection without a response'],
  'a URL that is not allowed': ['file:///etc/passwd', 'FORBIDDEN_DESTINATION', 'is not allowed'],
  'an invalid URL': ['nothing', 'BAD_ARGUMENT', 'url'],
};

for (const [name, [address, code, reason]] of Object.entries(failing)) {
  test(`steps do not wait after a failed navigation: ${name}`, async () => {
    const began = idleNow();
    const answer = await fixture.run(`mutation {
      goto(url: "${address}") { status }
      wait: waitForSelector(selector: "#x") { x }
      click(selector: "#x") { x }
      rows: mapSelector(selector: "#x") { id }
      response(url: "*/never*") { url }
      waitForNavigation { url }
      title { title }
    }`);
    assert.ok(idleNow() - began < 10_000);
    assert.equal(reportedErrors(answer), [
      ['goto', code],
      ['wait', 'SELECTOR_NOT_FOUND'],
      ['click', 'SELECTOR_NOT_FOUND'],
      ['rows', 'SELECTOR_NOT_FOUND'],
      ['response', 'NAVIGATION_FAILED'],
      ['waitForNavigation', 'NAVIGATION_FAILED'],
    ]);
    const { title, ...others } = answer.data;
    assert.type(title.title, 'string');
    assert.ok(Object.values(others).every((value) => value === null));
    const message = answer.errors?.[1]?.message ?? '';
    assert.match(message, 'No element matches the selector "#x": the page did not load (goto failed: ');
    assert.ok(message.includes(reason), message);
  });
}

test('after a failed navigation, steps still wait if there is a page or one may follow', async () => {
  const late = `setTimeout(() => document.body.append(Object.assign(document.createElement("b"), { id: "x" })), 300)`;
  const page = JSON.stringify(`<p>here</p><script>${late}</script>`);
  const still = await fixture.run(`mutation {
    bad: goto(url: "SITE/reset") { status }
    content(html: ${page}) { status }
    worse: goto(url: "file:///etc/passwd") { status }
    x: waitForSelector(selector: "#x") { selector }
  }`);
  assert.equal(still.data, { bad: null, content: { status: 200 }, worse: null, x: { selector: '#x' } });
  const moved = await fixture.run(`mutation {
    goto(url: "SITE/reset") { status }
    evaluate(content: "setTimeout(() => { location.href = 'SITE/small' }, 300)") { value }
    text(selector: "p") { text }
  }`);
  assert.is(moved.data['text'].text, 'Small page.');
  const slow = await fixture.run(`mutation {
    goto(url: "SITE/slow?ms=1500", timeout: 300) { status }
    waitForSelector(selector: "h1") { selector }
  }`);
  assert.equal(slow.data, { goto: null, waitForSelector: { selector: 'h1' } });
  assert.equal(reportedErrors(slow), [['goto', 'TIMEOUT']]);
});
