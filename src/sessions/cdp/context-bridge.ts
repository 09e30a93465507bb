// Presents one context of a shared browser to a CDP client as if it were a whole browser: handles root commands itself,
// checks and forwards commands to the sessions of its pages, and hides all other contexts. The file is long because
// commands, events and windows share the records of the client's pages and sessions.
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import { type BrowserConnection, type CdpSession, ProtocolError } from '../../browser/cdp/connection.ts';
import { type NewWindow, watchWindows, type WindowInfo, type WindowOwner } from '../../browser/cdp/new-windows.ts';
import { defaultWindow } from '../../browser/processes/page-target.ts';
import { codeLimits } from '../../base/limits.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import { type ClientCommand, errorOf, parseCommand, Refusal } from './client-command.ts';
import { CodeWindows } from './code-windows.ts';
import { ContextShield } from './context-shield.ts';
import { ClientContexts } from './client-contexts.ts';
import { contextCommands, judgePageCommand, noOwnProxy } from './context-rules.ts';
import { errorCodes } from './error-codes.ts';
import { IdleReports } from './idle-reports.ts';
import { refusalOf } from './rules/address-rules.ts';
import type { Params, RuleContext } from './rules/verdict.ts';

export interface ContextBridgeOptions {
  connection: BrowserConnection;
  /** The context; undefined for the default context of a browser that only this client uses. */
  contextId: string | undefined;
  /** A page that the client receives instead of the first page that it creates; undefined for none. */
  firstPage: string | undefined;
  /** True when new pages are created with a window size; full browsers refuse one. */
  sized: boolean;
  /** Keeps `Runtime.enable` from the browser, because pages can detect it. */
  shield: boolean;
  /** Whether a page may open this URL. */
  allowsUrl(text: string): boolean;
  /** The proxy of contexts that the client creates; undefined for the browser's proxy. */
  proxyServer: string | undefined;
  /** Called with every message to the client, as JSON text. */
  deliver(message: string): void;
  /** Called when the client closes its browser. */
  closed(): void;
  /** Called with the reason when its pages have opened too many windows. */
  tooManyWindows(reason: string): void;
}

export class ContextBridge implements Disposable, WindowOwner {
  readonly #options: ContextBridgeOptions;
  readonly #rules: RuleContext;
  /** Sessions of the client, each with the function that stops listening to it. */
  readonly #sessions = new Map<string, () => void>();
  /** Pages of the client by target id, each with the session that it was announced with. */
  readonly #pages = new Map<string, string>();
  /** The client's own context, and those that it created. */
  readonly contexts: ClientContexts;
  readonly #frames = new Set<string>();
  /** Called after a window of the client has opened. */
  windowOpened: () => void = () => {};
  readonly #windows = new CodeWindows();
  /** Settles when the pages that the client is creating have been created. */
  #creating: Promise<unknown> = Promise.resolve();
  readonly #stop: (() => void)[];
  readonly #shield: ContextShield | undefined;
  readonly #idle = new IdleReports((sessionId, method, params) => this.#event(method, params, sessionId));
  #firstPage: string | undefined;
  #disposed = false;
  #setUp: ((session: CdpSession, targetId: string) => Promise<void>) | undefined;

  constructor(options: ContextBridgeOptions) {
    this.#options = options;
    this.#firstPage = options.firstPage;
    this.#rules = {
      scope: 'context',
      full: !options.sized,
      allowsUrl: (text) => options.allowsUrl(text),
      files: undefined,
      openProxy: () => Promise.reject(new Refusal(noOwnProxy)),
      allowedMethods: new Set(),
    };
    this.contexts = new ClientContexts(options);
    const { root } = options.connection;
    const { connection, shield } = options;
    const tell = (method: string, params: unknown, sessionId: string) => this.#event(method, params, sessionId);
    this.#shield = shield ? new ContextShield({ connection, event: tell }) : undefined;
    this.#stop = [
      root.on('Target.detachedFromTarget', ({ sessionId }) => this.#detached(sessionId)),
      root.on('Target.targetCrashed', (event) => {
        if (this.#pages.has(event.targetId)) this.#event('Target.targetCrashed', event);
      }),
    ];
  }

