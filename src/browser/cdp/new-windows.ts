/**
 * Offers the windows that pages open to those who drive these pages, before the windows load
 * (compatibility.mdx#code-in-requests).
 */
import { ignoreFailures } from './auto-attach.ts';
import type { BrowserConnection, CdpSession, EventParams } from './connection.ts';

export type WindowInfo = EventParams<'Target.targetCreated'>['targetInfo'];

/** A window that waits for Runtime.runIfWaitingForDebugger on its session. */
export interface NewWindow {
  sessionId: string;
  info: WindowInfo;
  /** The session of its tab, which attached the window's session. */
  tab: CdpSession;
}

export interface WindowOwner {
  /** Whether pages of this context may belong to the owner. */
  hasContext(contextId: string | undefined): boolean;
  /**
   * Takes a window. Resolves with false when it belongs to someone else. Until then, the window loads nothing, except
   * one that a click with Ctrl or the middle button opened.
   */
  adopt(window: NewWindow): Promise<boolean>;
  /** Called when the URL or title of any page has changed. */
  changed(info: WindowInfo): void;
  /** Called when the session of a window has ended. */
  lost(sessionId: string): void;
}

const pause = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true } as const;
const watches = new WeakMap<BrowserConnection, WindowWatch>();

/**
 * Offers every window that opens from now on to the owner, until the returned function is called.
 * @throws any error that the browser reports
 */
export async function watchWindows(connection: BrowserConnection, owner: WindowOwner): Promise<() => void> {
  let watch = watches.get(connection);
  if (!watch) watches.set(connection, (watch = new WindowWatch(connection)));
  const found = watch;
  const leave = () => {
    if (found.remove(owner) && watches.get(connection) === found) watches.delete(connection);
  };
  found.add(owner);
  try {
    await found.ready;
    return leave;
  } catch (error) {
    leave();
    throw error;
  }
}

class WindowWatch {
  readonly ready: Promise<void>;
  readonly #connection: BrowserConnection;
  readonly #owners = new Set<WindowOwner>();
  /** The windows that were taken, by the session of their tab. */
  readonly #taken = new Map<string, { owner: WindowOwner; sessionId: string }>();
  readonly #watcher: Promise<CdpSession>;

  constructor(connection: BrowserConnection) {
    this.#connection = connection;
    this.#watcher = connection.root
      .send('Target.attachToBrowserTarget')
      .then(({ sessionId }) => connection.session(sessionId));
    this.ready = this.#start();
  }

  add(owner: WindowOwner): void {
    this.#owners.add(owner);
  }

  /** Lets the owner's windows continue without it. Returns true after the last owner has left. */
  remove(owner: WindowOwner): boolean {
    this.#owners.delete(owner);
    const left = [...this.#taken].filter(([, taken]) => taken.owner === owner);
    for (const [tabId, { sessionId }] of left) void this.#release(tabId, sessionId);
    if (this.#owners.size > 0) return false;
    ignoreFailures([this.#watcher.then(({ id = '' }) => this.#detach(this.#connection.root, id))]);
    return true;
  }

  async #start(): Promise<void> {
    const watcher = await this.#watcher;
    watcher.on('Target.attachedToTarget', ({ sessionId, targetInfo, waitingForDebugger }) => {
      const owners = [...this.#owners].filter((owner) => owner.hasContext(targetInfo.browserContextId));
      if (waitingForDebugger && owners.length > 0) this.#open(sessionId, owners);
      else void this.#release(sessionId);
    });
    watcher.on('Target.detachedFromTarget', ({ sessionId }) => this.#lost(sessionId));
    watcher.on('Target.targetInfoChanged', ({ targetInfo }) => {
      for (const owner of this.#owners) owner.changed(targetInfo);
    });
    await Promise.all([
      watcher.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] }),
      // A pause of the tab holds back the first request of a window without an opener; a pause of the page does not.
      watcher.send('Target.setAutoAttach', { ...pause, filter: [{ type: 'tab' }] }),
    ]);
  }

  /** Attaches to the page in a new tab and offers it to the owners. */
  #open(tabId: string, owners: readonly WindowOwner[]): void {
    const tab = this.#connection.session(tabId);
    tab.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      void this.#offer({ sessionId, info: targetInfo, tab }, owners).then((owner) => {
        if (!owner || !this.#owners.has(owner)) return this.#release(tabId, sessionId);
        this.#taken.set(tabId, { owner, sessionId });
        if (tab.closed.aborted) return this.#lost(tabId);
        ignoreFailures([tab.send('Runtime.runIfWaitingForDebugger')]);
      });
    });
    tab.on('Target.detachedFromTarget', () => this.#lost(tabId));
    ignoreFailures([tab.send('Target.setAutoAttach', { ...pause, filter: [{ type: 'page' }] })]);
  }

  async #offer(window: NewWindow, owners: readonly WindowOwner[]): Promise<WindowOwner | undefined> {
    for (const owner of owners) {
      // The window may close while it is being adopted.
      if (await owner.adopt(window).catch(() => false)) return owner;
    }
    return undefined;
  }

  #lost(tabId: string): void {
    const taken = this.#taken.get(tabId);
    this.#taken.delete(tabId);
    taken?.owner.lost(taken.sessionId);
  }

  /** Lets a window continue and gives up its sessions: one that only detaches leaves it paused forever. */
  async #release(tabId: string, sessionId?: string): Promise<void> {
    this.#taken.delete(tabId);
    const resume = (id: string) => this.#connection.command('Runtime.runIfWaitingForDebugger', undefined, id);
    await Promise.allSettled([...(sessionId === undefined ? [] : [resume(sessionId)]), resume(tabId)]);
    ignoreFailures([this.#watcher.then((watcher) => this.#detach(watcher, tabId))]);
  }

  #detach(parent: CdpSession, sessionId: string): Promise<unknown> {
    return parent.send('Target.detachFromTarget', { sessionId });
  }
}
