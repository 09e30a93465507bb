/**
 * Implements a browser for one client that is not a separate process: contexts of a shared browser, with everything in
 * them, behind a connection that shows nothing else.
 */
import { attachToChildren } from '../../cdp/auto-attach.ts';
import { type CdpSession, type Commands, ConnectionClosed, ProtocolError } from '../../cdp/connection.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import type { ClientBrowser } from '../client-browser.ts';
import { contextProxy, createContext } from '../page-target.ts';
import { VirtualConnection } from './connection.ts';
import type { TargetOwner, VirtualHost } from './host.ts';
import { StoredData } from './stored.ts';
import type { RootOwner, VirtualRoot } from './root.ts';
import type { Params, PausedSession, TargetEvent, TargetInfo } from './target-info.ts';

/** Contexts that a client may create in addition to the first. */
const maxContexts = 100;
/** Time in milliseconds within which a browser must close a page; otherwise it is considered stuck. */
const closeLimitMs = 15_000;
const serverError = -32_000;

export interface VirtualBrowserOptions {
  id: string;
  host: VirtualHost;
  /** Its own directory. */
  directory: { path: string; remove(): Promise<unknown> };
  /** The proxy for all its contexts without their own proxy; undefined for the real browser's proxy. */
  proxyServer: string | undefined;
  /** Aborted when the real browser has exited or no longer responds. */
  unfit: AbortSignal;
  /** Called when the real browser does not close its pages. */
  stuck(): void;
}

export class VirtualBrowser implements ClientBrowser, RootOwner, TargetOwner {
  readonly id: string;
  readonly shared = true;
  readonly stealth = false;
  readonly routes = undefined;
  readonly connection: VirtualConnection;
  /** Aborted when the real browser has exited or no longer responds: no client should receive this one any longer. */
  readonly unfit: AbortSignal;
  readonly #host: VirtualHost;
  readonly exited: Promise<{ code: number | null }>;
  readonly space: ClientBrowser['space'];
  readonly #options: VirtualBrowserOptions;
  /** Its default context. */
  #first = '';
  /** All of its contexts. */
  readonly #contexts = new Set<string>();
  /** Number of contexts that are being created. */
  #making = 0;
  readonly #roots = new Set<VirtualRoot>();
  readonly #stored: StoredData;
  /** New targets to which several sessions are being attached. */
  readonly #announcing = new Set<Promise<void>>();
  #closeAsked = false;
  #closing: Promise<void> | undefined;
  /** Set while certificate errors are ignored. */
  #certificates: (() => void) | undefined;

  private constructor(options: VirtualBrowserOptions) {
    const { id, host, directory, unfit } = options;
    this.id = id;
    this.#options = options;
    this.#host = host;
    this.#stored = new StoredData(host.connection);
    this.unfit = unfit;
    this.connection = new VirtualConnection(this, host);
    this.space = { dataDirectory: undefined, dataIsTemporary: true, scratchDirectory: directory.path };
    this.exited = this.#end();
  }

