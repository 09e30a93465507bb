// The only path from a CDP client to a browser. Each client is a flat session of the connection that the server holds.
// Its messages are parsed, checked against the rules table and forwarded as the server serializes them; the browser's
// messages are routed by their session without parsing their bodies (decisions.mdx#one-gate-for-cdp-clients). The file
// is long because both directions share the sessions of the client.
import type { Buffer } from 'node:buffer';
import { isLong } from '../../base/runtime/deadline.ts';
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import {
  responseIdOf,
  prefixOf,
  type RawMessage,
  textOf,
  utf8,
  withoutSession,
} from '../../browser/cdp/raw-message.ts';
import type { BrowserConnection } from '../../browser/cdp/connection.ts';
import type { CutMessage } from '../../browser/cdp/transport.ts';
import type { TargetWatch } from '../lifecycle/targets.ts';
import {
  type ClientCommand,
  errorOf,
  nonBlockingCommands,
  noSuchSession,
  parseCommand,
  type ReadCommand,
  readCommand,
} from './client-command.ts';
import { errorCodes } from './error-codes.ts';
import { IdleReports } from './idle-reports.ts';
import { judge } from './rules/judge.ts';
import type { Params, RuleContext, Verdict } from './rules/verdict.ts';
import { Shield } from './shield/shield.ts';

/** The parts that the gate reads from events of the Target domain. */
type TargetEvent =
  | {
      method: 'Target.attachedToTarget';
      params: {
        sessionId: string;
        waitingForDebugger: boolean;
        targetInfo: { targetId: string; type: string; url: string };
      };
    }
  | { method: 'Target.targetCreated' | 'Target.targetInfoChanged'; params: { targetInfo: { url: string } } }
  | { method: 'Target.detachedFromTarget'; params: { sessionId: string } };

export interface GateOptions {
  connection: BrowserConnection;
  /** The page that the client drives; undefined for the whole browser. */
  targetId: string | undefined;
  rules: RuleContext;
  /** The targets of the browser. */
  targets: Pick<TargetWatch, 'mayDrive' | 'mayDriveAddress'>;
  /** Called with every message to the client, as chunks of its UTF-8 text. */
  deliver(parts: readonly Buffer[]): void;
  /** Ends the client's connection. @param code close code as defined by RFC 6455 section 7.4 */
  end(code: number, why: string): void;
  /** Returns the server's own verdict on a command; undefined for a command that the table decides. */
  answer(command: ClientCommand): Verdict | Promise<Verdict> | undefined;
  /** Called for each command that is refused, and for each that is not in the table. */
  refused(method: string, why: 'refused' | 'unknown'): void;
  /** Keeps the client's `Runtime.enable` from the browser. Default false. */
  shield?: boolean;
  /** Called for the first session of the client that loses this shield. */
  shieldOpened?(reason: string): void;
}

/** RFC 6455 section 7.4.1. */
const closeCodes = { normal: 1000, tooLong: 1009 } as const;

