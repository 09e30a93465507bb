// Masking of secret values in text: in every form that a URL gives them, and where secrets overlap.
import * as assert from 'uvu/assert';
import { masked } from '../../src/api/bql/run/mask.ts';
import { suite } from '../support/suite.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('masks of secrets');

test('masks every form in which a URL encodes a secret', () => {
  const secret = "a b{c|d^e'f&é#?/%";
  const address = new URL('http://site.example/');
  address.pathname = `/${secret}`;
  address.search = secret;
  address.hash = secret;
  const texts = [
    secret,
    `x=${encodeURIComponent(secret)}&y`,
    encodeURI(secret),
    String(new URLSearchParams({ p: secret })),
    address.pathname,
    address.search,
    address.hash,
  ];
  for (const text of texts) {
    const left = masked(text, new Set([secret]));
    assert.match(left, '***');
    assert.not.match(left, /[{|^bcdef]/, `${text} became ${left}`);
  }
});

test('masks secrets that contain each other, overlap or repeat', () => {
  assert.is(masked('correct horse battery', new Set(['o', 'correct horse battery'])), '***');
  assert.is(masked('xabcdx', new Set(['abc', 'bcd'])), 'x***x');
  assert.is(masked('aaaa', new Set(['aa'])), '***');
  assert.is(masked('one two one', new Set(['one'])), '*** two ***');
  assert.is(masked('nothing of it', new Set(['secret'])), 'nothing of it');
  assert.is(masked('nothing', new Set()), 'nothing');
});

test('does not mask text from the caller, since the gaps would reveal the secret', () => {
  const guesses = '0000,1234,9999';
  assert.is(masked(`nothing fits "${guesses}"`, new Set(['1234']), [guesses]), `nothing fits "${guesses}"`);
  assert.is(masked(`1234 "${guesses}" 1234`, new Set(['1234']), [guesses]), `*** "${guesses}" ***`);
  assert.is(masked('x1234', new Set(['1234']), ['x', '1']), 'x***');
});

test('finds every occurrence, as a brute-force search does', () => {
  let seed = 7;
  const letters = (count: number) =>
    Array.from({ length: count }, () => 'ab'[(seed = (seed * 48_271) % 2_147_483_647) % 2]).join('');
  for (let turn = 0; turn < 2_000; turn++) {
    const [text, secret, sent] = [letters(24), letters(1 + (turn % 5)), letters(1 + (turn % 7))];
    const starts = (part: string) => Array.from(text, (_, at) => at).filter((at) => text.startsWith(part, at));
    const isSent = (at: number) => starts(sent).some((from) => from <= at && at + secret.length <= from + sent.length);
    const hidden = new Set(
      starts(secret)
        .filter((at) => !isSent(at))
        .flatMap((at) => Array.from(secret, (_, index) => at + index)),
    );
    const shown = Array.from(text, (letter, at) => (hidden.has(at) ? '*' : letter)).join('');
    // Adjacent secrets may be masked as one or as several.
    assert.is(masked(text, new Set([secret]), [sent]).replaceAll(/\*+/g, '*'), shown.replaceAll(/\*+/g, '*'));
  }
});

test('masks long strings of one letter quickly', () => {
  const text = 'a'.repeat(400_000);
  const began = idleNow();
  assert.is(masked(text, new Set(['a']), ['a']), text);
  assert.is(masked(text, new Set(['a'.repeat(8_000)])), '***');
  assert.is(masked(text, new Set([`${'a'.repeat(4_000)}b${'a'.repeat(4_000)}`])), text);
  // Work proportional to the product of the two lengths would take minutes.
  assert.ok(idleNow() - began < 5_000);
});
