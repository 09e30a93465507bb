/**
 * Gives each job a blank page: a fresh context in a shared warm browser, or its own browser when the request has launch
 * options or ISOLATION=process requires it. Replaces browsers that are worn out or may be broken.
 */
import type { Log } from '../../../base/telemetry/log.ts';
import { orAborted, orReleased } from '../../../base/runtime/deadline.ts';
import type { BrowserCatalog, Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import type { Clients } from '../flags.ts';
import { BusyGuard } from './busy-guard.ts';
import { fitsContext, isPlain, type Lease, type LeaseRequest, type OwnBrowser, type PoolOptions } from './lease.ts';
import type { FloodGuard } from './flood-guard.ts';
import { MemoryGuard, type WatchedBrowser } from './memory-guard.ts';
import { createPageTarget, type PageTarget } from '../page-target.ts';
import { browserCrashed } from '../last-words.ts';
import { type BrowserHost, BrowserProcess, type BrowserVersion, storageOf } from '../process.ts';
import { type Profile, openProfile } from '../profiles.ts';
import { SharedBrowser } from './shared-browser.ts';
import { type SharedKind, SharedBrowsers } from './shared-browsers.ts';
import { explainByDisk, FreeSpace } from '../storage.ts';
import { SpareBrowsers } from './spare-browsers.ts';
import { StartedProcesses } from './started-processes.ts';
import { VirtualBrowsers } from './virtual-browsers.ts';
import type { ClientBrowser } from '../client-browser.ts';

/** Time in milliseconds after which an unused shared process exits; it exits immediately without spares. */
const sharedIdleMs = 60_000;

export class BrowserPool {
  readonly #options: PoolOptions;
  readonly #catalog: BrowserCatalog;
  readonly #host: BrowserHost;
  readonly #log: Log;
  readonly #guard: MemoryGuard;
  readonly #space: FreeSpace;
  #floods: Promise<FloodGuard> | undefined;
  readonly #shared: SharedBrowsers<SharedBrowser>;
  /** Spare browsers: for ISOLATION=process, for clients that attach, and for accounts that have no process yet. */
  readonly #spares: Record<Clients, SpareBrowsers<BrowserProcess>>;
  /** Spare stealth browsers; none starts before the first request for one. */
  readonly #stealth: Record<'none' | 'one', SpareBrowsers<BrowserProcess>>;
  readonly #virtual: VirtualBrowsers;
  readonly #processes: StartedProcesses;
  /** Work that no request waits for; `stop` waits for it. */
  readonly #background = new Set<Promise<unknown>>();
  #version: BrowserVersion | undefined;
  #askingVersion: Promise<BrowserVersion> | undefined;

  constructor(options: PoolOptions, catalog: BrowserCatalog, host: BrowserHost) {
    this.#options = options;
    this.#catalog = catalog;
    this.#host = host;
    this.#log = host.log;
    this.#space = new FreeSpace(storageOf(host));
    this.#guard = new MemoryGuard(options.pageMemoryBytes, host.log);
    const inBackground = (work: Promise<unknown>) => this.#inBackground(work);
    this.#processes = new StartedProcesses(host, inBackground);
    const idleMs = options.spares === 0 ? 0 : sharedIdleMs;
    this.#shared = new SharedBrowsers({
      make: async (kind) =>
        new SharedBrowser(await this.#startShared(kind, kind.clients ?? 'none'), options.spares, options.recycleLimits),
      // The browser that all accounts share stays warm.
      idleMs: options.byTenant ? idleMs : undefined,
      inBackground,
      host,
    });
    const spares = () => (this.#processes.stopping.aborted ? 0 : options.spares);
    const end = (browser: BrowserProcess) => this.#inBackground(browser.close());
    const spareBrowsers = (clients: Clients, stealth: boolean, min = 0) =>
      new SpareBrowsers({
        start: (executable, mode, signal) =>
          this.#processes.start({ executable, mode, clients, ...(stealth ? { stealth: {} } : {}) }, signal),
        end,
        max: () => (min > 0 ? spares() : Math.min(spares(), options.freeSlots())),
        min,
      });
    // So that the first request and the readiness check find a browser.
    this.#spares = {
      none: spareBrowsers('none', false, 1),
      code: spareBrowsers('code', false),
      one: spareBrowsers('one', false),
      several: spareBrowsers('several', false, 1),
    };
    this.#stealth = { none: spareBrowsers('none', true), one: spareBrowsers('one', true) };
    this.#virtual = new VirtualBrowsers({
      startProcess: (kind) => this.#startShared(kind, 'several'),
      // A spare would already be in the process of one account.
      spares: options.byTenant ? undefined : () => Math.min(spares(), options.freeSlots()),
      inBackground,
      wear: options.recycleLimits,
      idleMs,
      host,
      busy: new BusyGuard(options.pageBusyMs, host),
    });
  }

  /** Browsers that are running now. */
  get browsers(): readonly BrowserProcess[] {
    return this.#processes.running;
  }

  /**
   * Starts the browser for default requests, so that the first request finds it warm. Resolves with false when the
   * start failed, unless the server is stopping.
   */
  async warmUp(): Promise<boolean> {
    if (this.#options.spares === 0) return true;
    const { stopping } = this.#processes;
    try {
      const { executable, mode } = await this.#catalog.forRoute('chromium', undefined);
      if (this.#sharesOne) await this.#shared.browser({ executable, mode, group: '' });
      else this.#spares.none.topUp(executable, mode);
      if (this.#options.byTenant) this.#spares.several.topUp(executable, mode);
      return true;
    } catch (error) {
      if (stopping.aborted) return true;
      this.#log.warn('browser.warm-up-failed', { cause: error });
      return false;
    }
  }

  /**
   * The version of a running browser or, if none is running, of the one for default requests, which is started for
   * this; remembered afterward. With no spares configured, that browser is closed again immediately.
   * @throws ServiceError `browser-missing`, `launch-failed`
   */
  async version(): Promise<BrowserVersion> {
    this.#version ??= this.#processes.running[0]?.version;
    if (this.#version) return this.#version;
    // Calls in the meantime wait for the same browser.
    this.#askingVersion ??= this.#askVersion().finally(() => (this.#askingVersion = undefined));
    return (this.#version = await this.#askingVersion);
  }

  async #askVersion(): Promise<BrowserVersion> {
    const { executable, mode } = await this.#catalog.forRoute('chromium', undefined);
    const { browser, own } = await this.#startDefault(executable, mode);
    if (own) this.#inBackground(browser.close());
    return browser.version;
  }

  /**
   * The warm browser for default requests; undefined when none is running and none may be started. The caller closes it
   * after use when `own` is true.
   */
  async warm(mayStart: () => boolean): Promise<{ browser: BrowserProcess; own: boolean } | undefined> {
    const { executable, mode } = await this.#catalog.forRoute('chromium', undefined);
    const running = await (this.#sharesOne
      ? this.#shared.running({ executable, mode, group: '' })
      : this.#spares.none.waiting()[0]);
    if (running && !running.gone.aborted) return { browser: running, own: false };
    return mayStart() ? this.#startDefault(executable, mode) : undefined;
  }

  /** True when requests of all accounts share one browser. */
  get #sharesOne(): boolean {
    return this.#options.isolation === 'context' && !this.#options.byTenant;
  }

  /** A process for requests of one account, if possible one that is already running and that no account has used. */
  async #startShared({ executable, mode }: SharedKind, clients: Clients): Promise<BrowserProcess> {
    const process = await (this.#options.byTenant
      ? this.#spares[clients].take(executable, mode, this.#processes.stopping)
      : this.#processes.start({ executable, mode, clients }));
    this.#inBackground(this.#watchFloods(process));
    return process;
  }

  /** Loads the guard with the first process; starts do not wait for it. */
  async #watchFloods(process: BrowserProcess): Promise<void> {
    this.#floods ??= import('./flood-guard.ts').then(({ FloodGuard: Guard }) => new Guard(this.#log));
    (await this.#floods).watch(process);
  }

  /** The group of an account: its requests share processes only with requests of the same group. */
  groupOf({ name }: { readonly name: string }): string {
    return this.#options.byTenant ? name : '';
  }

  /** With no spares configured, no browser may keep running just because it was queried: `own` is true then. */
  async #startDefault(executable: Executable, mode: Mode): Promise<{ browser: BrowserProcess; own: boolean }> {
    if (!this.#sharesOne || this.#options.spares === 0) {
      return { browser: await this.#processes.start({ executable, mode }), own: true };
    }
    return { browser: (await this.#shared.browser({ executable, mode, group: '' })).process, own: false };
  }

  /**
   * A blank page for one job.
   * @param signal aborting it rejects immediately; the pool takes the page back as soon as it is ready
   * @throws ServiceError `browser-missing`, `launch-failed`; the signal's abort reason immediately
   */
  async lease(request: LeaseRequest, signal: AbortSignal): Promise<Lease> {
    const profile = await openProfile(request.userDataDirectory, signal);
    const leasing = this.#lease(request, profile, signal);
    profile.useDuring(leasing);
    return orReleased(leasing, signal, (late) => late[Symbol.dispose]());
  }

  async #lease(request: LeaseRequest, profile: Profile, signal: AbortSignal): Promise<Lease> {
    const { executable, mode } = await this.#choose(request);
    // Only the shell has a switch against windows: in other modes, one process serves both.
    const clients = request.opensWindows && mode === 'shell' ? 'code' : 'none';
    if ((request.isolation ?? this.#options.isolation) === 'context' && fitsContext(request)) {
      const { proxyServer } = request;
      const { shared, taken } = await this.#shared.take(
        { executable, mode, group: request.group, clients },
        { take: (each) => each.take(proxyServer), release: (each, late) => void each.giveBack(late) },
        signal,
      );
      return this.#leaseOf(shared.process, taken, shared.retiring, () => shared.giveBack(taken));
    }
    return this.#ownLease(await this.#own({ request, executable, mode, profile, clients }, signal), signal);
  }

  /**
   * A browser for clients that attach to it, virtual or a process; the caller closes it with `close()`.
   * @throws ServiceError `browser-missing`, `launch-failed`; the signal's abort reason immediately, and the pool closes
   *   a browser that is ready too late
   */
  takeForClient(request: LeaseRequest, signal: AbortSignal): Promise<ClientBrowser> {
    return request.isolation === 'context' && fitsContext(request)
      ? this.#takeVirtual(request, signal)
      : this.takeProcess(request, signal);
  }

  async #takeVirtual(request: LeaseRequest, signal: AbortSignal): Promise<ClientBrowser> {
    const { executable, mode } = await orAborted(this.#choose(request), signal);
    // A full browser has windows, which belong to all of its contexts.
    if (mode !== 'shell') return this.takeProcess(request, signal);
    return this.#virtual.take({ executable, mode, group: request.group }, request.proxyServer, signal);
  }

  /**
   * A process for one client, which the caller closes with `close()`. Uses a spare browser when the request sets no
   * launch option and no proxy.
   * @throws the errors documented for `takeForClient`
   */
  async takeProcess(request: LeaseRequest, signal: AbortSignal): Promise<BrowserProcess> {
    const profile = await openProfile(request.userDataDirectory, signal);
    const taking = this.#choose(request).then(({ executable, mode }) =>
      this.#own({ request, executable, mode, profile, clients: 'one' }, signal),
    );
    profile.useDuring(taking);
    return orReleased(taking, signal, (late) => this.#inBackground(late.close()));
  }

  /** A browser for one request: a spare one, or one started with the options of the request. */
  async #own(
    { request, executable, mode, profile, clients }: OwnBrowser,
    signal: AbortSignal,
  ): Promise<BrowserProcess> {
    signal.throwIfAborted();
    if (isPlain(request)) {
      const spares = request.stealth ? this.#stealth[clients === 'one' ? 'one' : 'none'] : this.#spares[clients];
      const taking = spares.take(executable, mode, signal);
      return orReleased(taking, signal, (late) => this.#inBackground(late.close()));
    }
    const { args, ignoreDefaultArgs, userDataDirectory, downloadDirectory, startLimitMs, proxyServer } = request;
    const options = { args, ignoreDefaultArgs, userDataDirectory, downloadDirectory, startLimitMs, proxyServer };
    const { stealth } = request;
    return this.#processes.start({ executable, mode, clients, stealth, ...options }, signal, profile);
  }

  /**
   * @throws ServiceError `storage-full`: on a full disk, a running browser serves some requests and never responds to
   *   others
   */
  async #choose({ browser, headless, stealth }: LeaseRequest): Promise<{ executable: Executable; mode: Mode }> {
    const problem = await this.#space.problem();
    if (problem) throw problem;
    return stealth ? this.#catalog.forStealth(browser) : this.#catalog.forRoute(browser, headless);
  }

  /** Watches the memory of a browser's pages until the returned function is called. */
  watchMemory(browser: WatchedBrowser): () => void {
    return this.#guard.watch(browser);
  }

  /** Closes every browser; no new one starts afterward. */
  async stop(): Promise<void> {
    this.#processes.startNoMore();
    // First, because a browser that does not respond closes none of its virtual browsers.
    await this.#processes.stop();
    const spares = [...Object.values(this.#spares), ...Object.values(this.#stealth)];
    await Promise.allSettled([...this.#shared.starting(), ...spares.flatMap((each) => each.waiting())]);
    await this.#virtual.stop();
    // Closes those that had only just started.
    await this.#processes.stop();
    await Promise.allSettled(this.#background);
  }

  /**
   * Kills the browsers that have not exited yet, such as those that are writing a profile; for a stop that takes too
   * long.
   */
  kill(): void {
    for (const browser of this.#processes.running) browser.kill();
  }

  async #ownLease(browser: BrowserProcess, signal: AbortSignal): Promise<Lease> {
    try {
      const target = await orAborted(createPageTarget(browser, { ownContext: false }), signal);
      return this.#leaseOf(browser, target, undefined, () => browser.close());
    } catch (error) {
      const { closed, fatal } = browser.connection;
      const lost = closed.aborted && !signal.aborted;
      const failure = lost ? browserCrashed(fatal, ' before its first page was ready', error) : error;
      // Some browsers start on a full disk and crash with their first page. Check before their files are removed.
      const explained = await this.explainByDisk(failure);
      this.#inBackground(browser.close());
      throw explained;
    }
  }

  /** The error for a job; `storage-full` when a full disk explains it. */
  explainByDisk(error: unknown): Promise<unknown> {
    return explainByDisk(error, storageOf(this.#host));
  }

  /** @param retiring the signal of a shared browser; undefined when the lease has its own browser */
  #leaseOf(
    browser: BrowserProcess,
    target: PageTarget,
    retiring: AbortSignal | undefined,
    release: () => Promise<void>,
  ): Lease {
    let held = true;
    const unwatch = this.#guard.watch(browser);
    return {
      browser,
      target,
      ownBrowser: retiring === undefined,
      retiring: retiring ?? browser.gone,
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        unwatch();
        this.#inBackground(release());
      },
    };
  }

  #inBackground(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => this.#log.error('browser.release-failed', { cause: error }))
      .finally(() => this.#background.delete(done));
    this.#background.add(done);
  }
}
