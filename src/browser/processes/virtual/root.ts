/**
 * Implements a session of a virtual browser: commands that a real browser would apply to all its contexts apply only to
 * those of the virtual browser, and only events of their targets are sent. Commands for a single target are passed to a
 * session of the real browser; every virtual session has its own.
 */
import { ignoreFailures } from '../../cdp/auto-attach.ts';
import { type CdpSession, ProtocolError } from '../../cdp/connection.ts';
import { isPlainObject } from '../../../base/schema/record.ts';
import type { Adopter, VirtualHost } from './host.ts';
import { OwnDownloads } from './own-downloads.ts';
import { sessionOnly, ofContext, ofTarget, refusalOf } from './root-commands.ts';
import { accepts, readFilter, type TargetFilter } from './target-filter.ts';
import type { Params, PausedSession, TargetEvent, TargetInfo } from './target-info.ts';

/** JSON-RPC 2.0 section 5.1. */
const invalidParams = -32_602;
const serverError = -32_000;

/** The parameters of Target.setAutoAttach. */
interface AutoAttach {
  filter: TargetFilter;
  /** Whether new targets wait for the client. */
  pauses: boolean;
}

/** The virtual browser of a connection and its sessions. */
export interface RootOwner {
  readonly connection: {
    /** Opens another session with the whole browser, which ends with `parent`. */
    openRoot(parent: CdpSession): Promise<{ sessionId: string }>;
    noteAttached(sessionId: string, type: string): void;
    noteDetached(sessionId: string): void;
    takesTrace(sessionId: string, method: string, params: Params): boolean;
  };
  targets(): TargetInfo[];
  /** Resolves when all sessions that want the targets so far are attached to them. */
  announced(): Promise<void>;
  ownsTarget(targetId: string): boolean;
  ownsFrame(frameId: string): Promise<boolean>;
  /** The contexts that clients have created. */
  ownContexts(): string[];
  /** Forgets contexts that no longer exist. */
  forgetGone(): Promise<void>;
  /** The context that a command refers to. @throws ProtocolError for a context of another client */
  contextOf(method: string, named: unknown): string;
  createContext(params: Params, real: CdpSession): Promise<object>;
  ignoreCertificateErrors(ignore: boolean): Promise<void>;
  close(): Promise<void>;
  /** Adds a session, which is notified of targets from now on. */
  addRoot(root: VirtualRoot): void;
  removeRoot(root: VirtualRoot): void;
}

export class VirtualRoot implements Adopter, Disposable {
  readonly sessionId: string;
  readonly #browser: RootOwner;
  readonly #host: VirtualHost;
  /** The session of the real browser. */
  readonly #real: CdpSession;
  readonly #emit: (method: string, params: object) => void;
  readonly #stop: () => void;
  #discovers: TargetFilter | undefined;
  #attaches: AutoAttach | undefined;
  /** Sessions that were attached automatically, with their targets. */
  readonly #attached = new Map<string, string>();
  /** Those of them that were announced with a new target, each with the session through which it detaches. */
  readonly #adopted = new Map<string, CdpSession>();
  readonly #downloads: OwnDownloads;

  /** @param emit sends an event of the session */
  constructor(browser: RootOwner, host: VirtualHost, real: CdpSession, emit: (method: string, params: object) => void) {
    this.sessionId = real.id ?? '';
    this.#browser = browser;
    this.#host = host;
    this.#real = real;
    this.#emit = emit;
    this.#downloads = new OwnDownloads({ ownsFrame: (frameId) => browser.ownsFrame(frameId), emit });
    this.#stop = real.onAny((method, params) => this.#event(method, params));
  }

