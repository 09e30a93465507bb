/**
 * Counts the values of JSON text before it is parsed. One string of many megabytes is parsed in milliseconds, but a
 * million small values are not, and validating them takes longer still.
 */
import { jsonLimits } from '../limits.ts';

/** JSON that is nested too deep or has too many values; the message is the end of a sentence about it. */
export class JsonTooLarge extends Error {
  override readonly name = 'JsonTooLarge';
}

/** @throws JsonTooLarge beyond `jsonLimits`, SyntaxError for invalid JSON */
export function parseJson(text: string): unknown {
  checkJson(new TextEncoder().encode(text));
  return JSON.parse(text);
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Counts the values and member names of JSON text, in one pass over its UTF-8 bytes: about half a nanosecond for each.
 * @param most values and names that are allowed
 * @returns their number, without the outermost value; an empty list or object counts one more
 * @throws JsonTooLarge
 */
export function checkJson(bytes: Uint8Array, most: number = jsonLimits.values): number {
  const { length } = bytes;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < length; at++) {
    switch (bytes[at]) {
      case quote:
        at++;
        while (at < length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > jsonLimits.depth) {
          throw new JsonTooLarge(`is nested deeper than ${jsonLimits.depth} levels; flatten it`);
        }
        values++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x2c: // ,
      case 0x3a: // :
        values++;
    }
    if (values > most) {
      throw new JsonTooLarge(
        `holds more than ${jsonLimits.values} values and names; send fewer, or a long list as one text`,
      );
    }
  }
  return values;
}
