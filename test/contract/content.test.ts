// POST /content as existing clients use it.
import * as assert from 'uvu/assert';
import { pageContract } from '../support/checks/contract.ts';
import { refused, succeeded } from '../support/checks/expect.ts';

const contentType = 'text/html; charset=UTF-8';
const { test, fixture } = pageContract({
  route: 'content',
  contentType,
  check: (reply) => {
    assert.match(reply.text, /<h1>Hello<\/h1>/);
    assert.match(reply.text, /<\/html>\n$/);
  },
});

const path = '/content';

test.peer('REST routes', 'content: the type application/json with a charset');
test(`${path}: a content type with charset`, async (signal) => {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  succeeded(await fixture.service.post(path, { url: `${fixture.site.url}/` }, { headers, signal }), contentType);
});

test.peer('REST routes', 'content: the body of an interceptor is returned');
test(`${path}: an interceptor's body is used`, async (signal) => {
  const response = { body: '<h1>canned</h1>', contentType: 'text/html', status: 200 };
  const requestInterceptors = [{ pattern: '.*', response }];
  fixture.site.clear();
  const reply = await fixture.service.post(path, { url: `${fixture.site.url}/`, requestInterceptors }, { signal });
  assert.match(succeeded(reply).text, /<h1>canned<\/h1>/);
  assert.is(fixture.site.requests.length, 0);
});

test(`${path}: returns 500 for a self-signed target without acceptInsecureCerts`, async (signal) => {
  refused(await fixture.service.post(path, { url: `${fixture.site.secureUrl}/` }, { signal }), 500);
});

test.differs('An HTML response opens as an ordinary page');
test('the response is sandboxed and not sniffed', async (signal) => {
  const { headers } = succeeded(await fixture.service.post('/content', { url: `${fixture.site.url}/` }, { signal }));
  assert.match(headers['content-security-policy'] ?? '', /\bsandbox\b/);
  assert.is(headers['x-content-type-options'], 'nosniff');
});

test.peer('REST routes');
test('responses for html have no X-Response headers', async (signal) => {
  const { headers } = succeeded(await fixture.service.post('/content', { html: '<h1>Inline</h1>' }, { signal }));
  assert.equal(
    Object.keys(headers).filter((name) => name.startsWith('x-response')),
    [],
  );
});

test.peer('REST routes');
test('a page with status 404 is a successful response', async (signal) => {
  const url = `${fixture.site.url}/status/404`;
  const reply = succeeded(await fixture.service.post('/content', { url }, { signal }));
  assert.is(reply.headers['x-response-code'], '404');
  assert.is(reply.headers['x-response-status'], 'Not Found');
  assert.match(reply.text, /status 404/);
});

test('after redirects, the headers describe the last response', async (signal) => {
  const url = `${fixture.site.url}/redirect-chain/3`;
  const reply = succeeded(await fixture.service.post('/content', { url }, { signal }));
  assert.is(reply.headers['x-response-code'], '200');
  assert.is(reply.headers['x-response-url'], `${fixture.site.url}/`);
});

test('a page with an empty body is a successful response', async (signal) => {
  const url = `${fixture.site.url}/status/204?`;
  const reply = await fixture.service.post('/content', { url, bestAttempt: true }, { signal });
  succeeded(reply, contentType);
});

test.peer('REST routes');
test('a long final URL is truncated to 1000 characters', async (signal) => {
  const url = `${fixture.site.url}/?${'x'.repeat(3_000)}`;
  const reply = succeeded(await fixture.service.post('/content', { url }, { signal }));
  assert.is(reply.headers['x-response-url'], url.slice(0, 1_000));
});

test.proves('page:url page:html');
test.peer('REST routes');
test('url takes precedence over html', async (signal) => {
  const reply = await fixture.service.post(
    '/content',
    { url: `${fixture.site.url}/`, html: '<h1>Inline</h1>' },
    { signal },
  );
  assert.match(succeeded(reply).text, /<h1>Hello/);
});

test.differs('A 500 error has no reason');
test('a refused connection returns a 500 that says so, in JSON', async (signal) => {
  const reply = await fixture.service.post('/content', { url: fixture.site.refusingUrl }, { signal });
  refused(reply, 500, new URL(fixture.site.refusingUrl).hostname);
  const { error, code } = reply.json<{ error: string; code: string }>();
  assert.is(code, 'navigation-failed');
  assert.match(error, /refused the connection/);
});

test.peer('REST routes');
test('a refused connection with bestAttempt returns an empty page', async (signal) => {
  const reply = await fixture.service.post(
    '/content',
    { url: fixture.site.refusingUrl, bestAttempt: true },
    { signal },
  );
  succeeded(reply, contentType);
  assert.is(reply.headers['x-response-code'], undefined);
});
