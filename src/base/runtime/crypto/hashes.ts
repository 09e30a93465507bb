/** Computes SHA-256 and HMAC-SHA-256 (RFC 2104) synchronously, unlike Web Crypto. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The 32-byte hash of a string in UTF-8. */
export function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** The HMAC in hexadecimal. */
export function hmacOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Compares in constant time. */
export function isHmacOf(secret: string, text: string, hmac: string): boolean {
  const [right, given] = [hmacOf(secret, text), hmac].map((each) => new TextEncoder().encode(each));
  return right !== undefined && given?.length === right.length && timingSafeEqual(right, given);
}
