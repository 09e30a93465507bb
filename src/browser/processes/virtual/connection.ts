/** Implements the connection to a virtual browser, which looks like a connection to a separate browser. */
import {
  type BrowserConnection,
  CdpSession,
  ConnectionClosed,
  type ForwardedCommand,
  ProtocolError,
} from '../../cdp/connection.ts';
import { utf8 } from '../../cdp/raw-message.ts';
import type { SessionReader } from '../../cdp/transport.ts';
import type { VirtualHost } from './host.ts';
import { type RootOwner, VirtualRoot } from './root.ts';
import type { Params } from './target-info.ts';
import { Traces } from './traces.ts';

const serverError = -32_000;

export class VirtualConnection implements BrowserConnection {
  readonly root: CdpSession;
  readonly #browser: RootOwner;
  readonly #host: VirtualHost;
  /** The session behind `root`. */
  #own: VirtualRoot | undefined;
  /** Sessions of clients with the whole browser. */
  readonly #roots = new Map<string, VirtualRoot>();
  readonly #readers = new Map<string, SessionReader>();
  /** Sessions that the server uses itself. */
  readonly #sessions = new Set<string>();
  readonly #traces: Traces;
  readonly #closed = new AbortController();
  readonly closed = this.#closed.signal;
  readonly #hostClosed: () => void;
  #fatal: string | undefined;