  /**
   * Shows the client the windows that its pages open from now on.
   * @throws any error that the browser reports
   */
  async watchWindows(): Promise<void> {
    const stop = await watchWindows(this.#options.connection, this);
    if (this.#disposed) stop();
    else this.#stop.push(stop);
  }

  /** True for a frame of one of the client's pages. */
  hasFrame(frameId: string): boolean {
    return this.#frames.has(frameId);
  }

  /**
   * Sets up existing and future pages, each through a session that the client does not see; future pages before the
   * client receives them.
   * @throws any error that occurs while an existing page is set up
   */
  async setUpPages(setUp: (session: CdpSession, targetId: string) => Promise<void>): Promise<void> {
    this.#setUp = setUp;
    await Promise.all(
      [...this.#pages.keys()].map(async (targetId) => setUp(await this.#hiddenSession(targetId), targetId)),
    );
  }

  async #hiddenSession(targetId: string): Promise<CdpSession> {
    const { connection } = this.#options;
    const { sessionId } = await connection.root.send('Target.attachToTarget', { targetId, flatten: true });
    return connection.session(sessionId);
  }

  hasContext(browserContextId: string | undefined): boolean {
    const { contextId } = this.#options;
    // In the default context, the opener of a window shows whose it is.
    return contextId === undefined || browserContextId === contextId || this.contexts.has(browserContextId ?? '');
  }

  async adopt(window: NewWindow): Promise<boolean> {
    const { sessionId, info, tab } = window;
    const { targetId, openerId = '' } = info;
    if (this.#options.firstPage === undefined) {
      // A download of the window may begin at any time.
      this.#frames.add(targetId);
      await this.#creating;
      // The client created it.
      if (this.#pages.has(targetId)) return false;
    } else if (!this.#pages.has(openerId)) return false;
    if (this.#disposed) return false;
    const refusal = this.#windows.add(window);
    if (refusal !== undefined) {
      this.#close(targetId);
      this.#options.tooManyWindows(refusal);
      return true;
    }
    const targetInfo = this.#shown({ ...info, attached: true });
    this.#pages.set(targetId, sessionId);
    this.#event('Target.targetCreated', { targetInfo });
    const guarded = await this.#guard(targetId).then(
      () => true,
      () => false,
    );
    if (!guarded || tab.closed.aborted) {
      this.#close(targetId);
      this.#closed(sessionId, targetId);
      return true;
    }
    this.#shield?.attached(sessionId, { type: 'page', waiting: true }, '');
    this.#claim(sessionId);
    this.#event('Target.attachedToTarget', { sessionId, targetInfo, waitingForDebugger: true });
    this.windowOpened();
    return true;
  }

  changed(info: WindowInfo): void {
    if (info.type !== 'page' || !this.#pages.has(info.targetId)) return;
    this.#windows.changed(info);
    this.#event('Target.targetInfoChanged', { targetInfo: this.#shown(info) });
  }

  /** True while a window of the client has loaded no document. */
  get hasBlankWindow(): boolean {
    return this.#windows.someBlank;
  }

  /** Closes a window whose first document became a download, as browsers with a user interface do. */
  closeBlank(targetId: string): void {
    if (this.#windows.isBlank(targetId)) this.#close(targetId);
  }

  lost(sessionId: string): void {
    this.#detached(sessionId);
  }

  /** Sets up a window. The commands take effect before it continues, but some are answered only afterward. */
  async #guard(targetId: string): Promise<void> {
    if (this.#setUp) ignoreFailures([this.#setUp(await this.#hiddenSession(targetId), targetId)]);
  }

  #close(targetId: string): void {
    ignoreFailures([this.#options.connection.root.send('Target.closeTarget', { targetId })]);
  }

  /** A target as the client sees it: its own context is the default one. */
  #shown(info: WindowInfo): WindowInfo {
    const { browserContextId, ...rest } = info;
    return this.contexts.has(browserContextId ?? '') ? info : rest;
  }

  /** Handles a message from the client and delivers the response. Drops anything that is not a protocol message. */
  receive(text: string): void {
    const message = parseCommand(text);
    if (!('method' in message)) return;
    const { id, sessionId } = message;
    this.#run(message).then(
      (outcome) => this.#answer({ id, ...outcome, sessionId }),
      (error: unknown) => this.#answer({ id, error: errorOf(error), sessionId }),
    );
  }

  /** Stops listening and disposes of the contexts that the client created. Its pages close with their context. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    for (const stop of [...this.#stop, ...this.#sessions.values()]) stop();
    const { connection, firstPage } = this.#options;
    // A page that outlives the client must not keep what the client set up, such as interception.
    const left = firstPage === undefined ? [] : [...this.#sessions.keys()];
    ignoreFailures(left.map((sessionId) => connection.root.send('Target.detachFromTarget', { sessionId })));
    this.#shield?.[Symbol.dispose]();
    this.#idle[Symbol.dispose]();
    this.#sessions.clear();
    this.#pages.clear();
    this.contexts[Symbol.dispose]();
  }

  async #run({ id, method, params, sessionId }: ClientCommand): Promise<object> {
    if (sessionId !== undefined && !this.#sessions.has(sessionId))
      throw new Refusal('Session with given id not found.');
    const ofBrowser = sessionId === undefined || method.startsWith('Browser.');
    if (ofBrowser) return { result: await this.#runOnBrowser(method, params) };
    const judged = judgePageCommand(method, params, this.#rules, (session) => this.#sessions.has(session));
    // Commands that are checked synchronously are sent immediately, which keeps the client's order.
    const verdict = judged instanceof Promise ? await judged : judged;
    if ('refuse' in verdict) throw new Refusal(verdict.refuse);
    if ('answer' in verdict) return { result: verdict.answer };
    if ('unknown' in verdict) throw new ProtocolError(method, errorCodes.methodNotFound, `'${method}' wasn't found`);
    this.#idle.sent(method, sessionId);
    if (this.#shield) return this.#shield.command({ id, method, params: verdict.pass, sessionId });
    return { result: await this.#options.connection.command(method, verdict.pass, sessionId) };
  }

  async #runOnBrowser(method: string, params: Params): Promise<unknown> {
    const { connection, contextId } = this.#options;
    const { root } = connection;
    if (contextCommands.has(method)) {
      const { browserContextId, ...rest } = params;
      const own = this.#createdContext(browserContextId);
      return connection.command(method, { ...rest, browserContextId: own ?? contextId }, undefined);
    }
    switch (method) {
      case 'Browser.getVersion':
        return root.send('Browser.getVersion');
      // The bridge announces the client's pages without being asked, so there is nothing to switch on.
      case 'Target.setDiscoverTargets':
      case 'Target.setAutoAttach':
      case 'Browser.setDownloadBehavior':
      case 'Security.setIgnoreCertificateErrors':
        return {};
      case 'Target.getBrowserContexts':
        return { browserContextIds: this.contexts.created };
      case 'Target.createBrowserContext':
        return this.contexts.create(params);
      case 'Target.disposeBrowserContext':
        return this.contexts.dispose(String(params['browserContextId']));
      case 'Target.createTarget':
        return this.#createPage(params);
      case 'Target.attachToTarget':
        return { sessionId: await this.#attach(this.#own(params)) };
      case 'Target.detachFromTarget':
        if (!this.#sessions.has(String(params['sessionId']))) throw new Refusal('No session with given id');
        return (this.#windows.tabOf(String(params['sessionId'])) ?? root).send('Target.detachFromTarget', {
          sessionId: String(params['sessionId']),
        });
      case 'Target.closeTarget':
      case 'Target.activateTarget':
      case 'Target.getTargetInfo':
      case 'Browser.getWindowForTarget':
        return connection.command(method, { targetId: this.#own(params) }, undefined);
      case 'Target.getTargets': {
        const { targetInfos } = await root.send('Target.getTargets');
        return { targetInfos: targetInfos.filter(({ targetId }) => this.#pages.has(targetId)) };
      }
      case 'Browser.close':
        this.#options.closed();
        return {};
      default:
        throw new Refusal(`${method} is not available here: it applies to the whole browser, which is shared.`);
    }
  }

  /** Returns the target id in the parameters. @throws Refusal when it is not one of the client's pages */
  #own(params: Params): string {
    const targetId = String(params['targetId']);
    if (!this.#pages.has(targetId)) throw new Refusal('No target with given id found');
    return targetId;
  }

  /** The context in a command's parameters, if the client created it. */
  #createdContext(named: unknown): string | undefined {
    return typeof named === 'string' && this.contexts.has(named) ? named : undefined;
  }

  async #createPage({ url = 'about:blank', browserContextId }: Params): Promise<object> {
    const { connection, contextId, sized } = this.#options;
    if (typeof url !== 'string') throw new Refusal('The URL must be a string.');
    const reason = refusalOf(url, this.#rules);
    if (reason !== undefined) throw new Refusal(reason);
    const own = this.#createdContext(browserContextId);
    const firstPage = this.#firstPage;
    this.#firstPage = undefined;
    const created =
      firstPage === undefined
        ? connection.root.send('Target.createTarget', {
            url,
            browserContextId: own ?? contextId,
            ...(sized ? defaultWindow : {}),
          })
        : Promise.resolve({ targetId: firstPage });
    this.#creating = Promise.allSettled([this.#creating, created]);
    const { targetId } = await created;
    const targetInfo = {
      targetId,
      type: 'page',
      title: '',
      url,
      attached: true,
      canAccessOpener: false,
      browserContextId: own,
    };
    this.#event('Target.targetCreated', { targetInfo });
    this.#pages.set(targetId, '');
    // A page's main frame has the id of its target.
    this.#frames.add(targetId);
    const sessionId = await this.#attach(targetId, targetInfo);
    this.#pages.set(targetId, sessionId);
    if (this.#setUp) await this.#setUp(await this.#hiddenSession(targetId), targetId);
    return { targetId };
  }

  /** Attaches to one of the client's pages. Like a browser, it sends Target.attachedToTarget before the response. */
  async #attach(targetId: string, known?: object): Promise<string> {
    const { root } = this.#options.connection;
    const targetInfo = known ?? (await root.send('Target.getTargetInfo', { targetId })).targetInfo;
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    this.#shield?.attached(sessionId, { type: 'page', waiting: false }, '');
    this.#claim(sessionId);
    this.#event('Target.attachedToTarget', { sessionId, targetInfo, waitingForDebugger: false });
    return sessionId;
  }

  /** Sends the events of a session to the client from now on, and those of its child sessions. */
  #claim(sessionId: string): void {
    const session = this.#options.connection.session(sessionId);
    const stop = session.onAny((method, params) => {
      if (isPlainObject(params)) this.#note(method, params, sessionId);
      this.#idle.hear(method, params, sessionId);
      if (this.#shield) this.#shield.hear(method, params, sessionId);
      else this.#event(method, params, sessionId);
    });
    this.#sessions.set(sessionId, stop);
  }

  /** Records the child sessions and frames of a page from its events. */
  #note(method: string, params: Params, parent: string): void {
    const { sessionId, frameId, targetInfo, waitingForDebugger } = params;
    if (method === 'Page.frameAttached' && typeof frameId === 'string') this.#frames.add(frameId);
    if (typeof sessionId !== 'string') return;
    if (method === 'Target.attachedToTarget') {
      const type = isPlainObject(targetInfo) ? String(targetInfo['type']) : '';
      this.#shield?.attached(sessionId, { type, waiting: waitingForDebugger === true }, parent);
      this.#claim(sessionId);
    } else if (method === 'Target.detachedFromTarget') this.#forget(sessionId);
  }

  #forget(sessionId: string): void {
    this.#sessions.get(sessionId)?.();
    this.#sessions.delete(sessionId);
    this.#shield?.detached(sessionId);
    this.#idle.detached(sessionId);
  }

  /** Handles the end of a session that was attached at the root. */
  #detached(sessionId: string): void {
    if (!this.#sessions.has(sessionId)) return;
    this.#forget(sessionId);
    const targetId = [...this.#pages].find(([, session]) => session === sessionId)?.[0];
    this.#event('Target.detachedFromTarget', { sessionId, targetId });
    if (targetId !== undefined) this.#closed(sessionId, targetId);
  }

  #closed(sessionId: string, targetId: string): void {
    this.#windows.closed(sessionId, targetId);
    this.#pages.delete(targetId);
    this.#event('Target.targetDestroyed', { targetId });
  }

  #event(method: string, params: unknown, sessionId?: string): void {
    this.#options.deliver(JSON.stringify({ method, params, sessionId }));
  }

  #answer(message: { id: number; result?: unknown; error?: object; sessionId: string | undefined }): void {
    const text = JSON.stringify(message);
    const { id, sessionId } = message;
    if (text.length <= codeLimits.messageCharacters) return this.#options.deliver(text);
    const error = errorOf(new Refusal(`The response is longer than ${codeLimits.messageCharacters} characters.`));
    this.#options.deliver(JSON.stringify({ id, error, sessionId }));
  }
}
