/**
 * Queues the text messages for the client of one WebSocket. Long ones are sent in fragments (RFC 6455 section 5.4), so
 * that a slow client shows progress and pings pass in between.
 */
import { Buffer } from 'node:buffer';
import type { WebSocket } from 'ws';
import { now } from '../machine.ts';
import type { UnreadBytes } from './unread-bytes.ts';

export interface OutboxLimits {
  /** A message ends the connection when more bytes than this wait behind the one being sent. */
  unreadBytes: number;
  /** A client that reads no byte for this time loses its connection, in milliseconds. */
  standstillMs: number;
  /** Counts the unread bytes of all connections together. */
  unread: UnreadBytes;
}

const partBytes = 2 ** 18;
/** `drained` waits while more bytes than this are queued. */
const enoughBytes = 2 ** 20;

export class TextOutbox {
  readonly #client: WebSocket;
  readonly #limits: OutboxLimits;
  readonly #tooSlow: () => void;
  readonly #queue: Buffer[] = [];
  readonly #watch: ReturnType<typeof setInterval>;
  #drained: (() => void)[] = [];
  #waitingBytes = 0;
  #takenAt = 0;
  #sending = false;
  #closed = false;

  /** @param tooSlow called when the client does not read; it closes the connection */
  constructor(client: WebSocket, limits: OutboxLimits, tooSlow: () => void) {
    this.#client = client;
    this.#limits = limits;
    this.#tooSlow = tooSlow;
    this.#watch = setInterval(
      () => {
        if (this.#waitingBytes > 0 && now() - this.#takenAt >= limits.standstillMs) this.#tooSlow();
      },
      Math.max(20, Math.min(limits.standstillMs / 6, 3_000)),
    );
    client.once('close', () => this.#close());
  }

  send(text: string): void {
    if (this.#closed) return;
    // The message being sent does not count, however long it is.
    const behind = this.#waitingBytes - (this.#queue[0]?.length ?? 0);
    if (behind > this.#limits.unreadBytes) return this.#tooSlow();
    const bytes = Buffer.from(text);
    if (this.#waitingBytes === 0) this.#takenAt = now();
    this.#count(bytes.length);
    this.#queue.push(bytes);
    if (!this.#sending) this.#next(0);
  }

  /** Resolves when at most 1 MiB is queued, or the connection has ended. */
  drained(): Promise<void> {
    if (this.#closed || this.#waitingBytes <= enoughBytes) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** Sends the next part of the first message, then those after it. */
  #next(from: number): void {
    const [message] = this.#queue;
    if (message === undefined || this.#closed) {
      this.#sending = false;
      return;
    }
    this.#sending = true;
    const part = message.subarray(from, from + partBytes);
    const fin = from + part.length >= message.length;
    this.#client.send(part, { fin, binary: false }, () => {
      if (this.#closed) return;
      this.#takenAt = now();
      this.#count(-part.length);
      if (this.#waitingBytes <= enoughBytes) for (const resolve of this.#drained.splice(0)) resolve();
      if (fin) this.#queue.shift();
      this.#next(fin ? 0 : from + part.length);
    });
  }

  #count(bytes: number): void {
    this.#waitingBytes += bytes;
    this.#limits.unread.add(bytes);
  }

  #close(): void {
    this.#closed = true;
    clearInterval(this.#watch);
    this.#count(-this.#waitingBytes);
    this.#queue.length = 0;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
