// The log: one JSON line per event, levels, and no secrets in it.
import * as assert from 'uvu/assert';
import { ServiceError } from '../../src/base/errors.ts';
import { createLog, redact } from '../../src/base/telemetry/log.ts';
import { suite } from '../support/suite.ts';

const test = suite('log');

function record(options: { level?: 'debug' | 'info' | 'warn' | 'error'; secrets?: string[] } = {}) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line), ...options });
  return { log, lines, last: (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '{}') };
}

test('a line has time, level, event and fields', () => {
  const { log, last } = record();
  log.with({ session: 's1' }).warn('thing.happened', { ms: 3, nothing: undefined });
  const { time, ...rest } = last();
  assert.match(String(time), /^\d{4}-.*Z$/);
  assert.equal(rest, { level: 'warn', event: 'thing.happened', session: 's1', ms: 3 });
});

test('events below the level are dropped', () => {
  const { log, lines } = record({ level: 'warn' });
  log.debug('a');
  log.info('b');
  log.error('c');
  assert.is(lines.length, 1);
});

test('errors are written with their cause, on one line', () => {
  const { log, lines, last } = record();
  log.error('failed', { cause: new Error('outer\nline', { cause: new TypeError('inner') }) });
  assert.is(lines[0]?.split('\n').length, 1);
  const cause = last()['cause'];
  assert.match(JSON.stringify(cause), /"name":"Error","message":"outer\\nline".*"name":"TypeError","message":"inner"/);
});

test('secrets in URLs are redacted', () => {
  const cases: [string, string][] = [
    ['http://h/pdf?token=abc&x=1', 'http://h/pdf?token=***&x=1'],
    ['/pdf?x=1&token=abc#f', '/pdf?x=1&token=***#f'],
    ['see http://user:pass@host:80/x?y=1', 'see http://***@host:80/x?y=1'],
    ['/player/?i=abcdefghijklmnopqrstuvwx', '/player/?i=abcd***'],
    ['/player/abcdefghijklmnopqrstuvwx/meta', '/player/abcd***/meta'],
    ['/recordings/1/share/abcdefghijklmnopqrstuvwx', '/recordings/1/share/abcd***'],
    ['http://host/?u=http%3A%2F%2Fuser%3Apass%40proxy', 'http://host/?u=http%3A%2F%2F***%40proxy'],
    ['http://host/?externalProxyServer=http://u:p@h', 'http://host/?externalProxyServer=***'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
    ['http://host/@user/a?mail=a@b', 'http://host/@user/a?mail=a@b'],
  ];
  for (const [before, after] of cases) assert.is(redact(before), after);
});

test('URLs are logged with parameter names only', () => {
  const cases: [string, string][] = [
    [
      'Could not load https://x.example/a?api_key=SECRET&page=2: no',
      'Could not load https://x.example/a?api_key=…&page=… no',
    ],
    ['"https://x/?api_key=SECRET" is not', '"https://x/?api_key=…" is not'],
    ['https://x/a#access_token=SECRET', 'https://x/a#…'],
    ['https://x/a?SECRET', 'https://x/a?…'],
    ['wss://x/a?b=c=SECRET#d', 'wss://x/a?b=…#…'],
    ['data:text/html,<p>SECRET</p> and', 'data:text/html,…'],
    ['https://x/a/b and what?', 'https://x/a/b and what?'],
  ];
  for (const [before, after] of cases) {
    const { log, last } = record();
    log.info('x', { text: before });
    assert.is(last()['text'], after);
  }
});

test("of an error thrown by a caller's code, only the length is logged", () => {
  const { log, lines, last } = record();
  const error = new ServiceError('code-failed', 'CANARY in words', { cause: new Error('of ours') });
  log.info('x', { cause: error, deep: { cause: new Error('outer', { cause: error }) } });
  assert.not.match(lines.join(''), /CANARY/);
  assert.match(JSON.stringify(last()), /text of the caller's code, 15 characters.*of ours/);
  const own = new Error('plain words');
  log.info('x', { cause: own });
  assert.match(JSON.stringify(last()), /plain words.*log\.test\.ts/);
});

test('secret fields and configured secrets are masked at any depth', () => {
  const { log, lines } = record({ secrets: ['s3cret-token'] });
  log.info('x', { token: 'abc', deep: { list: [{ password: 'p4ss' }, 'has s3cret-token inside'] } });
  log.info('url', { url: new URL('http://u:hidden@h/?token=abc') });
  for (const secret of ['abc', 'p4ss', 's3cret-token', 'hidden']) {
    assert.not(lines.join('\n').includes(secret), secret);
  }
});

test('cyclic and odd values do not throw', () => {
  const { log, lines } = record();
  const cyclic: Record<string, unknown> = { big: 1n, bytes: new Uint8Array(3), when: new Date(0) };
  cyclic['self'] = cyclic;
  log.info('odd', { cyclic });
  assert.is(lines.length, 1);
});
