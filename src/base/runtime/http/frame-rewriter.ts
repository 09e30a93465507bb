/** Forwards one direction of a WebSocket and can replace its text messages. */
import { Buffer } from 'node:buffer';
import { encodeFrame, opcodes, readHeader } from './frames.ts';
import type { Socket } from '../tcp.ts';

/** Longer payloads are forwarded without being read. */
const maxReadBytes = 65_536;

/**
 * Copies frames from server to client. The handshake response and long or fragmented messages are forwarded unchanged.
 * @param rewrite returns the replacement of a text message, or undefined to keep it
 */
export function rewriteServerMessages(from: Socket, to: Socket, rewrite: (text: string) => string | undefined): void {
  let pending: Buffer = Buffer.alloc(0);
  let upgraded = false;
  /** Remaining bytes of a frame that is forwarded without being read. */
  let passing = 0;
  const take = (count: number): Buffer => {
    const taken = pending.subarray(0, count);
    pending = pending.subarray(count);
    return taken;
  };
  const nextPiece = (): Buffer | undefined => {
    if (pending.length === 0) return undefined;
    if (!upgraded) {
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return undefined;
      upgraded = true;
      return take(end + 4);
    }
    if (passing > 0) {
      const piece = take(passing);
      passing -= piece.length;
      return piece;
    }
    const header = readHeader(pending, 0);
    if (!header) return undefined;
    const whole = header.headerBytes + header.payloadBytes;
    if (!header.fin || header.opcode !== opcodes.text || header.payloadBytes > maxReadBytes) {
      passing = whole;
      return Buffer.alloc(0);
    }
    if (pending.length < whole) return undefined;
    const frame = take(whole);
    const replacement = rewrite(frame.subarray(header.headerBytes).toString());
    return replacement === undefined ? frame : encodeFrame(opcodes.text, Buffer.from(replacement));
  };
  from.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let piece = nextPiece(); piece !== undefined; piece = nextPiece()) {
      if (piece.length > 0 && !to.write(piece)) from.pause();
    }
  });
  to.on('drain', () => from.resume());
  from.once('close', () => to.destroy());
  to.once('close', () => from.destroy());
  from.on('error', () => to.destroy());
  to.on('error', () => from.destroy());
}
