// REST requests that time out report what they were waiting for; URLs that cannot be loaded are reported immediately,
// over REST and BrowserQL.
import { createServer } from 'node:net';
import * as assert from 'uvu/assert';
import { type BqlAnswer, send } from '../support/clients/bql.ts';
import { refused } from '../support/checks/expect.ts';
import { concurrently } from '../support/concurrently.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = fixtureSuite('fields: deadlines');
const at = (path: string) => `${fixture.site.url}${path}`;

/** How long after its limit a response may arrive, in milliseconds. */
const lateMs = 1_000;
const limitMs = 1_500;

// Start the browser now: the short limits are meant for the page.
test.before(async () => void (await fixture.post('/content', { html: 'x' })));

type Body = Record<string, unknown>;
const waits: Record<string, { body: () => Body; text: string | RegExp; route?: string }> = {
  'a selector': { body: () => ({ url: at('/'), waitForSelector: { selector: '#x' } }), text: 'the selector "#x"' },
  'a selector, visible': {
    body: () => ({ html: '<p>x</p>', waitForSelector: { selector: '#x', visible: true } }),
    text: 'the selector "#x" to be visible',
    route: '/screenshot',
  },
  'a selector, hidden': {
    body: () => ({ html: '<p>x</p>', waitForSelector: { selector: 'p', hidden: true } }),
    text: 'the selector "p" to be hidden',
    route: '/pdf',
  },
  'an element of /scrape': {
    body: () => ({ url: at('/'), elements: [{ selector: 'h1' }, { selector: '.none' }] }),
    text: 'the selector ".none"',
    route: '/scrape',
  },
  'a function': {
    body: () => ({ url: at('/'), waitForFunction: { fn: '() => false' } }),
    text: 'the function of waitForFunction to return something truthy',
    route: '/markdown',
  },
  'an event': { body: () => ({ url: at('/'), waitForEvent: { event: 'ready' } }), text: 'the event "ready"' },
  'a time': { body: () => ({ html: 'x', waitForTimeout: 60_000 }), text: 'the 60000 ms of waitForTimeout' },
  'a navigation': {
    body: () => ({ url: `${at('/hang')}?token=SECRET` }),
    text: /the navigation to http:\S+\/hang\?token=\*\*\* to reach "load"$/,
  },
  'a navigation with a password': {
    body: () => ({ url: at('/hang').replace('//', '//me:SECRET@'), gotoOptions: { waitUntil: 'networkidle0' } }),
    text: /the navigation to http:\S+\/hang to reach "networkidle0"$/,
    route: '/export',
  },
  'the html': { body: () => ({ html: `<img src="${at('/hang')}">` }), text: 'the HTML to reach "load"' },
  'an added script': {
    body: () => ({ html: 'x', addScriptTag: [{ url: at('/hang') }] }),
    text: 'addScriptTag[0]',
  },
  'code that never finishes': {
    body: () => ({ code: 'export default () => new Promise(() => {})' }),
    text: 'the code to end',
    route: '/function',
  },
};

/** Runs three at the same time: the tests only wait for their limit. */
const waitingTest = concurrently(test, 3);
for (const [name, { body, text, route = '/content' }] of Object.entries(waits)) {
  waitingTest(`a request that times out says what it was waiting for: ${name}`, async () => {
    const began = idleNow();
    const reply = await fixture.service.post(route, body(), { query: { timeout: limitMs } });
    assert.ok(idleNow() - began <= limitMs + lateMs);
    refused(reply, 408, `Request has timed out after ${limitMs} ms: it was waiting for `);
    const message = reply.text.trim();
    assert.ok(typeof text === 'string' ? message.endsWith(text) : text.test(message), message);
    assert.not.match(message, 'SECRET');
    const id = reply.headers['x-request-id'];
    const line = await until('the log line of the request', () =>
      fixture.service.logs().find((one) => one.event === 'request' && one['id'] === id),
    );
    assert.equal([line['status'], line['code']], [408, 'timeout']);
  });
}

test('JSON clients get the message as the error, with its code', async () => {
  const reply = await fixture.service.post(
    '/content',
    { url: at('/'), waitForSelector: { selector: '#x' } },
    { query: { timeout: limitMs }, headers: { accept: 'text/html, application/json' } },
  );
  assert.equal(reply.json(), {
    error: `Request has timed out after ${limitMs} ms: it was waiting for the selector "#x"`,
    code: 'timeout',
  });
});

/** A server that accepts connections and never sends valid TLS or HTTP. */
async function withPlainServer(work: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('this is no TLS\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    await work(typeof address === 'object' && address ? address.port : 0);
  } finally {
    server.close();
  }
}

/** Asserts that REST and BrowserQL report the reason long before any limit. */
async function expectPromptFailure(url: string, ...mentions: (string | RegExp)[]): Promise<void> {
  const began = idleNow();
  refused(await fixture.service.post('/content', { url }), 500, ...mentions);
  const reply = await send(
    fixture.service,
    `mutation { goto(url: ${JSON.stringify(url)}) { status } title { title } }`,
  );
  const { data, errors } = reply.json<BqlAnswer>();
  assert.ok(idleNow() - began < 10_000);
  assert.is(data['goto'], null);
  assert.type(data['title'].title, 'string');
  assert.is(errors?.length, 1, reply.text);
  assert.is(errors?.[0]?.extensions?.code, 'NAVIGATION_FAILED');
  for (const mention of mentions) assert.match(errors?.[0]?.message ?? '', mention);
}

test('a URL that cannot be loaded is reported immediately: a name that does not exist', () =>
  expectPromptFailure('http://no-such-host.invalid/', 'no-such-host.invalid', 'the hostname could not be resolved'));

test('a URL that cannot be loaded is reported immediately: a refused connection', () =>
  expectPromptFailure(
    fixture.site.refusingUrl,
    new URL(fixture.site.refusingUrl).hostname,
    'it refused the connection',
  ));

test('a URL that cannot be loaded is reported immediately: an untrusted certificate', () =>
  expectPromptFailure(
    `${fixture.site.secureUrl}/`,
    'its certificate is not trusted',
    'ERR_CERT_AUTHORITY_INVALID',
    'acceptInsecureCerts',
  ));

test('a URL that cannot be loaded is reported immediately: no TLS', () =>
  withPlainServer((port) => expectPromptFailure(`https://127.0.0.1:${port}/`, 'the TLS handshake failed')));

test('a URL that cannot be loaded is reported immediately: no response', () =>
  expectPromptFailure(at('/reset'), 'the site closed the connection without a response'));

test('a URL that cannot be loaded is reported immediately: a redirect loop', () =>
  expectPromptFailure(at('/redirect-loop'), 'it redirects too many times'));