  constructor(browser: RootOwner, host: VirtualHost) {
    this.#browser = browser;
    this.#host = host;
    this.root = new CdpSession(this, undefined);
    this.#traces = new Traces({
      connection: host.connection,
      targetIds: () => browser.targets().map(({ targetId }) => targetId),
      emit: (sessionId, method, params) => this.#deliver(sessionId, { method, params }),
    });
    this.#hostClosed = () => this.close('The browser closed its connection');
    host.connection.closed.addEventListener('abort', this.#hostClosed, { once: true });
  }

  /** Opens the server's own session. @throws any error that the browser reports */
  async open(): Promise<void> {
    const { sessionId } = await this.#host.connection.root.send('Target.attachToBrowserTarget');
    this.#own = this.#make(sessionId, (method, params) => this.root.dispatch(method, params));
  }

  get fatal(): string | undefined {
    return this.#fatal ?? this.#host.connection.fatal;
  }

  session(sessionId: string): CdpSession {
    this.#sessions.add(sessionId);
    return this.#host.connection.session(sessionId);
  }

  command(method: string, params: object | undefined, sessionId: string | undefined): Promise<unknown> {
    if (!this.#own || this.#closed.signal.aborted) {
      return Promise.reject(new ConnectionClosed(`${method}: the browser is gone`));
    }
    if (sessionId !== undefined) return this.#host.connection.command(method, params, sessionId);
    // Like a real browser, it does not send events while a command is being sent.
    return Promise.resolve(this.#own).then((own) => own.run(method, { ...params }));
  }

  forward(command: ForwardedCommand): void {
    const { id, sessionId } = command;
    const params: Params = { ...command.params };
    if (this.#closed.signal.aborted) return;
    const running = this.#run(command, params);
    if (running === 'forwarded') return;
    if (!running) return this.#host.connection.forward(command);
    running.then(
      (result) => this.#deliver(sessionId, { id, result }),
      (error: unknown) => this.#deliver(sessionId, { id, error: errorOf(error) }),
    );
  }

  /** Returns undefined for a command that is passed to the process unchanged. */
  #run(command: ForwardedCommand, params: Params): Promise<unknown> | 'forwarded' | undefined {
    const { method, sessionId } = command;
    try {
      const root = this.#roots.get(sessionId);
      if (root) return this.#traces.run(sessionId, method, params) ?? root.run(method, params);
      return this.#traces.runOnRead(command) ?? this.#runOnPage(method, params);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  congestion(): Promise<void> | undefined {
    return this.#host.connection.congestion();
  }

  handOver(sessionId: string, reader: SessionReader | undefined): void {
    if (reader) this.#readers.set(sessionId, reader);
    else {
      this.#readers.delete(sessionId);
      this.#traces.ended(sessionId);
    }
    // A session with the whole browser also reports other virtual browsers: its reader receives only the filtered
    // messages.
    if (!this.#roots.has(sessionId)) {
      this.#host.connection.handOver(sessionId, reader && this.#traces.reader(reader));
    }
  }

  /** Ends all its sessions. @param fatal the reason, when closing was not requested */
  close(reason: string, fatal?: string): void {
    if (this.#closed.signal.aborted) return;
    this.#fatal = fatal;
    this.#host.connection.closed.removeEventListener('abort', this.#hostClosed);
    this.#closed.abort(new ConnectionClosed(reason));
    const { connection } = this.#host;
    for (const sessionId of this.#readers.keys()) {
      if (!this.#roots.has(sessionId)) connection.handOver(sessionId, undefined);
    }
    this.#readers.clear();
    const own = this.#own;
    for (const root of [...this.#roots.values(), ...(own ? [own] : [])]) {
      this.#browser.removeRoot(root);
      connection.root.send('Target.detachFromTarget', { sessionId: root.sessionId }).catch(() => {});
    }
    this.#roots.clear();
    for (const sessionId of this.#sessions) connection.forget(sessionId);
    this.root.end(reason);
  }

  /**
   * Opens a session with the whole browser for a client.
   * @param parent the session of the real browser with which it ends
   */
  openRoot(parent: CdpSession): Promise<{ sessionId: string }> {
    // The browser announces the session before it responds, and `noteAttached` creates it at that point.
    return parent.send('Target.attachToBrowserTarget');
  }

  /** Records a session that the real browser announced. */
  noteAttached(sessionId: string, type: string): void {
    if (type !== 'browser') return;
    const emit = (method: string, params: object) => this.#deliver(sessionId, { method, params });
    this.#roots.set(sessionId, this.#make(sessionId, emit));
  }

  /** Handles an event of a trace that a session with the whole browser records. @returns false when it records none */
  takesTrace(sessionId: string, method: string, params: Params): boolean {
    return this.#traces.take(sessionId, method, params);
  }

  noteTarget(targetId: string): void {
    this.#traces.targetCreated(targetId);
  }

  /** Records that a session has ended. */
  noteDetached(sessionId: string): void {
    this.#sessions.delete(sessionId);
    const root = this.#roots.get(sessionId);
    if (!root) return;
    this.#roots.delete(sessionId);
    this.#readers.delete(sessionId);
    this.#browser.removeRoot(root);
  }

  #make(sessionId: string, emit: (method: string, params: object) => void): VirtualRoot {
    const real = this.#host.connection.session(sessionId);
    const root = new VirtualRoot(this.#browser, this.#host, real, emit);
    this.#browser.addRoot(root);
    return root;
  }

  /**
   * Runs a command that was sent to a page and affects the whole browser. Returns undefined for one that affects the
   * page.
   */
  #runOnPage(method: string, params: Params): Promise<unknown> | undefined {
    if (method.startsWith('Target.')) {
      if (ofPage.has(method) || (method === 'Target.getTargetInfo' && params['targetId'] === undefined))
        return undefined;
      return Promise.reject(new ProtocolError(method, serverError, 'Not allowed'));
    }
    const ofBrowser =
      method.startsWith('Browser.') && !(method === 'Browser.getWindowForTarget' && params['targetId'] === undefined);
    if (ofBrowser || params['browserContextId'] !== undefined) return this.#own?.run(method, params);
    return undefined;
  }

  #deliver(sessionId: string, message: object): void {
    const bytes = utf8(JSON.stringify({ ...message, sessionId }));
    this.#readers.get(sessionId)?.message({ parts: [bytes], bytes: bytes.length }, sessionId);
  }
}

/** Commands of the Target domain that affect only what belongs to the page. */
const ofPage: ReadonlySet<string> = new Set(['Target.setAutoAttach', 'Target.detachFromTarget']);

function errorOf(error: unknown): { code: number; message: string } {
  if (error instanceof ProtocolError) return { code: error.code, message: error.reason };
  return { code: serverError, message: error instanceof ConnectionClosed ? error.message : 'Internal error' };
}