export class CdpGate implements Disposable {
  readonly #options: GateOptions;
  /** The client's own session, which the client sees as its connection. */
  readonly #root: string;
  /** The client's other sessions, each with the id of its target. */
  readonly #sessions = new Map<string, string>();
  /** The sessions among these that belong to the browser itself. */
  readonly #ofBrowser = new Set<string>();
  /** Sessions that the client attached itself. It listens on them, so events from the server are sent to each. */
  readonly #listening = new Set<string>();
  /** Commands of the client that attach to a target, by session and id. */
  readonly #attaching = new Set<string>();
  readonly #stop: () => void;
  /** Commands that arrived while an earlier one was being checked; undefined while none is. */
  #waiting: ClientCommand[] | undefined;
  #ended = false;
  /**
   * Number of client commands without a response, including those that never receive one because their target closed.
   */
  #unanswered = 0;
  readonly #shield: Shield | undefined;
  readonly #idle = new IdleReports((sessionId, method, params) =>
    this.#send({ method, params, sessionId: this.#outside(sessionId) }),
  );

  private constructor(options: GateOptions, root: string) {
    this.#options = options;
    this.#root = root;
    const { connection } = options;
    connection.handOver(root, this);
    this.#shield = options.shield ? this.#makeShield() : undefined;
    this.#stop = connection.root.on('Target.detachedFromTarget', ({ sessionId }) => {
      if (sessionId === root) this.#end(closeCodes.normal, 'the page is closed');
    });
  }

  /** @throws a browser error when the browser has exited or has no such page */
  static async open(options: GateOptions): Promise<CdpGate> {
    const { root } = options.connection;
    const { targetId } = options;
    const { sessionId } =
      targetId === undefined
        ? await root.send('Target.attachToBrowserTarget')
        : await root.send('Target.attachToTarget', { targetId, flatten: true });
    return new CdpGate(options, sessionId);
  }

  /** The target behind one of the client's sessions; undefined for the browser itself. */
  targetOf(sessionId: string | undefined): string | undefined {
    return sessionId === undefined ? this.#options.targetId : this.#sessions.get(sessionId);
  }

  /** Whether this is a session of the browser itself. */
  isOfBrowser(sessionId: string | undefined): boolean {
    return sessionId === undefined ? this.#options.targetId === undefined : this.#ofBrowser.has(sessionId);
  }

  /** True while a command of the client has no response. */
  get busy(): boolean {
    return this.#unanswered > 0;
  }

  /**
   * Handles a message from the client. A command that takes time to check holds back the commands after it. A long
   * message takes time to read, and the caller holds back the messages after it.
   * @returns a promise that resolves when no command is held back any longer; undefined when this one does not hold any
   *   back
   */
  receive(text: string): Promise<void> | undefined {
    if (this.#ended) return undefined;
    return isLong(text) ? readCommand(text).then((command) => this.#take(command)) : this.#take(parseCommand(text));
  }

  #take(command: ReadCommand): Promise<void> | undefined {
    if (this.#ended) return undefined;
    if ('closeCode' in command) this.#end(command.closeCode, command.reason);
    else if ('error' in command) this.#send(command);
    else {
      this.#unanswered++;
      if (this.#waiting) this.#waiting.push(command);
      else {
        const judging = this.#decide(command);
        return judging && this.#holdBack(judging);
      }
    }
    return undefined;
  }

  /** Handles a message from the browser for one of the client's sessions. */
  message(message: RawMessage, sessionId: string): void {
    const beginning = prefixOf(message);
    if (this.#shield?.takeResponse(message, beginning)) return;
    if (beginning.startsWith('{"id":')) this.#unanswered--;
    if (beginning.startsWith('{"method":"Target.') && !this.#passesTargetEvent(textOf(message), sessionId)) return;
    if (this.#attaching.size > 0) this.#noteAttached(sessionId, beginning, message);
    if (this.#idle.needs(beginning)) {
      const { method, params } = JSON.parse(textOf(message)) as { method: string; params: object }; // The browser wrote it.
      this.#idle.hear(method, params, sessionId);
    }
    if (this.#shield) this.#shield.receive(message, beginning, sessionId);
    else this.#deliver(message, sessionId);
  }

  #deliver(message: RawMessage, sessionId: string): void {
    if (this.#ended) return;
    this.#options.deliver(sessionId === this.#root ? withoutSession(message) : message.parts);
  }

  /** Handles a message from the browser that is too long to keep. */
  cut({ head, bytes, limitBytes }: CutMessage, sessionId: string): void {
    const id = responseIdOf(head);
    if (id === undefined) {
      const reason = `${bytes} bytes are more than the ${limitBytes} that a message may have`;
      return this.#end(closeCodes.tooLong, `An event is too long: ${reason}`);
    }
    if (this.#shield?.takeCut(id)) return;
    this.#unanswered--;
    const error = {
      code: errorCodes.serverError,
      message: `The response is too long: ${bytes} bytes, and the limit is ${limitBytes}. Request less at a time`,
    };
    this.#send({ id, error, ...(sessionId === this.#root ? {} : { sessionId }) });
  }

  /**
   * Sends an event from the server to the connection, and to each session that the client attached itself.
   * @param isElsewhere returns whether a target is unrelated to the event, so that its sessions do not receive it
   */
  sendEvent(method: string, params: object, isElsewhere: (targetId: string) => boolean = () => false): void {
    this.#send({ method, params });
    for (const sessionId of this.#listening) {
      if (!isElsewhere(this.#sessions.get(sessionId) ?? '')) this.#send({ method, params, sessionId });
    }
  }

  /** Detaches from the browser; everything that the client set up in its sessions ends with them. */
  [Symbol.dispose](): void {
    this.#stop();
    this.#ended = true;
    this.#shield?.[Symbol.dispose]();
    this.#idle[Symbol.dispose]();
    const { connection } = this.#options;
    for (const sessionId of [this.#root, ...this.#sessions.keys()]) connection.handOver(sessionId, undefined);
    connection.root.send('Target.detachFromTarget', { sessionId: this.#root }).catch(() => {});
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.end(code, reason);
  }

  async #holdBack(judging: Promise<void>): Promise<void> {
    const waiting: ClientCommand[] = (this.#waiting = []);
    await judging;
    // Commands that arrive in the meantime are added to the end.
    for (const command of waiting) await this.#decide(command);
    this.#waiting = undefined;
  }

  /** @returns a promise that never rejects, for a command that takes time to check */
  #decide(command: ClientCommand): Promise<void> | undefined {
    if (this.#ended) return undefined;
    const { sessionId, method } = command;
    if (sessionId !== undefined) {
      if (!this.#sessions.has(sessionId)) {
        this.#reply(command, { error: noSuchSession });
        return undefined;
      }
      if (method.startsWith('Browserless.')) this.#listening.add(sessionId);
    }
    const failed = (error: unknown) => this.#reply(command, { error: errorOf(error) });
    try {
      const verdict = this.#judge(command);
      if (verdict instanceof Promise) {
        const done = verdict.then((known) => this.#follow(command, known)).catch(failed);
        return nonBlockingCommands.has(method) ? undefined : done;
      }
      this.#follow(command, verdict);
    } catch (error) {
      // The values are nested too deeply to be serialized again.
      failed(error);
    }
    return undefined;
  }

  #judge(command: ClientCommand): Verdict | Promise<Verdict> {
    const { method, params } = command;
    const answer = this.#options.answer(command);
    if (answer) return answer;
    if (method === 'Target.attachToTarget' || method === 'Target.autoAttachRelated') {
      if (!this.#options.targets.mayDrive(String(params['targetId']))) {
        return { refuse: 'This target is an internal page of the browser, which clients cannot control.' };
      }
    }
    return judge(method, params, this.#options.rules);
  }

  #follow(command: ClientCommand, verdict: Verdict): void {
    if (this.#ended) return;
    const { method } = command;
    if ('pass' in verdict) return this.#pass(command, verdict.pass);
    if ('answer' in verdict) return this.#reply(command, { result: verdict.answer });
    if ('unknown' in verdict) {
      this.#options.refused(method, 'unknown');
      return this.#reply(command, { error: { code: errorCodes.methodNotFound, message: `'${method}' wasn't found` } });
    }
    this.#options.refused(method, 'refused');
    this.#reply(command, { error: { code: errorCodes.serverError, message: verdict.refuse } });
  }

  #pass({ id, method, sessionId = this.#root }: ClientCommand, params: Params): void {
    if (method === 'Target.attachToTarget') this.#attaching.add(`${sessionId} ${id}`);
    this.#idle.sent(method, sessionId);
    (this.#shield ?? this.#options.connection).forward({ id, method, params, sessionId });
  }

  /** The client's name of a session: its own has none. */
  #outside(sessionId: string): string | undefined {
    return sessionId === this.#root ? undefined : sessionId;
  }

  #makeShield(): Shield {
    const { connection, targetId, shieldOpened } = this.#options;
    return new Shield({
      page: targetId === undefined ? undefined : this.#root,
      forward: (command) => connection.forward(command),
      deliver: (message, sessionId) => this.#deliver(message, sessionId),
      reply: (command, outcome) =>
        this.#reply({ id: command.id, sessionId: this.#outside(command.sessionId) }, outcome),
      emit: (sessionId, method, params) => this.#send({ method, params, sessionId: this.#outside(sessionId) }),
      notice: (notice) => this.sendEvent('Browserless.stealthNotice', notice),
      opened: (reason) => shieldOpened?.(reason),
    });
  }

  /** Notes sessions from an event of the Target domain. @returns false for an event that the client must not receive */
  #passesTargetEvent(text: string, parent: string): boolean {
    const { method, params } = JSON.parse(text) as TargetEvent; // The browser wrote it.
    const { connection } = this.#options;
    if (method === 'Target.attachedToTarget') {
      const { sessionId, targetInfo, waitingForDebugger: waiting } = params;
      if (!this.#options.targets.mayDriveAddress(targetInfo.url)) {
        // The client never sees this session, so the target must not wait for the client.
        ignoreFailures([connection.session(sessionId).send('Runtime.runIfWaitingForDebugger')]);
        return false;
      }
      this.#sessions.set(sessionId, targetInfo.targetId);
      if (targetInfo.type === 'browser') this.#ofBrowser.add(sessionId);
      connection.handOver(sessionId, this);
      this.#shield?.attached({ sessionId, type: targetInfo.type, waiting }, parent);
    } else if (method === 'Target.targetCreated' || method === 'Target.targetInfoChanged') {
      // A client that waits until it is attached to each announced target would wait forever.
      return this.#options.targets.mayDriveAddress(params.targetInfo.url);
    } else if (method === 'Target.detachedFromTarget') {
      const { sessionId } = params;
      connection.handOver(sessionId, undefined);
      this.#listening.delete(sessionId);
      this.#shield?.detached(sessionId);
      this.#idle.detached(sessionId);
      this.#ofBrowser.delete(sessionId);
      return this.#sessions.delete(sessionId);
    }
    return true;
  }

  #noteAttached(sessionId: string, beginning: string, message: RawMessage): void {
    const id = responseIdOf(beginning);
    if (id === undefined || !this.#attaching.delete(`${sessionId} ${id}`)) return;
    const attached = /"sessionId":"(\w+)"/.exec(textOf(message))?.[1];
    if (attached !== undefined && this.#sessions.has(attached)) this.#listening.add(attached);
  }

  #reply({ id, sessionId }: Pick<ClientCommand, 'id' | 'sessionId'>, outcome: object): void {
    this.#unanswered--;
    this.#send({ id, ...outcome, sessionId });
  }

  #send(message: object): void {
    if (!this.#ended) this.#options.deliver([utf8(JSON.stringify(message))]);
  }
}
