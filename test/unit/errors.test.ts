// The error table and the forms of error responses (compatibility.mdx#error-responses).
import * as assert from 'uvu/assert';
import { errorTable, ServiceError, toResponse, toServiceError } from '../../src/base/errors.ts';
import { suite } from '../support/suite.ts';

const test = suite('errors');

test.peer('parameters and errors');
test('errors are plain text with a trailing newline by default', async () => {
  const response = toResponse(new ServiceError('bad-request', 'No.'));
  assert.is(response.status, 400);
  assert.is(response.headers.get('content-type'), 'text/plain; charset=UTF-8');
  assert.is(await response.text(), 'No.\n');
});

test.peer('parameters and errors');
test('JSON requests get JSON errors, even with a charset and for a 500', async () => {
  for (const contentType of ['application/json', 'application/json; charset=utf-8']) {
    const response = toResponse(new Error('secret detail'), { contentType });
    assert.is(response.status, 500);
    assert.is(response.headers.get('content-type'), 'application/json; charset=UTF-8');
    assert.equal(await response.json(), { error: 'Internal Server Error', code: 'internal' });
  }
});

test('issues are listed', async () => {
  const issues = [{ path: 'url', message: '"url" is required' }];
  const error = new ServiceError('invalid-body', 'm', { issues });
  assert.equal(await toResponse(error, { contentType: 'application/json' }).json(), {
    error: 'm',
    code: 'invalid-body',
    issues,
  });
});

test.peer('parameters and errors');
test('token, route and limiter errors are text even for JSON requests, unless Accept names JSON', async () => {
  for (const code of ['unauthorized', 'not-found', 'timeout', 'queue-full', 'unhealthy'] as const) {
    const error = new ServiceError(code, 'Too many requests');
    const text = toResponse(error, { contentType: 'application/json', accept: '*/*' });
    assert.is(text.headers.get('content-type'), 'text/plain; charset=UTF-8', code);
    assert.is(await text.text(), 'Too many requests\n');
    const json = toResponse(error, { accept: 'application/json' });
    assert.is(json.headers.get('content-type'), 'application/json; charset=UTF-8', code);
    const refused = toResponse(error, { accept: 'application/json;q=0, application/json-seq, text/plain' });
    assert.is(refused.headers.get('content-type'), 'text/plain; charset=UTF-8', code);
  }
});

test('429 and 503 responses say when to retry', () => {
  for (const code of ['queue-full', 'unhealthy', 'stopping'] as const) {
    assert.ok(Number(toResponse(new ServiceError(code, '')).headers.get('retry-after')) > 0, code);
  }
  const error = new ServiceError('queue-full', '', { retryAfterSeconds: 2.2 });
  assert.is(error.headers['Retry-After'], '3');
  assert.is(new ServiceError('timeout', '').headers['Retry-After'], undefined);
});

test('a full disk is reported as storage-full, even as the cause of another error', () => {
  for (const code of ['ENOSPC', 'EDQUOT']) {
    const cause = Object.assign(new Error(`${code}: write '/srv/secret'`), { code });
    for (const error of [toServiceError(cause), toServiceError(new Error('outer', { cause }))]) {
      assert.is(error.code, 'storage-full');
      assert.is(error.status, 503);
      assert.match(error.message, /SCRATCH_DIR/);
      assert.not.match(error.message, /secret/);
      assert.ok(Number(error.headers['Retry-After']) > 0);
    }
  }
  assert.is(toServiceError(Object.assign(new Error('x'), { code: 'EACCES' })).code, 'internal');
});

test.peer('parameters and errors', 'errors: unexpected errors are a plain 500');
test('unknown errors keep their details only as the cause', () => {
  const cause = new Error('/srv/secret');
  const error = toServiceError(cause);
  assert.is(error.code, 'internal');
  assert.is(error.message, 'Internal Server Error');
  assert.is(error.cause, cause);
  const own = new ServiceError('timeout', 'x');
  assert.is(toServiceError(own), own);
});

test('every code has a status and a title', () => {
  for (const [code, row] of Object.entries(errorTable)) {
    assert.ok(row.status >= 400 && row.status < 600, code);
    assert.match(row.title, /^[A-Z].*\.$/, code);
  }
});
