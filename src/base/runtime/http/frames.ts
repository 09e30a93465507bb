/** Reads and writes the WebSocket frames of servers (RFC 6455 section 5), which are not masked. */
import { Buffer } from 'node:buffer';

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface FrameHeader {
  /** True for the last frame of a message. */
  fin: boolean;
  opcode: number;
  headerBytes: number;
  payloadBytes: number;
}

/** Reads the header at an offset; undefined while it is incomplete. */
export function readHeader(bytes: Buffer, offset: number): FrameHeader | undefined {
  if (bytes.length < offset + 2) return undefined;
  const first = bytes[offset] ?? 0;
  const short = (bytes[offset + 1] ?? 0) & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const headerBytes = 2 + lengthBytes;
  if (bytes.length < offset + headerBytes) return undefined;
  const payloadBytes =
    lengthBytes === 0
      ? short
      : lengthBytes === 2
        ? bytes.readUInt16BE(offset + 2)
        : // No message comes near 2^53 bytes: a larger size means a broken peer, which the browser will refuse.
          bytes.readUInt32BE(offset + 2) * 2 ** 32 + bytes.readUInt32BE(offset + 6);
  return { fin: (first & 0x80) !== 0, opcode: first & 0x0f, headerBytes, payloadBytes };
}

/**
 * Encodes the header of an unmasked frame that is a whole message.
 * @param length length of the payload in bytes
 */
export function encodeHeader(opcode: number, length: number): Buffer {
  const lengthBytes = length < 126 ? 0 : length < 0x1_0000 ? 2 : 8;
  const header = Buffer.alloc(2 + lengthBytes);
  header[0] = 0x80 | opcode;
  header[1] = lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127;
  if (lengthBytes === 2) header.writeUInt16BE(length, 2);
  if (lengthBytes === 8) {
    header.writeUInt32BE(Math.floor(length / 2 ** 32), 2);
    header.writeUInt32BE(length % 2 ** 32, 6);
  }
  return header;
}

/** Encodes a message as one unmasked frame. */
export function encodeFrame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([encodeHeader(opcode, payload.length), payload]);
}

const ellipsis = Buffer.of(0xe2, 0x80, 0xa6); // U+2026 in UTF-8

/** The longest reason that fits into a close frame, in bytes (RFC 6455 section 5.5). */
const maxReasonBytes = 123;

/** The reason of a close frame in UTF-8, truncated between two characters when it is too long. */
function closeReasonBytes(reason: string): Buffer {
  const text = Buffer.from(reason);
  if (text.length <= maxReasonBytes) return text;
  let end = maxReasonBytes - ellipsis.length;
  while (((text[end] ?? 0) & 0xc0) === 0x80) end--;
  return Buffer.concat([text.subarray(0, end), ellipsis]);
}

/**
 * Words the reason of a close frame as clients expect: Playwright shows it as its error, and code that retries looks
 * for "has been closed" (compatibility.mdx#close-codes).
 */
export function closedBecause(what: 'browser' | 'connection', why: string): string {
  return `The ${what} has been closed: ${why}`;
}

/** Encodes a close frame with code and reason. */
export function encodeClose(code: number, reason: string): Buffer {
  const text = closeReasonBytes(reason);
  const payload = Buffer.alloc(2 + text.length);
  payload.writeUInt16BE(code, 0);
  text.copy(payload, 2);
  return encodeFrame(opcodes.close, payload);
}
