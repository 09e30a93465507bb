// Domain lists: their normal form, and the hosts they cover.
import * as assert from 'uvu/assert';
import { covers, parseDomain } from '../../src/base/schema/request/addresses.ts';
import { suite } from '../support/suite.ts';

const test = suite('domains');

test('normalizes domains and rejects invalid ones', () => {
  for (const [written, read] of [
    ['Example.COM.', 'example.com'],
    [' *.Example.com ', '*.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['[::1]', '0:0:0:0:0:0:0:1'],
    ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ]) {
    assert.is(parseDomain(written ?? ''), read);
  }
  for (const text of [
    '',
    '.',
    '*',
    '*.',
    '*.*',
    'a..b',
    '-a.b',
    'a b',
    'a/b',
    'a:1',
    'u@a',
    'http://a',
    'a?',
    'a#',
    '%41',
    '*.127.0.0.1',
    `${'a'.repeat(250)}.com`,
  ]) {
    assert.is(parseDomain(text), undefined, text);
  }
});

test('a list covers the hosts that match it, and no others', () => {
  const list = ['example.com', '*.inner.example', '10.0.0.1', '0:0:0:0:0:0:0:1'];
  for (const host of [
    'example.com',
    'EXAMPLE.com.',
    'a.b.example.com',
    'x.inner.example',
    '10.0.0.1',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
  ]) {
    assert.ok(covers(list, host), host);
  }
  for (const host of [
    'badexample.com',
    'example.com.evil.org',
    'inner.example',
    'com',
    '10.0.0.10',
    '::ffff:10.0.0.1',
    'a.10.0.0.1',
    '::2',
    '',
    'example.com@evil.org',
    'evil.org#example.com',
    'evil.org/.example.com',
  ]) {
    assert.not.ok(covers(list, host), host);
  }
});
