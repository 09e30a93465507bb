/**
 * Converts bytes to Base64 or hexadecimal text, decodes Base64, and reads response bodies as text.
 * `Uint8Array.fromBase64` and related methods need Node 25; these functions run on Node 24 at the same cost.
 */
import { Buffer } from 'node:buffer';

/**
 * Decodes Base64 (RFC 4648 section 4): skips whitespace, accepts missing padding.
 * @throws DOMException InvalidCharacterError for anything else
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let bytes = Buffer.from(text, 'base64');
  // Buffer is five times as fast as atob, but skips invalid characters and accepts the URL-safe alphabet.
  const canonical = text.length % 4 === 0 && bytes.length === Buffer.byteLength(text, 'base64') && !/[-_]/.test(text);
  if (!canonical) bytes = Buffer.from(atob(text), 'latin1');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Encodes bytes as padded Base64 (RFC 4648 section 4). */
export function toBase64(bytes: Uint8Array): string {
  return view(bytes).toString('base64');
}

/** Encodes bytes as URL-safe Base64, without padding (RFC 4648 section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return view(bytes).toString('base64url');
}

/**
 * Creates an id that also acts as a key: 144 random bits cannot be guessed, and 18 bytes of base64url need no padding.
 */
export function makeKey(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(18)));
}

/** Converts each byte to a character from U+0000 to U+00FF. */
export function toBinaryText(bytes: Uint8Array): string {
  return view(bytes).toString('latin1');
}

/** Encodes each byte as two lowercase hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return view(bytes).toString('hex');
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Reads a body as UTF-8 text. Leaving the loop early cancels the rest.
 * @throws the error that `tooLong` creates when the body has more bytes
 */
export async function readLimitedText(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  tooLong: () => Error,
): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
