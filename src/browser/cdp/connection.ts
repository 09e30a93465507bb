/**
 * Declares connections over which the server speaks raw Chrome DevTools Protocol, and their sessions: one for the
 * browser and flat sessions for its targets. A session sends commands and dispatches events; it knows nothing about
 * pages.
 */
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import type { SessionReader } from './transport.ts';

export type Commands = ProtocolMapping.Commands;
export type Events = ProtocolMapping.Events;
/** Optional members may be undefined: they are left out of the command. */
type Loose<P> = P extends readonly (infer Item)[]
  ? Loose<Item>[]
  : P extends object
    ? { [K in keyof P]: {} extends Pick<P, K> ? Loose<P[K]> | undefined : Loose<P[K]> }
    : P;
export type CommandParams<M extends keyof Commands> = Commands[M]['paramsType'] extends [infer P, ...unknown[]]
  ? Loose<P>
  : Commands[M]['paramsType'] extends [(infer P)?]
    ? Loose<P>
    : never;
export type EventParams<E extends keyof Events> = Events[E] extends [infer P] ? P : undefined;

/** The browser refused a command: `code` is the JSON-RPC code (-32000 and the like). */
export class ProtocolError extends Error {
  readonly method: string;
  readonly code: number;
  /** The browser's error message. */
  readonly reason: string;

  constructor(method: string, code: number, reason: string) {
    super(`${method}: ${reason}`);
    this.name = 'ProtocolError';
    this.method = method;
    this.code = code;
    this.reason = reason;
  }
}

/** The browser's response was longer than the limit, or contained more values. */
export class ResponseTooLarge extends ProtocolError {}

/** The target or the whole browser closed before it responded. */
export class ConnectionClosed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionClosed';
  }
}

type Listener = (params: never) => void;
type AnyListener = (event: string, params: unknown) => void;

/** A command sent on behalf of someone other than the server, with its own id. */
export interface ForwardedCommand {
  id: number;
  method: string;
  params: object;
  sessionId: string;
}

/** A connection to a browser: to its own process, or to contexts of a shared process that look like a browser. */
export interface BrowserConnection {
  /** The browser target itself. */
  readonly root: CdpSession;
  /** Aborted with a ConnectionClosed once the browser has closed. */
  readonly closed: AbortSignal;
  /** The line in which the browser logged why it exited; undefined while it runs, or when there is no such line. */
  readonly fatal: string | undefined;
  /** The session of a target attached with `flatten: true`; the same object for the same id. */
  session(sessionId: string): CdpSession;
  /** Sends a command; used by CdpSession. Rejects with ProtocolError or ConnectionClosed. */
  command(method: string, params: object | undefined, sessionId: string | undefined): Promise<unknown>;
  /** Sends a command in a session that has its own reader; that reader receives the response. */
  forward(command: ForwardedCommand): void;
  /** Resolves once the browser has read nearly everything sent to it; undefined when it already has. */
  congestion(): Promise<void> | undefined;
  /** Passes the messages of a session to a reader without parsing them; pass undefined to stop. */
  handOver(sessionId: string, reader: SessionReader | undefined): void;
}

export class CdpSession {
  /** The flat session id; undefined for the browser target. */
  readonly id: string | undefined;
  readonly connection: BrowserConnection;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #anyListeners = new Set<AnyListener>();
  readonly #closed = new AbortController();
  /** Aborted with a ConnectionClosed when the target detaches or the browser exits. */
  readonly closed = this.#closed.signal;

  constructor(connection: BrowserConnection, id: string | undefined) {
    this.connection = connection;
    this.id = id;
  }

  /**
   * Sends a command. Commands are sent in the order of the calls: to save round trips, send several and await them all.
   * @throws ProtocolError when the browser refuses, ConnectionClosed when the target closes first.
   */
  send<M extends keyof Commands>(method: M, params?: CommandParams<M>): Promise<Commands[M]['returnType']> {
    if (this.#closed.signal.aborted) return Promise.reject(new ConnectionClosed(`${method}: the page is gone`));
    // The protocol defines the result type of each method; we trust the browser to honor it.
    return this.connection.command(method, params ?? undefined, this.id) as Promise<Commands[M]['returnType']>;
  }

  /** Calls the listener for each event until the returned function is called. */
  on<E extends keyof Events>(event: E, listener: (params: EventParams<E>) => void): () => void {
    let listeners = this.#listeners.get(event);
    if (!listeners) this.#listeners.set(event, (listeners = new Set()));
    // One map contains the listeners of all events; each is only ever called with the parameters of its own event.
    const stored = listener as Listener;
    listeners.add(stored);
    return () => listeners.delete(stored);
  }

  /** Calls the listener for every event of the session, typed or not, until the returned function is called. */
  onAny(listener: AnyListener): () => void {
    this.#anyListeners.add(listener);
    return () => this.#anyListeners.delete(listener);
  }

  /** The next event for which `matches` returns true; rejects with the signal's abort reason or ConnectionClosed. */
  once<E extends keyof Events>(
    event: E,
    matches: (params: EventParams<E>) => boolean = () => true,
    signal?: AbortSignal,
  ): Promise<EventParams<E>> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        off();
        signal?.removeEventListener('abort', aborted);
        this.closed.removeEventListener('abort', ended);
      };
      const aborted = () => {
        stop();
        reject(signal?.reason);
      };
      const ended = () => {
        stop();
        reject(this.closed.reason);
      };
      const off = this.on(event, (params) => {
        if (!matches(params)) return;
        stop();
        resolve(params);
      });
      if (signal?.aborted) return aborted();
      if (this.closed.aborted) return ended();
      signal?.addEventListener('abort', aborted);
      this.closed.addEventListener('abort', ended);
    });
  }

  /** Hands an event to its listeners; used by CdpConnection. */
  dispatch(event: string, params: unknown): void {
    for (const listener of this.#anyListeners) listener(event, params);
    const listeners = this.#listeners.get(event);
    if (!listeners) return;
    // The listeners under this name were registered for exactly these parameters.
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes during the loop
    for (const listener of [...listeners]) listener(params as never);
  }

  /** Marks the session as ended; used by CdpConnection. */
  end(reason: string): void {
    if (!this.#closed.signal.aborted) this.#closed.abort(new ConnectionClosed(reason));
    this.#listeners.clear();
    this.#anyListeners.clear();
  }
}
