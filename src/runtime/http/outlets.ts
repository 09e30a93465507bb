/**
 * Answers on their way to clients. Each is watched from its first byte until the system has taken the last: one whose
 * client takes nothing is cut, and what all of them hold in memory is counted.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { now } from '../machine.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** `gone`: the connection ended before the answer was out; `standstill`: we ended it, because nothing was taken. */
export type OutletEnd = 'complete' | 'gone' | 'standstill';

/** The way of one answer to its client. */
export interface Outlet {
  /** Counts memory that the answer occupies until it is out, in bytes. */
  hold(bytes: number): void;
  /** Calls back once; at once when the answer has ended already. */
  onEnd(callback: (end: OutletEnd) => void): void;
}

export interface OutletLimits {
  /** A client that takes no byte for this time loses its connection, in milliseconds. */
  standstillMs: number;
  /** What answers hold in memory; those that stand still make room when it is too much. */
  unread: UnreadBytes;
}

/** While memory is short, answers are cut that nobody has taken a byte of for this time, in milliseconds. */
const patienceMs = 1_000;
const longestLookMs = 3_000;
/** Requests that may wait on one connection for the answers before them; clients that send ahead send a few. */
const maxAhead = 64;

interface Connection {
  last: OpenOutlet;
  ahead: number;
}

export class Outlets {
  readonly #limits: OutletLimits;
  readonly #open = new Set<OpenOutlet>();
  readonly #connections = new WeakMap<Socket, Connection>();

  constructor(limits: OutletLimits) {
    this.#limits = limits;
    const everyMs = Math.max(20, Math.min(limits.standstillMs / 6, longestLookMs));
    setInterval(() => this.#look(), everyMs).unref();
  }

  /**
   * Has a request answered when the answer before it on the same connection is out, so that a connection never holds
   * more than one.
   */
  answer<T>(incoming: IncomingMessage, outgoing: ServerResponse, work: (outlet: Outlet) => T): T | Promise<T> {
    const { socket } = incoming;
    const outlet = new OpenOutlet(socket, outgoing, this.#limits.unread, () => this.#open.delete(outlet));
    this.#open.add(outlet);
    const before = this.#connections.get(socket);
    if (before === undefined || before.last.ended) {
      this.#connections.set(socket, { last: outlet, ahead: 0 });
      return work(outlet);
    }
    const previous = before.last;
    before.last = outlet;
    if (++before.ahead > maxAhead) socket.destroy();
    return new Promise((resolve) => {
      previous.onEnd(() => {
        before.ahead--;
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
    // Whoever reads goes on; of the others the longest without a byte make room.
    const still = [...this.#open].filter(({ stillMs }) => stillMs >= patienceMs);
    let tooMuch = waiting + this.#limits.unread.bytes - this.#limits.unread.limit;
    for (const outlet of still.toSorted((a, b) => b.stillMs - a.stillMs)) {
      if (tooMuch <= 0) return;
      tooMuch -= outlet.waitingBytes + outlet.heldBytes;
      outlet.cut();
    }
  }
}

class OpenOutlet implements Outlet {
  /** Milliseconds without a byte taken, as of the last look. */
  stillMs = 0;
  /** Bytes that wait in the stream, as of the last look. */
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
    // Told also of what was in the stream when its socket was destroyed.
    outgoing.once('finish', () => this.#finish(socket.destroyed ? 'gone' : 'complete'));
    outgoing.once('close', () => this.#finish('gone'));
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  hold(bytes: number): void {
    if (this.#end !== undefined) return;
    this.heldBytes += bytes;
    this.#unread.add(bytes);
  }

  onEnd(callback: (end: OutletEnd) => void): void {
    if (this.#end === undefined) this.#callbacks.push(callback);
    else callback(this.#end);
  }

  /** Looks what has changed and gives the bytes that wait beside those that are held. */
  look(at: number): number {
    const waiting = this.#outgoing.writableLength || 0;
    // Whatever is written next is written when the part before it has been taken.
    const written = this.#socket.bytesWritten;
    if (waiting === 0 || waiting !== this.waitingBytes || written !== this.#writtenBytes) this.#changedAt = at;
    this.waitingBytes = waiting;
    this.#writtenBytes = written;
    this.stillMs = at - this.#changedAt;
    return this.heldBytes > 0 ? 0 : waiting;
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
