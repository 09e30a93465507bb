/**
 * Speaks raw Chrome DevTools Protocol: one connection to a browser, with flat sessions for its targets.
 * Matches answers to commands and dispatches events; knows nothing of pages.
 */
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import { answerIdOf, type RawMessage, sessionAtEnd, sessionOf, textOf } from './raw-message.ts';
import type { CutMessage, SessionReader, Transport } from './transport.ts';

export type Commands = ProtocolMapping.Commands;
export type Events = ProtocolMapping.Events;
export type CommandParams<M extends keyof Commands> = Commands[M]['paramsType'] extends [infer P, ...unknown[]]
  ? P
  : Commands[M]['paramsType'] extends [(infer P)?]
    ? P
    : never;
export type EventParams<E extends keyof Events> = Events[E] extends [infer P] ? P : undefined;

/** The browser refused a command: `code` is the JSON-RPC code (-32000 and the like). */
export class ProtocolError extends Error {
  readonly method: string;
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message}`);
    this.name = 'ProtocolError';
    this.method = method;
    this.code = code;
  }
}

/** The target or the whole browser went away before it answered. */
export class ConnectionClosed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionClosed';
  }
}

/** JSON-RPC 2.0 section 5.1; Chromium's own -32000 stands for a document that has gone too. */
const internalError = -32_603;

interface PendingCommand {
  method: string;
  sessionId: string | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface IncomingMessage {
  id?: number;
  method?: string;
  params?: unknown;
  sessionId?: string;
  result?: unknown;
  error?: { code: number; message: string; data?: string };
}

type Listener = (params: never) => void;
type AnyListener = (event: string, params: unknown) => void;

export class CdpConnection {
  /** The browser target itself. */
  readonly root: CdpSession;
  readonly #transport: Transport;
  readonly #pending = new Map<number, PendingCommand>();
  readonly #sessions = new Map<string, CdpSession>();
  /** Sessions whose messages someone else reads. */
  readonly #readers = new Map<string, SessionReader>();
  readonly #closed = new AbortController();
  #fatal: string | undefined;
  #lastId = 0;
  #received = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.root = new CdpSession(this, undefined);
    transport.onMessage((message) => this.#receive(message));
    transport.onCut((message) => this.#receiveCut(message));
    transport.onClose((fatal) => this.close('The browser closed its connection', fatal));
  }

  /** Aborted with a ConnectionClosed once the browser is gone. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Number of messages that the browser has sent. */
  get received(): number {
    return this.#received;
  }

  /** The line in which the browser said why it ended itself; undefined while it runs, or when it wrote none. */
  get fatal(): string | undefined {
    return this.#fatal;
  }

  /** The session of a target that was attached with `flatten: true`; the same object for the same id. */
  session(sessionId: string): CdpSession {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const session = new CdpSession(this, sessionId);
    this.#sessions.set(sessionId, session);
    return session;
  }

  /** Sends a command; used by CdpSession. Rejects with ProtocolError or ConnectionClosed. */
  command(method: string, params: object | undefined, sessionId: string | undefined): Promise<unknown> {
    if (this.#closed.signal.aborted) {
      return Promise.reject(new ConnectionClosed(`${method}: the browser is gone`));
    }
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, sessionId, resolve, reject });
      this.#transport.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  /** Sends a command of a session that someone else reads, as JSON text. */
  forward(command: string): void {
    if (!this.#closed.signal.aborted) this.#transport.send(command);
  }

  /** Resolves once the browser has read nearly all that was sent; undefined when it has already. */
  congestion(): Promise<void> | undefined {
    return this.#transport.congestion();
  }

  /** Gives the messages of a session to a reader, without parsing them; an undefined reader ends that. */
  handOver(sessionId: string, reader: SessionReader | undefined): void {
    if (reader) this.#readers.set(sessionId, reader);
    else this.#readers.delete(sessionId);
  }

  /** Marks the connection as ended and rejects all pending commands. */
  close(reason: string, fatal?: string): void {
    if (this.#closed.signal.aborted) return;
    this.#fatal = fatal;
    this.#closed.abort(new ConnectionClosed(reason));
    for (const [id, command] of this.#pending) {
      this.#pending.delete(id);
      command.reject(new ConnectionClosed(`${command.method}: ${reason}`));
    }
    for (const session of this.#sessions.values()) session.end(reason);
    this.#sessions.clear();
    this.#readers.clear();
    this.root.end(reason);
  }

  /** An answer that is too long fails its command; an event that is too long is lost. */
  #receiveCut(message: CutMessage): void {
    this.#received++;
    const sessionId = sessionAtEnd(message.tail);
    const reader = this.#readers.get(sessionId ?? '');
    if (sessionId !== undefined && reader) return reader.cut(message, sessionId);
    const id = answerIdOf(message.head);
    const command = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || !command) return;
    this.#pending.delete(id);
    command.reject(
      new ProtocolError(command.method, internalError, `the answer of ${message.bytes} bytes is too long`),
    );
  }

  #receive(raw: RawMessage): void {
    this.#received++;
    const sessionId = this.#readers.size > 0 ? sessionOf(raw) : undefined;
    const reader = sessionId === undefined ? undefined : this.#readers.get(sessionId);
    if (sessionId !== undefined && reader) return reader.message(raw, sessionId);
    // The browser is the only writer of this pipe: its messages have the shape of the protocol.
    const message = JSON.parse(textOf(raw)) as IncomingMessage;
    if (message.id !== undefined) {
      const command = this.#pending.get(message.id);
      if (!command) return;
      this.#pending.delete(message.id);
      if (message.error) {
        const detail = message.error.data ? `${message.error.message} (${message.error.data})` : message.error.message;
        command.reject(new ProtocolError(command.method, message.error.code, detail));
      } else {
        command.resolve(message.result);
      }
      return;
    }
    if (message.method === undefined) return;
    if (message.method === 'Target.detachedFromTarget') this.#detached(message.params);
    const session = message.sessionId === undefined ? this.root : this.#sessions.get(message.sessionId);
    session?.dispatch(message.method, message.params);
  }

  #detached(params: unknown): void {
    // By the protocol, Target.detachedFromTarget always has a sessionId.
    const { sessionId } = params as { sessionId: string };
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    this.#sessions.delete(sessionId);
    // Chromium drops the answers of a detached target, so reject its pending commands here.
    for (const [id, command] of this.#pending) {
      if (command.sessionId !== sessionId) continue;
      this.#pending.delete(id);
      command.reject(new ConnectionClosed(`${command.method}: the page was closed`));
    }
    session.end('The page was closed');
  }
}

export class CdpSession {
  /** The flat session id; undefined for the browser target. */
  readonly id: string | undefined;
  readonly connection: CdpConnection;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #anyListeners = new Set<AnyListener>();
  readonly #closed = new AbortController();

  constructor(connection: CdpConnection, id: string | undefined) {
    this.connection = connection;
    this.id = id;
  }

  /** Aborted with a ConnectionClosed when the target detaches or the browser dies. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /**
   * Sends a command. Commands are sent in the order of the calls: to save round trips, send several and await them all.
   * @throws ProtocolError when the browser refuses, ConnectionClosed when the target goes away first.
   */
  send<M extends keyof Commands>(method: M, params?: CommandParams<M>): Promise<Commands[M]['returnType']> {
    if (this.#closed.signal.aborted) return Promise.reject(new ConnectionClosed(`${method}: the page is gone`));
    // The protocol defines the result type of each method; the browser is trusted to keep it.
    return this.connection.command(method, params ?? undefined, this.id) as Promise<Commands[M]['returnType']>;
  }

  /** Calls the listener for each event until the returned function is called. */
  on<E extends keyof Events>(event: E, listener: (params: EventParams<E>) => void): () => void {
    let listeners = this.#listeners.get(event);
    if (!listeners) this.#listeners.set(event, (listeners = new Set()));
    // One map holds the listeners of all events; each is only ever called with the parameters of its own event.
    const stored = listener as Listener;
    listeners.add(stored);
    return () => listeners.delete(stored);
  }

  /** Calls the listener for every event of the session, typed or not, until the returned function is called. */
  onAny(listener: AnyListener): () => void {
    this.#anyListeners.add(listener);
    return () => this.#anyListeners.delete(listener);
  }

  /** The next event for which `matches` holds; rejects with the signal's reason or ConnectionClosed. */
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
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes meanwhile
    for (const listener of [...listeners]) listener(params as never);
  }

  /** Marks the session as ended; used by CdpConnection. */
  end(reason: string): void {
    if (!this.#closed.signal.aborted) this.#closed.abort(new ConnectionClosed(reason));
    this.#listeners.clear();
    this.#anyListeners.clear();
  }
}
