/**
 * Keeps a client's `Runtime.enable` from the browser, because pages can detect it. The client still receives the events
 * that it waits for. If that fails, the session fails open: it continues without the shield.
 */
import type { RawMessage } from '../../../browser/cdp/raw-message.ts';
import { type Params, shieldLimits, type ShieldLimits } from './limits.ts';
import { Names } from './names.ts';
import { firstOwnId, OwnCommands } from './own-commands.ts';
import { type SessionKind, ShieldedSession } from './session.ts';
import type { ClientCommand, SharedTools, ShieldEndpoints } from './sides.ts';

/** Describes what a client loses behind the shield; with the reason when a session has lost the shield itself. */
interface StealthNotice {
  lost: readonly string[];
  reason?: string;
}

export interface ShieldOptions extends ShieldEndpoints {
  /** The client's own session, when it belongs to a page. */
  page: string | undefined;
  /** Notifies the client. */
  notice(notice: StealthNotice): void;
  /** Called once, for the first session that fails open. */
  opened(reason: string): void;
  /** Default `shieldLimits`. */
  limits?: ShieldLimits;
}

/** A target that a client was attached to. */
export interface AttachedTarget {
  sessionId: string;
  type: string;
  /** True when the target has not started. */
  waiting: boolean;
}

const lost = ['pageerror', 'console arguments as objects'] as const;
/** JSON-RPC 2.0 section 5.1. */
const invalidRequest = -32_600;
/** The force of a mouse press; without it, a page does not see any pressure. */
const pressure = 0.5;
/** Matches a unique context id made by the shield. */
const ownUniqueId = /^(\d+)\.(?:worker|[0-9A-F]{32})$/;

/** Targets that are neither pages nor workers; clients do not enable `Runtime` there. */
const withoutRuntime: ReadonlySet<string> = new Set(['browser', 'tab']);
const kinds: Readonly<Record<string, SessionKind>> = {
  page: 'page',
  iframe: 'page',
  webview: 'page',
  worker: 'worker',
  shared_worker: 'worker',
  service_worker: 'worker',
};

export class Shield implements Disposable {
  readonly #options: ShieldOptions;
  readonly #own: OwnCommands;
  readonly #names = new Names();
  readonly #tools: SharedTools;
  /** The sessions of the client, each with the session that it was attached from. */
  readonly #sessions = new Map<string, { session: ShieldedSession; parent: string | undefined }>();
  #told = false;
  #openedOnce = false;

  constructor(options: ShieldOptions) {
    this.#options = options;
    this.#own = new OwnCommands((command) => options.forward(command));
    this.#tools = {
      endpoints: options,
      own: this.#own,
      names: this.#names,
      limits: options.limits ?? shieldLimits,
      held: { bytes: 0 },
      opened: (reason) => this.#opened(reason),
    };
    if (options.page !== undefined) this.#add(options.page, 'unknown', false, undefined);
  }

  #add(sessionId: string, kind: SessionKind, waiting: boolean, parent: string | undefined): void {
    const session = new ShieldedSession(sessionId, kind, waiting, this.#tools);
    this.#sessions.set(sessionId, { session, parent });
  }

  /** Forwards a client command to the browser, or responds to it. */
  forward(command: ClientCommand): void {
    const { id, method, sessionId, params } = command;
    if (id >= firstOwnId) {
      const message = `Ids of ${firstOwnId} and above are reserved for the server on this connection. Use smaller ids, or connect with shield=false`;
      return this.#options.reply(command, { error: { code: invalidRequest, message } });
    }
    const changed = { ...command, params: this.#names.toBrowser(method, withKnownContext(withForce(method, params))) };
    if (method === 'Runtime.enable' && this.#sessions.has(sessionId)) this.#tellOnce();
    if (this.#sessions.get(sessionId)?.session.take(changed)) return;
    this.#options.forward(changed);
  }

  /** Handles a response to the shield's own command. @returns false for any other browser message */
  takeResponse(message: RawMessage, beginning: string): boolean {
    return this.#own.take(message, beginning);
  }

  /** Like `takeResponse`, for a response that is too long to keep. */
  takeCut(id: number): boolean {
    return this.#own.takeCut(id);
  }

  /** Delivers a browser message to the client, in order. */
  receive(message: RawMessage, beginning: string, sessionId: string): void {
    const known = this.#sessions.get(sessionId);
    if (known) known.session.receive(message, beginning);
    else this.#options.deliver(message, sessionId);
  }

  /** Records that an event of the session `parent` attached the client to a target. */
  attached({ sessionId, type, waiting }: AttachedTarget, parent: string): void {
    if (withoutRuntime.has(type)) return;
    this.#add(sessionId, kinds[type] ?? 'unknown', waiting, parent);
  }

  /** Records that a session has ended, and with it all sessions attached from it. */
  detached(sessionId: string): void {
    this.#sessions.get(sessionId)?.session.end();
    this.#sessions.delete(sessionId);
    for (const [id, { parent }] of this.#sessions) if (parent === sessionId) this.detached(id);
  }

  [Symbol.dispose](): void {
    for (const { session } of this.#sessions.values()) session.end();
    this.#sessions.clear();
  }

  #tellOnce(): void {
    if (!this.#told) this.#options.notice({ lost });
    this.#told = true;
  }

  #opened(reason: string): void {
    this.#options.notice({ lost, reason });
    if (!this.#openedOnce) this.#options.opened(reason);
    this.#openedOnce = true;
  }
}

function withForce(method: string, params: Params): Params {
  if (method !== 'Input.dispatchMouseEvent' || params['type'] !== 'mousePressed') return params;
  return { force: pressure, ...params };
}

/** Replaces a unique context id made by the shield with the id that the browser gave the context. */
function withKnownContext(params: Params): Params {
  if (typeof params['uniqueContextId'] !== 'string') return params;
  const { uniqueContextId, ...others } = params;
  const [, id] = ownUniqueId.exec(String(uniqueContextId)) ?? [];
  return id === undefined ? params : { ...others, contextId: Number(id) };
}
