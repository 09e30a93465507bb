/** SHA-256 without a promise, which the function of the Web has. */
import { createHash } from 'node:crypto';

/** The 32 bytes of the hash of a text's UTF-8. */
export function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
