/**
 * Divides a running browser into virtual browsers: contexts that look like a separate browser to the client that drives
 * them (decisions.mdx#virtual-browsers). Tracks all targets, notifies each virtual browser of its own targets, and
 * pauses new targets until their virtual browser has had the chance to attach.
 */
import { ignoreFailures } from '../../cdp/auto-attach.ts';
import type { CdpSession } from '../../cdp/connection.ts';
import type { BrowserProcess } from '../process.ts';
import type { PausedSession, TargetEvent, TargetInfo } from './target-info.ts';

/** The virtual browser that a target belongs to. */
export interface TargetOwner {
  targetEvent(info: TargetInfo, method: TargetEvent, params: object): void;
  /** Gives a new target to one of its sessions; undefined when none wants it. */
  adopt(paused: PausedSession): Adopter | undefined;
}

/** The session of a client that has taken a new target. */
export interface Adopter {
  /** Called when the session of the target has ended. */
  lost(sessionId: string): void;
}

export class VirtualHost {
  readonly process: BrowserProcess;
  /** The browser itself, as every virtual browser shows it. */
  readonly self: TargetInfo;
  readonly #targets = new Map<string, TargetInfo>();
  /** Targets to which clients may be attached automatically. */
  readonly #attachable = new Set<string>();
  /** Virtual browsers by context. */
  readonly #owners = new Map<string, TargetOwner>();
  /** The adopter of each session that was announced to a watcher, by session id. */
  readonly #adopted = new Map<string, Adopter>();

  private constructor(process: BrowserProcess, self: TargetInfo) {
    this.process = process;
    this.self = self;
  }

  get connection(): BrowserProcess['connection'] {
    return this.process.connection;
  }

  /** @param process a process that nothing else drives. @throws any error that the browser reports */
  static async open(process: BrowserProcess): Promise<VirtualHost> {
    const { targetInfo } = await process.connection.root.send('Target.getTargetInfo');
    const host = new VirtualHost(process, targetInfo);
    await host.#start();
    return host;
  }

  async #start(): Promise<void> {
    const { root } = this.connection;
    const tell = (info: TargetInfo | undefined, method: TargetEvent, params: object) => {
      if (info) this.#ownerOf(info)?.targetEvent(info, method, params);
    };
    for (const method of ['Target.targetCreated', 'Target.targetInfoChanged'] as const) {
      root.on(method, (params) => {
        this.#targets.set(params.targetInfo.targetId, params.targetInfo);
        tell(params.targetInfo, method, params);
      });
    }
    root.on('Target.targetDestroyed', (params) => {
      const info = this.#targets.get(params.targetId);
      this.#targets.delete(params.targetId);
      this.#attachable.delete(params.targetId);
      tell(info, 'Target.targetDestroyed', params);
    });
    root.on('Target.targetCrashed', (params) =>
      tell(this.#targets.get(params.targetId), 'Target.targetCrashed', params),
    );
    // Chromium attaches to pages either directly or through their tabs, so each method needs its own session.
    const [pages, tabs] = await Promise.all([this.#watcher(), this.#watcher()]);
    const pause = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    await Promise.all([
      // Every session with the whole browser is a target too: they are not needed, and there are as many of them as
      // clients.
      root.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'browser', exclude: true }, {}] }),
      pages.send('Target.setAutoAttach', pause),
      tabs.send('Target.setAutoAttach', { ...pause, filter: [{ type: 'tab' }] }),
    ]);
  }

  async #watcher(): Promise<CdpSession> {
    const { root } = this.connection;
    const { sessionId } = await root.send('Target.attachToBrowserTarget');
    const watcher = this.connection.session(sessionId);
    watcher.on('Target.attachedToTarget', ({ sessionId: attached, targetInfo }) => {
      this.#attachable.add(targetInfo.targetId);
      const paused = { sessionId: attached, info: targetInfo, watcher };
      const adopter = this.#ownerOf(targetInfo)?.adopt(paused);
      if (adopter) this.#adopted.set(attached, adopter);
      else this.release(paused);
    });
    watcher.on('Target.detachedFromTarget', ({ sessionId: detached }) => {
      const adopter = this.#adopted.get(detached);
      this.#adopted.delete(detached);
      adopter?.lost(detached);
    });
    return watcher;
  }

  #ownerOf({ browserContextId = '' }: TargetInfo): TargetOwner | undefined {
    return this.#owners.get(browserContextId);
  }

  /** Lets a target continue and gives up its session. */
  release({ sessionId, watcher }: Pick<PausedSession, 'sessionId' | 'watcher'>): void {
    this.#adopted.delete(sessionId);
    // A session that only detaches leaves its target paused forever, and so does one that detaches before a worker has
    // read that it may run. Uses no object for the session, which may have ended.
    const detach = () => watcher.send('Target.detachFromTarget', { sessionId });
    ignoreFailures([
      this.connection.command('Runtime.runIfWaitingForDebugger', undefined, sessionId).then(detach, detach),
    ]);
  }

  /** Records which owner the targets of a context belong to; undefined when the context no longer exists. */
  assign(contextId: string, owner: TargetOwner | undefined): void {
    if (owner) this.#owners.set(contextId, owner);
    else this.#owners.delete(contextId);
  }

  target(targetId: string): TargetInfo | undefined {
    return this.#targets.get(targetId);
  }

  /** The targets in these contexts, and the browser itself. */
  targetsOf(contexts: ReadonlySet<string>): TargetInfo[] {
    const targets = [this.self];
    for (const info of this.#targets.values()) if (contexts.has(info.browserContextId ?? '')) targets.push(info);
    return targets;
  }

  /** Whether clients may be attached to a target automatically, without naming its id. */
  isAttachable({ targetId }: TargetInfo): boolean {
    return this.#attachable.has(targetId);
  }
}
