/**
 * Watches responses until the operating system has taken their last byte: disconnects clients that read nothing, and
 * counts the memory that all responses occupy.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { now } from '../machine.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/**
 * `gone`: the connection ended before the response was sent; `standstill`: we closed it because the client read
 * nothing.
 */
export type OutletEnd = 'complete' | 'gone' | 'standstill';

export interface OutletLimits {
  /** Time in milliseconds after which a client that reads nothing is disconnected. */
  standstillMs: number;
  /** Counts the memory of unread responses; above its limit, stalled responses are aborted. */
  unread: UnreadBytes;
}

/** Time in milliseconds after which, while memory is short, a response whose client reads nothing may be aborted. */
const patienceMs = 1_000;
const maxPollMs = 3_000;
/**
 * While more pipelined requests than this wait on a connection for earlier responses, it is not read; real clients send
 * only a few.
 */
const maxAhead = 64;
/**
 * A connection with more waiting requests than `cutAhead` is closed, as is one whose request raises the total over all
 * connections above `maxWaiting`.
 */
const cutAhead = 1_024;
const maxWaiting = 8_192;

interface Connection {
  last: Outlet;
  ahead: number;
  /**
   * True while the connection is not read because too many requests wait; Node also pauses connections for other
   * reasons.
   */
  held: boolean;
}

export class Outlets {
  readonly #limits: OutletLimits;
  readonly #open = new Set<Outlet>();
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Requests on all connections that wait for earlier responses: each takes about 6 kB. */
  #waiting = 0;

  constructor(limits: OutletLimits) {
    this.#limits = limits;
    const everyMs = Math.max(20, Math.min(limits.standstillMs / 6, maxPollMs));
    setInterval(() => this.#look(), everyMs).unref();
  }

  /**
   * Runs the work for a request once the previous response on its connection has ended, so that a connection never
   * holds more than one response in memory.
   */
  answer<T>(incoming: IncomingMessage, outgoing: ServerResponse, work: (outlet: Outlet) => T): T | Promise<T> {
    const { socket } = incoming;
    const outlet = new Outlet(socket, outgoing, this.#limits.unread, () => this.#open.delete(outlet));
    this.#open.add(outlet);
    const before = this.#connections.get(socket);
    if (before === undefined || before.last.ended) {
      this.#connections.set(socket, { last: outlet, ahead: 0, held: false });
      return work(outlet);
    }
    const previous = before.last;
    before.last = outlet;
    this.#waiting++;
    if (++before.ahead > cutAhead || this.#waiting > maxWaiting) socket.destroy();
    else if (before.ahead > maxAhead) {
      before.held = true;
      socket.pause();
    }
    return new Promise((resolve) => {
      previous.onEnd(() => {
        this.#waiting--;
        // Nobody would receive the response.
        if (socket.destroyed) return outlet.abandon();
        if (--before.ahead <= maxAhead && before.held) {
          before.held = false;
          socket.resume();
        }
        resolve(work(outlet));
      });
    });
  }

  #look(): void {
    const at = now();
    let waiting = 0;
    for (const outlet of this.#open) {
      waiting += outlet.look(at);
      if (outlet.stillMs >= this.#limits.standstillMs) outlet.cut();
    }
    if (waiting + this.#limits.unread.bytes <= this.#limits.unread.limit) return;
    // Clients that read are spared; among the others, those stalled the longest are cut first.
    const still = [...this.#open].filter(({ stillMs }) => stillMs >= patienceMs);
    let tooMuch = waiting + this.#limits.unread.bytes - this.#limits.unread.limit;
    for (const outlet of still.toSorted((a, b) => b.stillMs - a.stillMs)) {
      if (tooMuch <= 0) return;
      tooMuch -= outlet.waitingBytes + outlet.heldBytes;
      outlet.cut();
    }
  }
}

/** One response being sent to the client. */
export class Outlet {
  /** Milliseconds since the client last read a byte, as of the last `look`. */
  stillMs = 0;
  /** Bytes buffered in the stream, as of the last `look`. */
  waitingBytes = 0;
  heldBytes = 0;
  readonly #socket: Socket;
  readonly #outgoing: ServerResponse;
  readonly #unread: UnreadBytes;
  readonly #release: () => void;
  #callbacks: ((end: OutletEnd) => void)[] = [];
  #end: OutletEnd | undefined;
  #cut = false;
  #writtenBytes = 0;
  #changedAt = 0;

  constructor(socket: Socket, outgoing: ServerResponse, unread: UnreadBytes, release: () => void) {
    this.#socket = socket;
    this.#outgoing = outgoing;
    this.#unread = unread;
    this.#release = release;
    // `finish` is also emitted for bytes that were in the stream when its socket was destroyed.
    outgoing.once('finish', () => this.#finish(socket.destroyed ? 'gone' : 'complete'));
    outgoing.once('close', () => this.#finish('gone'));
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** Counts memory that the response occupies until it is sent, in bytes. */
  hold(bytes: number): void {
    if (this.#end !== undefined) return;
    this.heldBytes += bytes;
    this.#unread.add(bytes);
  }

  /** Calls back once when the response has ended; immediately if it already has. */
  onEnd(callback: (end: OutletEnd) => void): void {
    if (this.#end === undefined) this.#callbacks.push(callback);
    else callback(this.#end);
  }

  /** Updates the statistics. @returns the bytes buffered in the stream, 0 when `heldBytes` counts them already */
  look(at: number): number {
    const waiting = this.#outgoing.writableLength || 0;
    // The stream writes a part once the previous part has been taken: a change shows that the client reads.
    const written = this.#socket.bytesWritten;
    if (waiting === 0 || waiting !== this.waitingBytes || written !== this.#writtenBytes) this.#changedAt = at;
    this.waitingBytes = waiting;
    this.#writtenBytes = written;
    this.stillMs = at - this.#changedAt;
    return this.heldBytes > 0 ? 0 : waiting;
  }

  /** Ends the response before its work has begun, because its connection has ended. */
  abandon(): void {
    this.#finish('gone');
  }

  cut(): void {
    this.#cut = true;
    this.#socket.destroy();
  }

  #finish(end: OutletEnd): void {
    if (this.#end !== undefined) return;
    this.#end = this.#cut ? 'standstill' : end;
    this.#release();
    this.#unread.add(-this.heldBytes);
    for (const callback of this.#callbacks.splice(0)) callback(this.#end);
  }
}
