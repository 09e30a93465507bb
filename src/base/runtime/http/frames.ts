/** Reads and writes WebSocket frames (RFC 6455 section 5). Unmasked payloads are read without a copy. */
import { Buffer } from 'node:buffer';
import { nextTurn } from '../deadline.ts';

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface FrameHeader {
  /** True for the last frame of a message. */
  fin: boolean;
  opcode: number;
  /** Bytes of the header, including its mask. */
  headerBytes: number;
  payloadBytes: number;
  /** True for frames from clients. */
  masked: boolean;
}

/** Reads the header at an offset; undefined while it is incomplete. */
export function readHeader(bytes: Buffer, offset: number): FrameHeader | undefined {
  if (bytes.length < offset + 2) return undefined;
  const first = bytes[offset] ?? 0;
  const second = bytes[offset + 1] ?? 0;
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const masked = (second & 0x80) !== 0;
  const headerBytes = 2 + lengthBytes + (masked ? 4 : 0);
  if (bytes.length < offset + headerBytes) return undefined;
  const payloadBytes =
    lengthBytes === 0
      ? short
      : lengthBytes === 2
        ? bytes.readUInt16BE(offset + 2)
        : // No message comes near 2^53 bytes: a larger size means a broken peer, which the browser will refuse.
          bytes.readUInt32BE(offset + 2) * 2 ** 32 + bytes.readUInt32BE(offset + 6);
  return { fin: (first & 0x80) !== 0, opcode: first & 0x0f, headerBytes, payloadBytes, masked };
}

/** The payload of a complete frame: a view of the bytes when unmasked, otherwise unmasked into `scratch`. */
export function payloadOf(bytes: Buffer, offset: number, header: FrameHeader, scratch: Buffer): Buffer {
  const start = offset + header.headerBytes;
  const end = start + header.payloadBytes;
  if (!header.masked) return bytes.subarray(start, end);
  unmask(bytes.subarray(start - 4, start), bytes.subarray(start, end), scratch);
  return scratch.subarray(0, header.payloadBytes);
}

/** How much of a payload is unmasked in one turn of the event loop: a few milliseconds. A multiple of four. */
const bytesPerTurn = 4_000_000;

/**
 * Like `payloadOf`, for a long payload: unmasks it in place, in turns of the event loop. Its frame must not be
 * forwarded.
 */
export async function payloadInTurns(bytes: Buffer, offset: number, header: FrameHeader): Promise<Buffer> {
  const start = offset + header.headerBytes;
  const payload = bytes.subarray(start, start + header.payloadBytes);
  if (!header.masked) return payload;
  const mask = bytes.subarray(start - 4, start);
  for (let at = 0; at < payload.length; at += bytesPerTurn) {
    await nextTurn();
    const part = payload.subarray(at, at + bytesPerTurn);
    unmask(mask, part, part);
  }
  return payload;
}

function unmask([m0 = 0, m1 = 0, m2 = 0, m3 = 0]: Buffer, from: Buffer, to: Buffer): void {
  const { length } = from;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    to[i] = (from[i] ?? 0) ^ m0;
    to[i + 1] = (from[i + 1] ?? 0) ^ m1;
    to[i + 2] = (from[i + 2] ?? 0) ^ m2;
    to[i + 3] = (from[i + 3] ?? 0) ^ m3;
  }
  const mask = [m0, m1, m2, m3];
  for (; i < length; i++) to[i] = (from[i] ?? 0) ^ (mask[i & 3] ?? 0);
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

/**
 * Encodes a message as one frame.
 * @param masked true for frames to a server: the mask is all zeros, which servers accept and which costs nothing
 */
export function encodeFrame(opcode: number, payload: Buffer, masked: boolean): Buffer {
  const header = masked ? encodeMaskedHeader(opcode, payload.length) : encodeHeader(opcode, payload.length);
  return Buffer.concat([header, payload]);
}

/** Encodes the header of a frame to a server that is a whole message. The mask is all zeros. */
export function encodeMaskedHeader(opcode: number, length: number): Buffer {
  const header = encodeHeader(opcode, length);
  header[1] = (header[1] ?? 0) | 0x80;
  return Buffer.concat([header, Buffer.alloc(4)]);
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
export function encodeClose(code: number, reason: string, masked: boolean): Buffer {
  const text = closeReasonBytes(reason);
  const payload = Buffer.alloc(2 + text.length);
  payload.writeUInt16BE(code, 0);
  text.copy(payload, 2);
  return encodeFrame(opcodes.close, payload, masked);
}
