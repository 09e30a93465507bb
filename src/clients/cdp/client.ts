/**
 * Joins a CDP client with a browser and passes its messages on unchanged, with a few exceptions: it answers
 * `Browserless.*` commands itself, closes only the connection when the client closes a kept browser, ends the session
 * on a navigation to a file: address, and puts a local proxy in front of one that the client names for a context.
 */
import type { AttachableSession } from '../../sessions/session.ts';
import { closeCodeOf, ServiceError, toServiceError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { isRecord } from '../../schema/record.ts';
import { errorCodes } from './error-codes.ts';
import type { PassingMessage } from '../../runtime/http/frame-stream.ts';
import type { CloseReason, JoinHooks, SocketJoin } from '../../runtime/http/socket-join.ts';
import { type CommandContext, runCommand } from './browserless.ts';

export interface CdpClientOptions {
  session: AttachableSession;
  /** Public base address of sockets, without a trailing slash. */
  socketUrl: string;
  maxReconnectMs: number;
  pingEveryMs: number;
  /** True when pages may show `file:` addresses. */
  allowFiles: boolean;
  /**
   * Starts a local proxy in front of one that a client names for a context; resolves with its address for the browser.
   * @throws ServiceError for an invalid proxy, one that is refused, or one that cannot be reached
   */
  contextProxy(server: string, bypass: string | undefined): Promise<string>;
  /** The target of a socket that belongs to one page; undefined for one of the browser. */
  targetId: string | undefined;
  log: Log;
}

interface ClientMessage {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** The first id of the server's own commands to the browser: far beyond those that clients count up to. */
const firstProbeId = 2_000_000_000;
/** RFC 6455 section 7.4.1. */
const normalClosure = 1000;
/** One test for everything that `#pass` looks at: nearly no message matches. */
const noteworthy = /Browserless\.|Browser\.close|proxyServer|\.attachTo|\.navigate|createTarget|sendMessageTo|\\u00/;
const fileUrl = /^[\s\0-\x20]*(?:view-source:\s*)*file:/i;

export class CdpClient {
  readonly hooks: JoinHooks;
  readonly #options: CdpClientOptions;
  /**
   * Flat sessions that the client attached itself. It listens there, so `Browserless.*` events are sent to each of
   * them.
   */
  readonly #sessions = new Set<string>();
  #join: SocketJoin | undefined;
  #lastProbe = firstProbeId;

  constructor(options: CdpClientOptions) {
    this.#options = options;
    this.hooks = {
      pingEveryMs: options.pingEveryMs,
      onClientText: (message) => this.#pass(message),
      onPing: () => this.#heartbeat(),
      onServerEnd: () => this.#whyServerEnded(),
    };
  }

  /** Called once client and browser are joined. */
  joined(join: SocketJoin): void {
    this.#join = join;
  }

  #pass(message: PassingMessage): boolean {
    if (!noteworthy.test(message.peek)) return true;
    // A letter written as a JSON escape would hide a name from the searches below.
    const peek = /\\u00[2-7]/i.test(message.peek) ? JSON.stringify(parse(message) ?? '') : message.peek;
    if (peek.includes('Browserless.')) {
      const command = parse(message);
      if (!command?.method?.startsWith('Browserless.')) return true;
      void this.#answer(command, command.method);
      return false;
    }
    if (peek.includes('"Browser.close"')) return this.#passClose(parse(message));
    if (peek.includes('"Target.sendMessageToTarget"') && /proxyServer|\\u00/.test(peek)) {
      return this.#refuse(parse(message), 'Send this command on a flat session of its own');
    }
    if (peek.includes('"proxyServer"')) return this.#passContext(parse(message));
    if (peek.includes('.attachTo')) this.#noteAttached(parse(message));
    else if (!this.#options.allowFiles && /"(?:Page\.navigate|Target\.createTarget)"/.test(peek)) {
      return this.#passNavigation(parse(message));
    }
    return true;
  }

  async #answer(command: ClientMessage, method: string): Promise<void> {
    const { id, sessionId } = command;
    if (sessionId !== undefined) this.#sessions.add(sessionId);
    const { session, socketUrl, maxReconnectMs, log } = this.#options;
    const context: CommandContext = {
      session,
      socketUrl,
      maxReconnectMs,
      targetId: () => this.#targetOf(sessionId),
    };
    const answer = await runCommand(method, command.params, context)
      .then((result) =>
        result === undefined
          ? { error: { code: errorCodes.methodNotFound, message: `'${method}' wasn't found` } }
          : { result },
      )
      .catch((cause: unknown) => {
        log.error('cdp.command-failed', { method, cause });
        return { error: { code: errorCodes.serverError, message: `${method} failed; the server's log says why` } };
      });
    this.#join?.sendToClient(JSON.stringify({ id, ...answer, sessionId }));
  }

  /**
   * A context with a proxy of its own would bypass the network policy: put a local proxy, which applies it, in front.
   */
  #passContext(command: ClientMessage | undefined): boolean {
    const { proxyServer, proxyBypassList } = command?.params ?? {};
    if (command?.method !== 'Target.createBrowserContext' || typeof proxyServer !== 'string') return true;
    const bypass = typeof proxyBypassList === 'string' ? proxyBypassList : undefined;
    void this.#options.contextProxy(proxyServer, bypass).then(
      (server) => {
        const params = { ...command.params, proxyServer: server, proxyBypassList: '<-loopback>' };
        this.#join?.sendToServer(JSON.stringify({ ...command, params }));
      },
      (error: unknown) => this.#refuse(command, toServiceError(error).message),
    );
    return false;
  }

  #refuse(command: ClientMessage | undefined, reason: string): false {
    const error = { code: errorCodes.serverError, message: reason };
    this.#join?.sendToClient(JSON.stringify({ id: command?.id, error, sessionId: command?.sessionId }));
    return false;
  }

  /** A client cannot close a kept browser: only that client's connection ends. */
  #passClose(command: ClientMessage | undefined): boolean {
    if (command?.method !== 'Browser.close') return true;
    const { session } = this.#options;
    if (!session.keep) {
      session.closeAsked();
      return true;
    }
    this.#join?.sendToClient(JSON.stringify({ id: command.id, result: {}, sessionId: command.sessionId }));
    this.#join?.close({ code: normalClosure, reason: 'The browser is kept for reconnection' });
    return false;
  }

  #noteAttached(command: ClientMessage | undefined): void {
    if (command?.id === undefined || !/^Target\.attachTo\w*Target$/.test(command.method ?? '')) return;
    const note = (text: string) => {
      const attached = /"sessionId":"(\w+)"/.exec(text)?.[1];
      if (attached !== undefined) this.#sessions.add(attached);
    };
    this.#join?.expect(command.id, note, true);
  }

  #passNavigation(command: ClientMessage | undefined): boolean {
    const url = command?.params?.['url'];
    if (typeof url !== 'string' || !fileUrl.test(url)) return true;
    this.#options.session.life.end(
      new ServiceError('forbidden-destination', 'Navigation to a file: address is not allowed'),
    );
    return false;
  }

  /** The target behind a flat session. Only this connection knows the session, so ask the browser on it. */
  async #targetOf(sessionId: string | undefined): Promise<string | undefined> {
    if (sessionId === undefined) {
      if (this.#options.targetId !== undefined) return this.#options.targetId;
      const { root } = this.#options.session.process.connection;
      const { targetInfos } = await root.send('Target.getTargets');
      return targetInfos.find(({ type }) => type === 'page')?.targetId;
    }
    const join = this.#join;
    if (!join) return undefined;
    const id = ++this.#lastProbe;
    return new Promise((resolve) => {
      const answered = (text: string) => resolve(/"targetId":"(\w+)"/.exec(text)?.[1]);
      join.sendToServer(JSON.stringify({ id, method: 'Target.getTargetInfo', sessionId }), id, answered);
      void join.ended.then(() => resolve(undefined));
    });
  }

  #heartbeat(): void {
    const event = { method: 'Browserless.heartbeat', params: {} };
    this.#join?.sendToClient(JSON.stringify(event));
    for (const sessionId of this.#sessions) this.#join?.sendToClient(JSON.stringify({ ...event, sessionId }));
  }

  /** Finds out why the browser's socket ended without a close frame: because of the page, the browser, or a crash. */
  async #whyServerEnded(): Promise<CloseReason> {
    const { session, targetId } = this.#options;
    const gone = session.process.gone;
    // The end of the process is reported on another channel, a moment sooner or later.
    const news = new Promise<void>((resolve) => gone.addEventListener('abort', () => resolve(), { once: true }));
    if (!gone.aborted) await Promise.race([session.life.ended, this.#join?.ended, news, shortly()]);
    if (gone.aborted || session.life.ending) {
      const error = await session.life.ended;
      return closeReasonOf(error);
    }
    return { code: normalClosure, reason: targetId === undefined ? 'The browser was closed' : 'The page was closed' };
  }
}

/** The close code and reason for a client whose session ends; without an error the browser was closed normally. */
export function closeReasonOf(error: ServiceError | undefined): CloseReason {
  return error
    ? { code: closeCodeOf(error), reason: error.message }
    : { code: normalClosure, reason: 'The browser was closed' };
}

/** Longest wait for the report of a browser's end after its socket has closed, in milliseconds. */
const newsLimitMs = 500;

function shortly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, newsLimitMs));
}

function parse(message: PassingMessage): ClientMessage | undefined {
  try {
    const value: unknown = JSON.parse(message.text());
    // A client may send anything: the callers check each member before they use it.
    return isRecord(value) ? (value as ClientMessage) : undefined;
  } catch {
    return undefined;
  }
}
