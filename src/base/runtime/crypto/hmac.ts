/** HMAC with SHA-256 (RFC 2104) without a promise, which the function of the Web has. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** In hexadecimal. */
export function hmacOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Whether it is the HMAC of the text; takes as long for one that nearly is as for any other of its length. */
export function isHmacOf(secret: string, text: string, hmac: string): boolean {
  const [right, given] = [hmacOf(secret, text), hmac].map((each) => new TextEncoder().encode(each));
  return right !== undefined && given?.length === right.length && timingSafeEqual(right, given);
}
