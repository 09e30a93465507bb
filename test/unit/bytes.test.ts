// Base64 and hexadecimal encoding, as strict as the Uint8Array methods of newer runtimes.
// @runs newest
import * as assert from 'uvu/assert';
import { fromBase64, toBase64, toHex } from '../../src/base/runtime/bytes.ts';
import { suite } from '../support/suite.ts';

const test = suite('bytes');

test('bytes of any length survive a round trip', () => {
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) % 256);
    const text = toBase64(bytes);
    assert.equal(fromBase64(text), bytes);
    assert.equal(fromBase64(text.replace(/=+$/, '')), bytes, 'padding is optional');
    assert.equal(fromBase64(`\n${text.slice(0, 5)} \t${text.slice(5)}`), bytes, 'whitespace is skipped');
    assert.is(text, btoa(String.fromCharCode(...bytes)));
  }
});

test('invalid Base64 is rejected', () => {
  for (const text of ['a', 'ab=c', 'a-b_', 'YQ=', 'YQ===', 'Y*==', 'äöüß', '=', 'YWJj-w==']) {
    assert.throws(
      () => fromBase64(text),
      ({ name }: Error) => name === 'InvalidCharacterError',
      text,
    );
  }
});

test('a subarray is encoded without the rest of its buffer', () => {
  const part = new Uint8Array([1, 2, 254, 255, 5]).subarray(1, 4);
  assert.is(toHex(part), '02feff');
  assert.is(toBase64(part), 'Av7/');
});
