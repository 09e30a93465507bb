/** Expressions of strangers: they match as RegExp does, and end when RegExp would not. */
import * as assert from 'uvu/assert';
import { limitedPattern } from '../../src/runtime/pattern.ts';
import { suite } from '../support/suite.ts';

const test = suite('patterns');

test('match as RegExp does', () => {
  for (const [source, text, found] of [
    ['\\.png$', 'http://a/b.png', true],
    ['\\.png$', 'http://a/b.png?x', false],
    ['^https?://[^/]+/a.*b+c', 'http://host/axxbbc', true],
    ['(?<=q=)\\d+', '/?q=12', true],
    ['.*', '', true],
  ] as const) {
    assert.is(limitedPattern(source).test(text), found, source);
  }
});

test('a pattern that would never end is taken to match, at once from the second time on', () => {
  const evil = limitedPattern('(a+)+$');
  const text = `${'a'.repeat(60)}!`;
  assert.is(evil.test(text), true);
  const began = performance.now();
  assert.is(evil.test(text), true);
  assert.ok(performance.now() - began < 100);
});

test('what is no expression is a SyntaxError', () => {
  assert.throws(
    () => limitedPattern('('),
    (error: unknown) => error instanceof SyntaxError,
  );
});
