// Texts without the values of secrets: in every form of an address, and where secrets overlap.
import * as assert from 'uvu/assert';
import { masked } from '../../src/bql/run/mask.ts';
import { suite } from '../support/suite.ts';

const test = suite('masks of secrets');

test('every form in which an address writes a secret', () => {
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

test('one secret does not uncover another: they may lie in each other, overlap, and repeat', () => {
  assert.is(masked('correct horse battery', new Set(['o', 'correct horse battery'])), '***');
  assert.is(masked('xabcdx', new Set(['abc', 'bcd'])), 'x***x');
  assert.is(masked('aaaa', new Set(['aa'])), '***');
  assert.is(masked('one two one', new Set(['one'])), '*** two ***');
  assert.is(masked('nothing of it', new Set(['secret'])), 'nothing of it');
  assert.is(masked('nothing', new Set()), 'nothing');
});

test('what the caller has sent stays: what were taken out of it would tell the secret', () => {
  const guesses = '0000,1234,9999';
  assert.is(masked(`nothing fits "${guesses}"`, new Set(['1234']), [guesses]), `nothing fits "${guesses}"`);
  assert.is(masked(`1234 "${guesses}" 1234`, new Set(['1234']), [guesses]), `*** "${guesses}" ***`);
  assert.is(masked('x1234', new Set(['1234']), ['x', '1']), 'x***');
});
