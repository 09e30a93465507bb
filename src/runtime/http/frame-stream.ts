/** One direction of a joined WebSocket: frames are found and shown while their bytes pass on as they came. */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { type FrameHeader, opcodes, payloadOf, readHeader } from './frames.ts';

/** A text message on its way; `peek` shows its bytes as Latin-1 without decoding them. */
export interface PassingMessage {
  readonly peek: string;
  text(): string;
}

/** Longer payloads are rare: they are unmasked in memory of their own, which is given back. */
const maxScratchBytes = 65_536;

/** A frame that lies whole in memory; valid only while its handler runs. */
export class Frame implements PassingMessage {
  header: FrameHeader = { fin: true, opcode: 0, headerBytes: 0, payloadBytes: 0, masked: false };
  readonly #scratch: Buffer;
  #bytes: Buffer = Buffer.alloc(0);
  #offset = 0;
  #payload: Buffer | undefined;

  constructor(limitBytes: number) {
    this.#scratch = Buffer.allocUnsafeSlow(Math.min(limitBytes, maxScratchBytes));
  }

  at(bytes: Buffer, offset: number, header: FrameHeader): this {
    this.#bytes = bytes;
    this.#offset = offset;
    this.header = header;
    this.#payload = undefined;
    return this;
  }

  payload(): Buffer {
    const { payloadBytes } = this.header;
    const scratch = payloadBytes <= this.#scratch.length ? this.#scratch : Buffer.allocUnsafe(payloadBytes);
    return (this.#payload ??= payloadOf(this.#bytes, this.#offset, this.header, scratch));
  }

  get peek(): string {
    return this.payload().toString('latin1');
  }

  text(): string {
    return this.payload().toString('utf8');
  }
}

/** All streams look at one frame at a time and none keeps it: one scratch buffer for each limit serves them all. */
const frames = new Map<number, Frame>();

function frameOf(limitBytes: number): Frame {
  let frame = frames.get(limitBytes);
  if (!frame) frames.set(limitBytes, (frame = new Frame(limitBytes)));
  return frame;
}

/** One direction: finds the borders of frames, shows the small ones, and writes everything else on as it came. */
export class FrameStream {
  /** While false, frames pass without being held until they are whole. */
  looking = false;
  readonly #target: Socket;
  readonly #limit: number;
  readonly #onFrame: (frame: Frame) => boolean;
  readonly #onUnseen: (() => boolean) | undefined;
  readonly #waiting: (() => void)[] = [];
  /** Begin of a frame that has not arrived whole; not written on yet. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Bytes of that frame, as far as its header tells. */
  #wantedBytes = 0;
  /** True once nothing more is written on. */
  #stopped = false;
  /** Bytes of the frame that is being written on. */
  #skip = 0;
  /** True between the first and the last frame of a message in pieces. */
  #inPieces = false;

  /**
   * @param limit longest payload that is shown, in bytes
   * @param onFrame false keeps the frame back
   * @param onUnseen asked before a frame of a message is written on that is too long to be shown; false ends the stream
   */
  constructor(target: Socket, limit: number, onFrame: (frame: Frame) => boolean, onUnseen?: () => boolean) {
    this.#target = target;
    this.#limit = limit;
    this.#onFrame = onFrame;
    this.#onUnseen = onUnseen;
  }

  /** Writes a whole frame where it does not tear a message apart. */
  insert(frame: Buffer): void {
    this.whenBetween(() => this.#target.write(frame));
  }

  /** Calls back when the last message is out: now, or after the one that is on its way. */
  whenBetween(callback: () => void): void {
    if (this.#skip === 0 && !this.#inPieces) callback();
    else this.#waiting.push(callback);
  }

  /** False when the target's buffer is full. */
  feed(chunk: Buffer): boolean {
    if (this.#stopped) return true;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    // A long frame comes in many chunks: they are joined once.
    if (this.#heldBytes < this.#wantedBytes) return true;
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held);
    this.#hold(undefined, 0);
    let written = true;
    let from = 0;
    let at = 0;
    const flush = () => {
      if (at > from) written = this.#target.write(bytes.subarray(from, at)) && written;
      from = at;
    };
    for (;;) {
      const step = Math.min(this.#skip, bytes.length - at);
      at += step;
      this.#skip -= step;
      if (this.#skip > 0) break;
      if (this.#waiting.length > 0 && !this.#inPieces) {
        flush();
        for (const callback of this.#waiting.splice(0)) callback();
      }
      if (at >= bytes.length) break;
      const header = readHeader(bytes, at);
      if (!header) {
        flush();
        this.#hold(bytes.subarray(at), 0);
        return written;
      }
      const size = header.headerBytes + header.payloadBytes;
      const control = header.opcode >= opcodes.close;
      if ((this.looking || control) && header.payloadBytes <= this.#limit) {
        if (at + size > bytes.length) {
          flush();
          this.#hold(bytes.subarray(at), size);
          return written;
        }
        if (!this.#onFrame(frameOf(this.#limit).at(bytes, at, header))) {
          flush();
          at += size;
          from = at;
          continue;
        }
      } else if (this.looking && this.#onUnseen?.() === false) {
        flush();
        this.#stopped = true;
        return written;
      }
      if (!control) this.#inPieces = !header.fin;
      this.#skip = size;
    }
    flush();
    return written;
  }

  #hold(rest: Buffer | undefined, wantedBytes: number): void {
    this.#held = rest === undefined ? [] : [rest];
    this.#heldBytes = rest?.length ?? 0;
    this.#wantedBytes = wantedBytes;
  }
}
