// Defines the body of the routes that run code: JSON, or JavaScript, which becomes the `code` field
// (compatibility.mdx#code-in-requests).

import * as v from 'valibot';
import { fromBase64 } from '../../runtime/bytes.ts';
import { mapOf } from './primitives.ts';

/**
 * Decodes code sent as base64, which avoids escapes. Returns the text unchanged when it contains other characters or
 * does not decode to UTF-8.
 */
function decoded(text: string): string {
  const packed = text.replace(/\s/g, '');
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(packed));
  } catch {
    return text;
  }
}

export const codeBody = v.strictObject({
  code: v.pipe(
    v.string(),
    v.check(
      (text) => text.trim() !== '',
      'must not be empty; expected export default async function ({ page, context }) { … }',
    ),
    v.transform(decoded),
    v.description('An ES module whose default export is a function; may be base64-encoded.'),
  ),
  context: v.optional(v.pipe(mapOf(v.unknown()), v.description('Passed to the function as `context`.')), {}),
});

export type CodeBody = v.InferOutput<typeof codeBody>;
