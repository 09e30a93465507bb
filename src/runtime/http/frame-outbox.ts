/**
 * Queues WebSocket messages for a client: each leaves as one frame, in small parts, so that a client that reads nothing
 * is told from one that reads slowly.
 */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { now } from '../machine.ts';
import { encodeClose, encodeHeader, opcodes } from './frames.ts';
import type { UnreadBytes } from './unread-bytes.ts';

export interface OutboxLimits {
  /** A client with more unread bytes than this, beside one message, is too slow when another comes. */
  unreadBytes: number;
  /** A client that takes no byte for this time is too slow, in milliseconds. */
  standstillMs: number;
  /** Counts the unread bytes of all connections together. */
  unread: UnreadBytes;
}

const partBytes = 2 ** 18;
/** Bytes that the socket gets at a time: enough for the fastest client, few enough to see that one reads. */
const windowBytes = 2 ** 20;
/** `drained` waits while more bytes than this are queued. */
const enoughBytes = 2 ** 20;
/** A message up to this length is copied behind its header: one write costs less than two. */
const copiedBytes = 4_096;

export class FrameOutbox {
  readonly #socket: Socket;
  readonly #limits: OutboxLimits;
  readonly #tooSlow: () => void;
  /** Whole frames in order, each as the pieces that are not written yet. */
  readonly #queue: Buffer[][] = [];
  readonly #watch: ReturnType<typeof setInterval>;
  #drained: (() => void)[] = [];
  /** True while a frame is written in part: nothing may come between its pieces. */
  #inFrame = false;
  /** Bytes that the client has not taken yet, of each frame. */
  readonly #untaken: number[] = [];
  #waitingBytes = 0;
  #writtenBytes = 0;
  #takenAt = 0;
  /** True once nothing more is queued. */
  #closing = false;
  #ended = false;

  /** @param tooSlow called when the client does not read; it closes the connection */
  constructor(socket: Socket, limits: OutboxLimits, tooSlow: () => void) {
    this.#socket = socket;
    this.#limits = limits;
    this.#tooSlow = tooSlow;
    this.#watch = setInterval(
      () => {
        if (this.#waitingBytes > 0 && now() - this.#takenAt >= limits.standstillMs) this.#tooSlow();
      },
      Math.max(20, Math.min(limits.standstillMs / 6, 3_000)),
    );
    socket.once('close', () => this.#end());
  }

  /** Bytes that the client has not taken yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /**
   * Sends a message.
   * @param parts its bytes, in order
   * @param opcode of a text, whose bytes are UTF-8, or of a binary message. Default text.
   */
  send(parts: readonly Buffer[], opcode: number = opcodes.text): void {
    if (this.#closing) return;
    if (this.#waitingBytes > this.#limits.unreadBytes && this.#hasTooMuch()) return this.#tooSlow();
    const length = bytesOf(parts);
    const header = encodeHeader(opcode, length);
    this.#add(length <= copiedBytes ? [Buffer.concat([header, ...parts])] : [header, ...parts]);
  }

  /** Sends a ping or pong, between two messages. */
  control(opcode: number, payload: Buffer): void {
    if (!this.#closing) this.#add([Buffer.concat([encodeHeader(opcode, payload.length), payload])]);
  }

  /**
   * Sends a close frame, and nothing after it: then the server's side of the connection ends.
   * @param drop true to leave out the messages that wait; the one in transit goes on to its end
   */
  close(code: number, reason: string, drop: boolean): void {
    if (this.#closing) return;
    this.#closing = true;
    if (drop) this.#dropWaiting();
    this.#add([encodeClose(code, reason, false)]);
  }

  /** Resolves when at most 1 MiB is queued, or the connection has ended. */
  drained(): Promise<void> {
    if (this.#ended || this.#waitingBytes <= enoughBytes) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #add(frame: Buffer[]): void {
    const bytes = bytesOf(frame);
    if (this.#waitingBytes === 0) this.#takenAt = now();
    this.#count(bytes);
    this.#untaken.push(bytes);
    this.#queue.push(frame);
    this.#write();
  }

  /** Gives the socket as many pieces as the window holds. */
  #write(): void {
    if (this.#queue.length === 0 || this.#writtenBytes >= windowBytes) return;
    this.#cork();
    for (let frame = this.#queue[0]; frame && this.#writtenBytes < windowBytes; frame = this.#queue[0]) {
      const piece = this.#nextPiece(frame);
      this.#writtenBytes += piece.length;
      this.#socket.write(piece, () => this.#taken(piece.length));
      this.#inFrame = frame.length > 0;
      if (!this.#inFrame) this.#queue.shift();
    }
    if (this.#closing && this.#queue.length === 0) this.#socket.end();
  }

  /** Lets what is written until the end of this turn leave together: a browser tells of several things at once. */
  #cork(): void {
    if (this.#socket.writableCorked > 0) return;
    this.#socket.cork();
    queueMicrotask(() => this.#socket.uncork());
  }

  #nextPiece(frame: Buffer[]): Buffer {
    const piece = frame[0] ?? Buffer.alloc(0);
    if (piece.length <= partBytes) {
      frame.shift();
      return piece;
    }
    frame[0] = piece.subarray(partBytes);
    return piece.subarray(0, partBytes);
  }

  #taken(bytes: number): void {
    if (this.#ended) return;
    this.#writtenBytes -= bytes;
    // A piece belongs to one frame, the first that is not taken whole.
    const left = (this.#untaken[0] ?? 0) - bytes;
    if (left > 0) this.#untaken[0] = left;
    else this.#untaken.shift();
    this.#takenAt = now();
    this.#count(-bytes);
    if (this.#waitingBytes <= enoughBytes) for (const resolve of this.#drained.splice(0)) resolve();
    this.#write();
  }

  /** One message does not count, however long it is: a client may need some time for it. */
  #hasTooMuch(): boolean {
    const longest = this.#untaken.reduce((most, bytes) => Math.max(most, bytes), 0);
    return this.#waitingBytes - longest > this.#limits.unreadBytes;
  }

  #dropWaiting(): void {
    const dropped = this.#queue.splice(this.#inFrame ? 1 : 0);
    this.#untaken.length -= dropped.length;
    this.#count(-bytesOf(dropped.flat()));
  }

  #count(bytes: number): void {
    this.#waitingBytes += bytes;
    this.#limits.unread.add(bytes);
  }

  #end(): void {
    this.#closing = true;
    this.#ended = true;
    clearInterval(this.#watch);
    this.#count(-this.#waitingBytes);
    this.#queue.length = 0;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

function bytesOf(pieces: readonly Buffer[]): number {
  let bytes = 0;
  for (const piece of pieces) bytes += piece.length;
  return bytes;
}
