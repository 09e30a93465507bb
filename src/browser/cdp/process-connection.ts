/**
 * Implements the connection to a browser process: matches responses to commands, and dispatches events to its sessions
 * or to the readers that replace them.
 */
import { Buffer } from 'node:buffer';
import { browserJsonLimits } from '../../base/limits.ts';
import { JsonTooLarge, parseJson } from '../../base/schema/json-text.ts';
import {
  ResponseTooLarge,
  type BrowserConnection,
  CdpSession,
  ConnectionClosed,
  type ForwardedCommand,
  ProtocolError,
} from './connection.ts';
import {
  responseIdOf,
  headOf,
  isCostly,
  methodOf,
  type RawMessage,
  sessionAtEnd,
  sessionOf,
  textOf,
} from './raw-message.ts';
import type { CutMessage, SessionReader, Transport } from './transport.ts';

/** JSON-RPC 2.0 section 5.1; Chromium's own -32000 also means that a document no longer exists. */
const internalError = -32_603;
const invalidParams = -32_602;
/** Maximum size of a message in bytes; Chromium exits, with all its pages, after a longer one. */
const maxCommandBytes = 100 * 2 ** 20 - 1;
/** Number of characters of a message in which the id of a response is found. */
const headCharacters = 256;

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

export class CdpConnection implements BrowserConnection {
  readonly root: CdpSession;
  readonly #transport: Transport;
  readonly #pending = new Map<number, PendingCommand>();
  readonly #sessions = new Map<string, CdpSession>();
  /** Sessions whose messages go to a reader. */
  readonly #readers = new Map<string, SessionReader>();
  readonly #closed = new AbortController();
  readonly closed = this.#closed.signal;
  fatal: string | undefined;
  #lastId = 0;
  /** Number of messages that the browser has sent. */
  received = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.root = new CdpSession(this, undefined);
    transport.onMessage((message) => this.#receive(message));
    transport.onCut((message) => this.#receiveCut(message));
    transport.onClose((fatal) => this.close('The browser closed its connection', fatal));
  }

  session(sessionId: string): CdpSession {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const session = new CdpSession(this, sessionId);
    this.#sessions.set(sessionId, session);
    return session;
  }

  command(method: string, params: object | undefined, sessionId: string | undefined): Promise<unknown> {
    if (this.#closed.signal.aborted) {
      return Promise.reject(new ConnectionClosed(`${method}: the browser is gone`));
    }
    const id = ++this.#lastId;
    const text = JSON.stringify({ id, method, params, sessionId });
    if (isTooLong(text)) return Promise.reject(new ProtocolError(method, invalidParams, 'the command is too long'));
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, sessionId, resolve, reject });
      this.#transport.send(text);
    });
  }

  forward(command: ForwardedCommand): void {
    if (!this.#closed.signal.aborted) this.#transport.send(JSON.stringify(command));
  }

  congestion(): Promise<void> | undefined {
    return this.#transport.congestion();
  }

  handOver(sessionId: string, reader: SessionReader | undefined): void {
    if (reader) this.#readers.set(sessionId, reader);
    else this.#readers.delete(sessionId);
  }

  /** Marks the connection as ended and rejects all pending commands. */
  close(reason: string, fatal?: string): void {
    if (this.#closed.signal.aborted) return;
    this.fatal = fatal;
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

  /** A response that is too long fails its command; an event that is too long is dropped. */
  #receiveCut(message: CutMessage): void {
    this.received++;
    const sessionId = sessionAtEnd(message.tail);
    const reader = this.#readers.get(sessionId ?? '');
    if (sessionId !== undefined && reader) return reader.cut(message, sessionId);
    this.#drop(message.head, `of ${message.bytes} bytes is too long`);
  }

  #drop(head: string, why: string): void {
    const id = responseIdOf(head);
    const command = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || !command) return;
    this.#pending.delete(id);
    command.reject(new ResponseTooLarge(command.method, internalError, `the response ${why}`));
  }

  /** Skips a message that would take too long to parse. If the page waits for a reaction to it, sends one. */
  #skip(raw: RawMessage, sessionId: string | undefined): void {
    const head = headOf(raw, headCharacters);
    const reply = (method: string, params: object) => void this.command(method, params, sessionId).catch(() => {});
    const method = methodOf(head);
    const [, requestId] = /"requestId":"([^"\\]+)"/.exec(head) ?? [];
    if (method === undefined) this.#drop(head, 'has too many special characters');
    else if (method === 'Page.javascriptDialogOpening') reply('Page.handleJavaScriptDialog', { accept: true });
    else if (method === 'Fetch.requestPaused') reply('Fetch.failRequest', { requestId, errorReason: 'Failed' });
  }

  #receive(raw: RawMessage): void {
    this.received++;
    const sessionId = this.#readers.size > 0 ? sessionOf(raw) : undefined;
    const reader = sessionId === undefined ? undefined : this.#readers.get(sessionId);
    if (sessionId !== undefined && reader) return reader.message(raw, sessionId);
    if (isCostly(raw)) return this.#skip(raw, sessionId ?? sessionOf(raw));
    const message = this.#parse(raw);
    if (!message) return;
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
    if (message.method === 'Target.detachedFromTarget') {
      // In the protocol, this event always has a sessionId.
      this.forget((message.params as { sessionId: string }).sessionId);
    }
    const session = message.sessionId === undefined ? this.root : this.#sessions.get(message.sessionId);
    session?.dispatch(message.method, message.params);
  }

  /** Returns undefined for a message with more values than the server accepts: pages control part of its content. */
  #parse(raw: RawMessage): IncomingMessage | undefined {
    const text = textOf(raw);
    try {
      // The browser is the only writer of this pipe: its messages have the shape of the protocol.
      return parseJson(text, browserJsonLimits) as IncomingMessage;
    } catch (error) {
      if (!(error instanceof JsonTooLarge)) throw error;
      this.#drop(text.slice(0, headCharacters), error.message);
      return undefined;
    }
  }

  /**
   * Marks a session as ended. Chromium does not report sessions that are closed along with the session they were
   * attached from.
   */
  forget(sessionId: string): void {
    // Chromium drops the responses of a detached target, so reject its pending commands here.
    for (const [id, command] of this.#pending) {
      if (command.sessionId !== sessionId) continue;
      this.#pending.delete(id);
      command.reject(new ConnectionClosed(`${command.method}: the page was closed`));
    }
    const session = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    session?.end('The page was closed');
  }
}

/** True for a command that would make the browser exit. A UTF-16 code unit takes at most three bytes in UTF-8. */
function isTooLong(text: string): boolean {
  return text.length * 3 > maxCommandBytes && Buffer.byteLength(text) > maxCommandBytes;
}