  /** Runs a command for the virtual browser. @throws ProtocolError with Chromium's wording, ConnectionClosed */
  run(method: string, params: Params): Promise<unknown> {
    try {
      const own = this.#own[method];
      if (own) return own(params);
      if (ofTarget.has(method)) this.#checkTarget(method, params['targetId']);
      if (ofContext.has(method)) {
        const browserContextId = this.#browser.contextOf(method, params['browserContextId']);
        const passed = this.#pass(method, { ...params, browserContextId });
        return method === 'Target.createTarget' ? this.#afterAttached(passed) : passed;
      }
      if (ofTarget.has(method) || sessionOnly.has(method)) return this.#pass(method, params);
      throw refusalOf(method);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Whether the client wants to be attached to such targets automatically. */
  wants({ type }: TargetInfo): boolean {
    return this.#attaches !== undefined && accepts(this.#attaches.filter, type);
  }

  /** Takes over a new target with its session. */
  adopt({ sessionId, info, watcher }: PausedSession): void {
    if (!this.#attaches) return this.#host.release({ sessionId, watcher });
    const { pauses } = this.#attaches;
    this.#attached.set(sessionId, info.targetId);
    this.#adopted.set(sessionId, watcher);
    this.#emit('Target.attachedToTarget', { sessionId, targetInfo: info, waitingForDebugger: pauses });
    if (!pauses)
      ignoreFailures([this.#host.connection.command('Runtime.runIfWaitingForDebugger', undefined, sessionId)]);
  }

  /** Attaches to a target with a separate session. @throws any error that the browser reports */
  async attach({ targetId }: TargetInfo): Promise<void> {
    const { sessionId } = await this.#real.send('Target.attachToTarget', { targetId, flatten: true });
    this.#attached.set(sessionId, targetId);
  }

  /** Called when an adopted session has ended. */
  lost(sessionId: string): void {
    const targetId = this.#attached.get(sessionId);
    this.#adopted.delete(sessionId);
    this.#attached.delete(sessionId);
    this.#emit('Target.detachedFromTarget', { sessionId, targetId });
  }

  /** Sends an event about a target to a client that wants it. */
  targetEvent({ type }: TargetInfo, method: TargetEvent, params: object): void {
    if (this.#discovers && accepts(this.#discovers, type)) this.#emit(method, params);
  }

  /** Detaches from everything that it is attached to. */
  [Symbol.dispose](): void {
    this.#stop();
    for (const [sessionId, watcher] of this.#adopted) this.#host.release({ sessionId, watcher });
    this.#adopted.clear();
    this.#attached.clear();
  }

  readonly #own: Readonly<Record<string, (params: Params) => Promise<unknown>>> = {
    'Target.setDiscoverTargets': (params) => this.#setDiscover(params),
    'Target.setAutoAttach': (params) => this.#setAutoAttach(params),
    'Target.getTargets': ({ filter }) => this.#getTargets(filter),
    'Target.getTargetInfo': (params) => this.#getTargetInfo(params),
    'Target.getBrowserContexts': () => this.#getContexts(),
    'Target.createBrowserContext': (params) => this.#browser.createContext(params, this.#real),
    'Target.disposeBrowserContext': (params) => this.#disposeContext(params),
    'Target.detachFromTarget': ({ sessionId }) => this.#detach(String(sessionId)),
    'Target.attachToBrowserTarget': () => this.#browser.connection.openRoot(this.#real),
    'Target.attachToTarget': (params) => this.#attachToTarget(params),
    'Security.setIgnoreCertificateErrors': ({ ignore }) =>
      this.#browser.ignoreCertificateErrors(ignore === true).then(() => ({})),
    'Browser.close': () => this.#browser.close().then(() => ({})),
    'Browser.getWindowBounds': (params) => this.#ofWindow('Browser.getWindowBounds', params),
    'Browser.setWindowBounds': (params) => this.#ofWindow('Browser.setWindowBounds', params),
    'Browser.setContentsSize': (params) => this.#ofWindow('Browser.setContentsSize', params),
  };

  #pass(method: string, params: Params): Promise<unknown> {
    return this.#host.connection.command(method, params, this.#real.id);
  }

  /** Chromium attaches every session to a new target before it responds: clients look for the session then. */
  async #afterAttached(passed: Promise<unknown>): Promise<unknown> {
    const result = await passed;
    await this.#browser.announced();
    return result;
  }

  #checkTarget(method: string, targetId: unknown): void {
    // Without an id, a command applies to the target of the session.
    if (targetId === undefined || this.#browser.ownsTarget(String(targetId))) return;
    throw invalid(method, 'No target with given id found');
  }

  async #setDiscover({ discover, filter }: Params): Promise<object> {
    const method = 'Target.setDiscoverTargets';
    if (typeof discover !== 'boolean') throw invalid(method);
    this.#discovers = discover ? filterOf(method, filter) : undefined;
    for (const targetInfo of await this.#present()) {
      this.targetEvent(targetInfo, 'Target.targetCreated', { targetInfo });
    }
    return {};
  }

  async #setAutoAttach({ autoAttach, waitForDebuggerOnStart, flatten, filter }: Params): Promise<object> {
    const method = 'Target.setAutoAttach';
    if (typeof autoAttach !== 'boolean' || typeof waitForDebuggerOnStart !== 'boolean') throw invalid(method);
    if (flatten !== true) throw invalid(method, 'Only flatten protocol is supported with browser level auto-attach');
    if (!autoAttach) {
      this.#attaches = undefined;
      await Promise.all([...this.#attached.keys()].map((sessionId) => this.#detach(sessionId)));
      return {};
    }
    const read = filterOf(method, filter);
    if (accepts(read, 'tab') && accepts(read, 'page')) {
      throw invalid(
        method,
        'Filter should not simultaneously allow "tab" and "page", page targets are attached via tab targets',
      );
    }
    this.#attaches = { filter: read, pauses: waitForDebuggerOnStart };
    const known = new Set(this.#attached.values());
    const present = this.#browser.targets().filter((info) => this.wants(info) && !known.has(info.targetId));
    // A target may close in the meantime.
    await Promise.all(
      present.filter((info) => this.#host.isAttachable(info)).map((info) => this.attach(info).catch(() => {})),
    );
    return {};
  }

  async #attachToTarget(params: Params): Promise<unknown> {
    const { targetId } = params;
    if (targetId === this.#host.self.targetId) return this.#browser.connection.openRoot(this.#real);
    this.#checkTarget('Target.attachToTarget', targetId);
    return this.#pass('Target.attachToTarget', params);
  }

  async #detach(sessionId: string): Promise<object> {
    const watcher = this.#adopted.get(sessionId);
    return (watcher ?? this.#real).send('Target.detachFromTarget', { sessionId }).then(() => ({}));
  }

  async #getTargets(filter: unknown): Promise<object> {
    const read = filterOf('Target.getTargets', filter);
    return { targetInfos: (await this.#present()).filter(({ type }) => accepts(read, type)) };
  }

  #getTargetInfo({ targetId = this.#host.self.targetId }: Params): Promise<unknown> {
    if (targetId === this.#host.self.targetId) return Promise.resolve({ targetInfo: this.#host.self });
    this.#checkTarget('Target.getTargetInfo', targetId);
    return this.#pass('Target.getTargetInfo', { targetId });
  }

  /** The targets as they are now: Chromium does not report changes of a title. */
  async #present(): Promise<TargetInfo[]> {
    const infos = this.#browser.targets().map(async (known) => {
      if (known === this.#host.self) return known;
      // A target may close in the meantime.
      const asked = this.#real.send('Target.getTargetInfo', { targetId: known.targetId }).catch(() => undefined);
      return (await asked)?.targetInfo;
    });
    return (await Promise.all(infos)).filter((info) => info !== undefined);
  }

  async #getContexts(): Promise<object> {
    await this.#browser.forgetGone();
    return { browserContextIds: this.#browser.ownContexts() };
  }

  async #disposeContext({ browserContextId }: Params): Promise<object> {
    const method = 'Target.disposeBrowserContext';
    if (!this.#browser.ownContexts().includes(String(browserContextId))) {
      throw new ProtocolError(method, serverError, `Failed to find context with id ${String(browserContextId)}`);
    }
    await this.#pass(method, { browserContextId });
    await this.#browser.forgetGone();
    return {};
  }

  /** Window ids are shared by the whole browser: the virtual browser may use only those of its own pages. */
  async #ofWindow(method: string, params: Params): Promise<unknown> {
    const { windowId } = params;
    for (const { targetId, type } of this.#browser.targets()) {
      if (type !== 'page') continue;
      const window = await this.#real.send('Browser.getWindowForTarget', { targetId }).catch(() => undefined);
      if (window?.windowId === windowId) return this.#pass(method, params);
    }
    throw new ProtocolError(method, serverError, 'Browser window not found');
  }

  /** Handles an event of the real browser's session. */
  #event(method: string, params: unknown): void {
    if (!isPlainObject(params)) return;
    if (this.#downloads.take(method, params)) return;
    if (method.startsWith('Tracing.') && this.#browser.connection.takesTrace(this.sessionId, method, params)) return;
    const { sessionId, targetInfo } = params;
    if (method === 'Target.attachedToTarget' && isPlainObject(targetInfo)) {
      this.#browser.connection.noteAttached(String(sessionId), String(targetInfo['type']));
    }
    this.#emit(method, params);
    if (method !== 'Target.detachedFromTarget') return;
    this.#attached.delete(String(sessionId));
    this.#browser.connection.noteDetached(String(sessionId));
  }
}

const invalid = (method: string, reason = 'Invalid parameters') => new ProtocolError(method, invalidParams, reason);

function filterOf(method: string, value: unknown): TargetFilter {
  const filter = readFilter(value);
  if (!filter) throw invalid(method);
  return filter;
}