  async #end(): Promise<{ code: number | null }> {
    const asked = await new Promise<boolean>((resolve) => {
      // Read immediately: when the process has exited, the pool closes what was in it.
      this.gone.addEventListener('abort', () => resolve(this.#closeAsked), { once: true });
    });
    if (asked) return { code: 0 };
    // If its process is still running, only this browser was closed.
    return this.#host.connection.closed.aborted ? this.#host.process.exited : { code: null };
  }

  get pid(): number {
    return this.#host.process.pid;
  }

  get mode() {
    return this.#host.process.mode;
  }

  get version() {
    return this.#host.process.version;
  }

  get gone(): AbortSignal {
    return this.connection.closed;
  }

  fail(why: string): void {
    this.#host.process.fail(why);
  }

  get share() {
    if (this.gone.aborted) return undefined;
    return {
      stored: () => this.#stored.bytes(this.targets()),
      fail: (why: string) => this.connection.close('The browser was killed', why),
    };
  }

  /** Does nothing: closing it does not stop a process. */
  noteClosing(): void {}

  /**
   * Creates a virtual browser with a blank page.
   * @throws any error that the real browser reports, after everything is cleaned up
   */
  static async make(options: VirtualBrowserOptions): Promise<VirtualBrowser> {
    const browser = new VirtualBrowser(options);
    try {
      await browser.#start();
      return browser;
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { root } = this.#host.connection;
    const browserContextId = await createContext(root, this.#options.proxyServer);
    this.#first = browserContextId;
    this.#add(browserContextId);
    await this.connection.open();
    await root.send('Target.createTarget', { url: 'about:blank', browserContextId });
  }

  #add(contextId: string): void {
    this.#contexts.add(contextId);
    this.#host.assign(contextId, this);
  }

  /** Closes all its pages. Never rejects. */
  close(): Promise<void> {
    this.#closeAsked = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.connection.close('The browser was closed');
    const { root } = this.#host.connection;
    const closing = [...this.#contexts].map((browserContextId) =>
      root.send('Target.disposeBrowserContext', { browserContextId }),
    );
    using deadline = startDeadline(closeLimitMs, () => undefined, []);
    await orAborted(Promise.allSettled(closing), deadline.signal).catch(() => this.#options.stuck());
    for (const contextId of this.#contexts) this.#host.assign(contextId, undefined);
    await this.#options.directory.remove();
  }

  /** Starts or stops accepting certificates that cannot be verified, in all its present and future pages. */
  async ignoreCertificateErrors(ignore: boolean): Promise<void> {
    this.#certificates?.();
    this.#certificates = undefined;
    if (!ignore) return;
    // The command of the real browser would apply to every context in it.
    const { ready, stop } = attachToChildren(this.connection.root, ({ session }) => [
      session.send('Security.setIgnoreCertificateErrors', { ignore }),
    ]);
    this.#certificates = stop;
    await ready;
  }

  /** Adds a session, which is notified of targets from now on. */
  addRoot(root: VirtualRoot): void {
    this.#roots.add(root);
  }

  removeRoot(root: VirtualRoot): void {
    this.#roots.delete(root);
    root[Symbol.dispose]();
  }

  targets(): TargetInfo[] {
    return this.#host.targetsOf(this.#contexts);
  }

  ownsTarget(targetId: string): boolean {
    return this.#contexts.has(this.#host.target(targetId)?.browserContextId ?? '');
  }

  /** Whether a frame belongs to this browser, however deep in a page. */
  async ownsFrame(frameId: string): Promise<boolean> {
    // An out-of-process frame is a separate target.
    const target = this.#host.target(frameId);
    if (target) return this.ownsTarget(frameId);
    const { root } = this.#host.connection;
    for (const { targetId, type } of this.targets()) {
      if (type !== 'page' && type !== 'iframe') continue;
      const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
      const { frameTree } = await this.#host.connection.session(sessionId).send('Page.getFrameTree');
      await root.send('Target.detachFromTarget', { sessionId });
      if (framesOf(frameTree).includes(frameId)) return true;
    }
    return false;
  }

  /** Forgets contexts that no longer exist: disposed of, or closed along with the session that created them. */
  async forgetGone(): Promise<void> {
    const known = [...this.#contexts];
    const { browserContextIds } = await this.#host.connection.root.send('Target.getBrowserContexts');
    const there = new Set(browserContextIds);
    for (const contextId of known.filter((id) => !there.has(id))) {
      this.#contexts.delete(contextId);
      this.#stored.forget(contextId);
      this.#host.assign(contextId, undefined);
    }
  }

  /** The contexts that clients have created; some may no longer exist. */
  ownContexts(): string[] {
    return [...this.#contexts].filter((id) => id !== this.#first);
  }

  /** The context that a command refers to. @throws ProtocolError for a context that does not belong to this browser */
  contextOf(method: string, named: unknown): string {
    if (named === undefined) return this.#first;
    if (typeof named === 'string' && this.#contexts.has(named)) return named;
    throw new ProtocolError(method, serverError, `Failed to find browser context with id ${String(named)}`);
  }

  /** Target.createBrowserContext. @param real the session with which the context is closed */
  async createContext(params: Params, real: CdpSession): Promise<object> {
    const method = 'Target.createBrowserContext';
    if (this.#contexts.size + this.#making > maxContexts) await this.forgetGone();
    if (this.#contexts.size + this.#making > maxContexts) {
      throw new ProtocolError(
        method,
        serverError,
        `A browser may have at most ${maxContexts} contexts. Dispose of one.`,
      );
    }
    const named = params['proxyServer'] === undefined ? contextProxy(this.#options.proxyServer) : {};
    this.#making++;
    const made = await real.send(method, { ...params, ...named }).finally(() => this.#making--);
    if (this.#closeAsked) {
      // `#close` did not know about it.
      await this.#host.connection.root.send('Target.disposeBrowserContext', made);
      throw new ConnectionClosed(`${method}: the browser is gone`);
    }
    this.#add(made.browserContextId);
    return made;
  }

  /**
   * Gives a new target to one of the sessions that want it: to the last, because the first is the server's, which must
   * have set up the target before a client lets it continue.
   */
  adopt(paused: PausedSession): VirtualRoot | undefined {
    const wanting = [...this.#roots].filter((root) => root.wants(paused.info));
    const adopter = wanting.pop();
    if (wanting.length === 0) adopter?.adopt(paused);
    else {
      const announced = Promise.allSettled(wanting.map((root) => root.attach(paused.info)))
        .then(() => adopter?.adopt(paused))
        .finally(() => this.#announcing.delete(announced));
      this.#announcing.add(announced);
    }
    return adopter;
  }

  async announced(): Promise<void> {
    await Promise.allSettled(this.#announcing);
  }

  targetEvent(info: TargetInfo, method: TargetEvent, params: object): void {
    if (method === 'Target.targetCreated') this.connection.noteTarget(info.targetId);
    if (method === 'Target.targetCreated' || method === 'Target.targetInfoChanged') this.#stored.note(info);
    for (const root of this.#roots) root.targetEvent(info, method, params);
  }
}

type FrameTree = Commands['Page.getFrameTree']['returnType']['frameTree'];

/** The ids of all frames of a page. */
function framesOf({ frame, childFrames = [] }: FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(framesOf)];
}
