/** Forwards one direction of a joined WebSocket byte for byte and shows its frames to a handler. */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { type FrameHeader, opcodes, payloadInTurns, payloadOf, readHeader } from './frames.ts';

/** A text message in transit; `peek` returns its bytes as Latin-1, without decoding UTF-8. */
export interface PassingMessage {
  readonly peek: string;
  text(): string;
  /** Length of its UTF-8 text in bytes. */
  readonly length: number;
  /**
   * Reads a long message in several turns of the event loop; its handler must drop the message. The bytes stay valid.
   */
  payloadInTurns(): Promise<Buffer>;
}

/** Longer payloads are rare: each is unmasked in a separate buffer, which is freed afterward. */
const maxScratchBytes = 65_536;

/** A complete frame; valid only while its handler runs. */
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

  get length(): number {
    return this.header.payloadBytes;
  }

  payloadInTurns(): Promise<Buffer> {
    return payloadInTurns(this.#bytes, this.#offset, this.header);
  }

  get peek(): string {
    return this.payload().toString('latin1');
  }

  text(): string {
    return this.payload().toString('utf8');
  }
}

/**
 * All streams with the same limit share one Frame and its scratch buffer: each shows one frame at a time and keeps
 * none.
 */
const frames = new Map<number, Frame>();

function frameOf(limitBytes: number): Frame {
  let frame = frames.get(limitBytes);
  if (!frame) frames.set(limitBytes, (frame = new Frame(limitBytes)));
  return frame;
}

/** Finds the frames in one direction, shows small ones to the handler, and forwards the bytes unchanged. */
export class FrameStream {
  /** While false, only control frames are buffered until they are complete and shown. */
  looking = false;
  readonly #target: Socket;
  readonly #limit: number;
  readonly #onFrame: (frame: Frame) => boolean;
  readonly #onUnseen: (() => boolean) | undefined;
  readonly #waiting: (() => void)[] = [];
  /** Start of a frame whose header is incomplete, not forwarded yet. */
  #head: Buffer | undefined;
  /** An incomplete frame, filled up to `#heldBytes`, not forwarded yet. */
  #frame: Buffer | undefined;
  #heldBytes = 0;
  /** True once nothing more is forwarded. */
  #stopped = false;
  /** Bytes still to forward of the current frame. */
  #skip = 0;
  /** True between the first and the last frame of a fragmented message. */
  #inPieces = false;

  /**
   * @param limit longest payload that is shown, in bytes
   * @param onFrame returns false to drop the frame
   * @param onUnseen called before a frame that is too long to show is forwarded; false ends the stream
   */
  constructor(target: Socket, limit: number, onFrame: (frame: Frame) => boolean, onUnseen?: () => boolean) {
    this.#target = target;
    this.#limit = limit;
    this.#onFrame = onFrame;
    this.#onUnseen = onUnseen;
  }

  /** Writes a frame, in one or more chunks, between two messages, never inside one. */
  insert(...pieces: Uint8Array[]): void {
    this.whenBetween(() => {
      for (const piece of pieces) this.#target.write(piece);
    });
  }

  /** Calls back between two messages: now, or after the message in transit. */
  whenBetween(callback: () => void): void {
    if (this.#skip === 0 && !this.#inPieces) callback();
    else this.#waiting.push(callback);
  }

  /** Forwards a chunk. @returns false when the target's buffer is full */
  feed(chunk: Buffer): boolean {
    if (this.#stopped) return true;
    const frame = this.#frame;
    if (!frame) {
      const bytes = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
      this.#head = undefined;
      return this.#pass(bytes);
    }
    // A long frame arrives in many chunks: copying all of them at the end would take a long time.
    const taken = chunk.copy(frame, this.#heldBytes);
    this.#heldBytes += taken;
    if (this.#heldBytes < frame.length) return true;
    this.#frame = undefined;
    const written = this.#pass(frame);
    return taken === chunk.length ? written : this.feed(chunk.subarray(taken)) && written;
  }

  #pass(bytes: Buffer): boolean {
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
        this.#head = bytes.subarray(at);
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

  /** Buffers the start of a frame of this size. */
  #hold(beginning: Buffer, frameBytes: number): void {
    this.#frame = Buffer.allocUnsafe(frameBytes);
    this.#heldBytes = beginning.copy(this.#frame);
  }
}
