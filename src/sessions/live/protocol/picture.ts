/** Declares images of a watched page and encodes them as binary messages. */
import { Buffer } from 'node:buffer';
import { imageHeaderBytes } from './messages.ts';

export interface LiveFrame {
  /** Sequence number within one live view, from 1. */
  seq: number;
  format: 'jpeg' | 'png';
  /** Size of the captured viewport, in CSS pixels; the image itself may have more or fewer pixels. */
  width: number;
  height: number;
  bytes: Buffer;
}

/** Reads width and height in pixels from the header of a PNG or a JPEG; undefined for other bytes. */
export function pixelsOf(bytes: Buffer): { width: number; height: number } | undefined {
  // Signature, then the chunk IHDR (ISO 15948, section 11.2.2).
  if (bytes.length > 24 && bytes.readUInt32BE(0) === 0x89_50_4e_47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  // Segments up to the start of the frame (ISO 10918-1, section B.2.2).
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    if (marker < 0xff_c0) return undefined;
    if (marker === 0xff_c0 || marker === 0xff_c2) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
  }
  return undefined;
}

/** Returns the message that carries an image: its header (see messages.ts) and its bytes. */
export function messageOf({ seq, format, width, height, bytes }: LiveFrame): Buffer[] {
  const head = Buffer.alloc(imageHeaderBytes);
  head.writeUInt8(format === 'png' ? 1 : 0, 0);
  head.writeUInt32BE(seq, 1);
  head.writeUInt16BE(Math.min(width, 65_535), 5);
  head.writeUInt16BE(Math.min(height, 65_535), 7);
  // A monotonic clock: the viewer compares the times of images.
  head.writeUInt32BE(Math.floor(performance.timeOrigin + performance.now()) % 2 ** 32, 9);
  return [head, bytes];
}
