/**
 * Queues WebSocket messages for a client: each is sent as one frame, in small parts, so that a client that reads
 * nothing can be distinguished from one that reads slowly.
 */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { now } from '../machine.ts';
import { encodeClose, encodeHeader, opcodes } from './frames.ts';
import type { UnreadBytes } from './unread-bytes.ts';

export interface OutboxLimits {
  /** A client with more unread bytes than this, not counting one message, is too slow when another message is sent. */
  unreadBytes: number;
  /** Time in milliseconds after which a client that reads nothing is too slow. */
  standstillMs: number;
  /** Counts the unread bytes of all connections together. */
  unread: UnreadBytes;
}

const partBytes = 2 ** 18;
/**
 * Bytes handed to the socket at a time: enough for the fastest client, few enough to notice whether the client reads.
 */
const windowBytes = 2 ** 20;
/** `drained` waits while more bytes than this are queued. */
const enoughBytes = 2 ** 20;
/** A message up to this length is copied after its header: one write costs less than two. */
const copiedBytes = 4_096;

interface QueuedFrame {
  /** Parts that have not been written yet. */
  pieces: Buffer[];
  /** Bytes that the client has not taken yet. */
  untaken: number;
}

export class FrameOutbox {
  readonly #socket: Socket;
  readonly #limits: OutboxLimits;
  readonly #tooSlow: () => void;
  /**
   * Frames that are not completely written, in order. Sets, because taking the first entry of a long array copies the
   * array.
   */
  readonly #queue = new Set<QueuedFrame>();
  /** Frames that the client has not completely taken, in order. */
  readonly #untaken = new Set<QueuedFrame>();
  /** The ping or pong that the client has not taken yet, and the latest one after it. */
  #control: Buffer | undefined;
  #nextControl: Buffer | undefined;
  readonly #watch: ReturnType<typeof setInterval>;
  #drained: (() => void)[] = [];
  /** True while a frame is partly written: nothing may be written between its chunks. */
  #inFrame = false;
  #waitingBytes = 0;
  #writtenBytes = 0;
  #takenAt = 0;
  /** True once no further frames may be queued. */
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
   * @param parts the bytes of the message, in order
   * @param opcode opcode of a text message, whose bytes are UTF-8, or of a binary message. Default text.
   */
  send(parts: readonly Buffer[], opcode: number = opcodes.text): void {
    if (this.#closing) return;
    if (this.#waitingBytes > this.#limits.unreadBytes && this.#hasTooMuch()) return this.#tooSlow();
    const length = bytesOf(parts);
    const header = encodeHeader(opcode, length);
    this.#add(length <= copiedBytes ? [Buffer.concat([header, ...parts])] : [header, ...parts]);
  }

  /**
   * Sends a ping or pong between two messages. While the client has not taken one, only the latest of the following
   * ones is kept: a client may send any number of pings and read no pong.
   */
  control(opcode: number, payload: Buffer): void {
    if (this.#closing) return;
    const frame = Buffer.concat([encodeHeader(opcode, payload.length), payload]);
    if (this.#control) this.#nextControl = frame;
    else this.#add([(this.#control = frame)]);
  }

  /**
   * Sends a close frame and nothing after it, then ends the server's side of the connection.
   * @param drop true to discard waiting messages; the one in transit is completed
   */
  close(code: number, reason: string, drop: boolean): void {
    if (this.#closing) return;
    this.#closing = true;
    if (drop) this.#dropWaiting();
    this.#add([encodeClose(code, reason)]);
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
    const queued = { pieces: frame, untaken: bytes };
    this.#untaken.add(queued);
    this.#queue.add(queued);
    this.#write();
  }

  /** Writes as many chunks to the socket as the window allows. */
  #write(): void {
    if (this.#queue.size === 0 || this.#writtenBytes >= windowBytes) return;
    this.#cork();
    for (const frame of this.#queue) {
      while (frame.pieces.length > 0 && this.#writtenBytes < windowBytes) {
        const piece = this.#nextPiece(frame.pieces);
        this.#writtenBytes += piece.length;
        this.#socket.write(piece, () => this.#taken(piece));
      }
      this.#inFrame = frame.pieces.length > 0;
      if (this.#inFrame) break;
      this.#queue.delete(frame);
      if (this.#writtenBytes >= windowBytes) break;
    }
    if (this.#closing && this.#queue.size === 0) this.#socket.end();
  }

  /** Sends everything that is written in this tick together: a browser reports several things at the same time. */
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

  #taken(piece: Buffer): void {
    if (this.#ended) return;
    this.#writtenBytes -= piece.length;
    // A chunk belongs to one frame, the first that is not completely taken.
    const [first] = this.#untaken;
    if (first && (first.untaken -= piece.length) <= 0) this.#untaken.delete(first);
    this.#takenAt = now();
    this.#count(-piece.length);
    if (piece === this.#control) {
      [this.#control, this.#nextControl] = [this.#nextControl, undefined];
      if (this.#control && !this.#closing) this.#add([this.#control]);
    }
    if (this.#waitingBytes <= enoughBytes) for (const resolve of this.#drained.splice(0)) resolve();
    this.#write();
  }

  /** Whether too much is unread. The longest message does not count: a client may need some time for it. */
  #hasTooMuch(): boolean {
    let longest = 0;
    for (const { untaken } of this.#untaken) longest = Math.max(longest, untaken);
    return this.#waitingBytes - longest > this.#limits.unreadBytes;
  }

  #dropWaiting(): void {
    for (const frame of [...this.#queue].slice(this.#inFrame ? 1 : 0)) {
      this.#queue.delete(frame);
      this.#untaken.delete(frame);
      this.#count(-frame.untaken);
    }
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
    this.#queue.clear();
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

function bytesOf(pieces: readonly Buffer[]): number {
  let bytes = 0;
  for (const piece of pieces) bytes += piece.length;
  return bytes;
}
