/**
 * Gives each job a blank page: a fresh context in a shared warm browser, or a browser of its own when the request has
 * launch options or ISOLATION=process asks for it. Browsers are replaced when worn and whenever in doubt.
 */
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { BrowserCatalog, Executable, Mode } from './catalog.ts';
import { browserCrashed } from './last-words.ts';
import { fitsContext, isPlain, type LeaseRequest } from './lease-request.ts';
import { MemoryGuard, type WatchedBrowser } from './memory-guard.ts';
import { createPageTarget, type PageTarget } from './page-target.ts';
import { type BrowserHost, BrowserProcess, type BrowserVersion } from './process.ts';
import { startOnProfile } from './profiles.ts';
import { SharedBrowser, type Wear } from './shared-browser.ts';
import { StartedAhead } from './started-ahead.ts';

export interface PoolOptions {
  isolation: 'context' | 'process';
  /** Contexts (or, with process isolation, browsers) made ahead. */
  spares: number;
  wear: Wear;
  /** Memory of one page in bytes beyond which its renderer is ended; 0 for no limit. */
  pageMemoryBytes: number;
  /** How many more browsers may run now: no more are made ahead for clients. */
  room: () => number;
}

/** The right to use a page for one call. Disposing it is the only way to give it back, and returns at once. */
export interface Lease extends Disposable {
  readonly target: PageTarget;
  readonly browser: BrowserProcess;
  /** True when nobody else uses the browser. */
  readonly ownBrowser: boolean;
  /** Aborted when the browser is gone, or waits for its last leases so that it can be replaced. */
  readonly retiring: AbortSignal;
}

interface SharedPlace {
  current: Promise<SharedBrowser>;
  /** True while a successor is being started. */
  replacing: boolean;
}

export class BrowserPool {
  readonly #options: PoolOptions;
  readonly #catalog: BrowserCatalog;
  readonly #host: BrowserHost;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #guard: MemoryGuard;
  readonly #shared = new Map<string, SharedPlace>();
  /** Browsers for ISOLATION=process. */
  readonly #started: StartedAhead;
  /** The same for clients that attach; the first of them has none made ahead. */
  readonly #forClients: StartedAhead;
  /** Every browser that is not gone yet. */
  readonly #browsers = new Set<BrowserProcess>();
  /** Work behind the client's back. */
  readonly #background = new Set<Promise<unknown>>();
  #version: BrowserVersion | undefined;
  #stopped = false;

  constructor(options: PoolOptions, catalog: BrowserCatalog, host: BrowserHost) {
    this.#options = options;
    this.#catalog = catalog;
    this.#host = host;
    this.#log = host.log;
    this.#metrics = host.metrics;
    this.#guard = new MemoryGuard(options.pageMemoryBytes, host.log);
    const spares = () => (this.#stopped ? 0 : options.spares);
    this.#started = new StartedAhead((executable, mode) => this.#start(executable, mode, false), spares);
    this.#forClients = new StartedAhead(
      (executable, mode) => this.#start(executable, mode, true),
      () => Math.min(spares(), options.room()),
    );
  }

  /** Browsers that run now. */
  get browsers(): readonly BrowserProcess[] {
    return [...this.#browsers];
  }

  /** Starts the browser that default requests use, so that the first of them finds it warm. Failure is logged only. */
  async warmUp(): Promise<void> {
    if (this.#options.spares === 0) return;
    try {
      const { executable, mode } = await this.#catalog.forRoute('chromium', undefined);
      if (this.#options.isolation === 'process') this.#started.topUp(executable, mode);
      else await this.#sharedBrowser(executable, mode);
    } catch (error) {
      this.#log.warn('browser.warm-up-failed', { cause: error });
    }
  }

  /** Of the browser that default requests use; started when it does not run yet, remembered afterwards. */
  async version(): Promise<BrowserVersion> {
    if (this.#version) return this.#version;
    const running = this.#browsers.values().next().value;
    if (running) return (this.#version = running.version);
    const { executable, mode } = await this.#catalog.forRoute('chromium', undefined);
    return (this.#version = (await this.#sharedBrowser(executable, mode)).process.version);
  }

  /**
   * A blank page for one job.
   * @param signal when it aborts meanwhile, the page is given back as soon as it is there
   * @throws ServiceError `browser-missing`, `launch-failed`; the signal's reason
   */
  async lease(request: LeaseRequest, signal: AbortSignal): Promise<Lease> {
    const { executable, mode } = await this.#catalog.forRoute(request.browser, request.headless);
    const lease =
      this.#options.isolation === 'context' && fitsContext(request)
        ? await this.#sharedLease(executable, mode, request.proxyServer)
        : await this.#ownLease(
            isPlain(request)
              ? this.#started.take(executable, mode)
              : this.#startFor(executable, mode, false, request, signal),
          );
    if (signal.aborted) {
      lease[Symbol.dispose]();
      throw signal.reason;
    }
    return lease;
  }

  /**
   * A browser of its own for clients that attach to it; whoever takes it ends it with `close()`. It is one that was
   * started ahead when the request asks for nothing special.
   * @throws ServiceError `browser-missing`, `launch-failed`; the signal's reason, and then nothing is left behind
   */
  async takeForClient(request: LeaseRequest, signal: AbortSignal): Promise<BrowserProcess> {
    const { executable, mode } = await this.#catalog.forRoute(request.browser, request.headless);
    const browser = await (isPlain(request)
      ? this.#forClients.take(executable, mode)
      : this.#startFor(executable, mode, true, request, signal));
    if (signal.aborted) {
      this.#inBackground(browser.close());
      throw signal.reason;
    }
    return browser;
  }

  /** Watches the memory of a browser's pages until the result is called. */
  watchMemory(browser: WatchedBrowser): () => void {
    return this.#guard.watch(browser);
  }

  /** Ends every browser; no new one starts afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled([
      ...[...this.#shared.values()].map((place) => place.current),
      ...this.#started.waiting(),
      ...this.#forClients.waiting(),
    ]);
    await Promise.all([...this.#browsers].map((browser) => browser.close()));
    await Promise.allSettled(this.#background);
  }

  async #sharedLease(executable: Executable, mode: Mode, proxyServer: string | undefined): Promise<Lease> {
    // A browser that dies while it makes the page costs a second try, not the request.
    for (let attempt = 1; ; attempt++) {
      const shared = await this.#sharedBrowser(executable, mode);
      try {
        const target = await shared.take(proxyServer);
        return this.#leaseOf(shared.process, target, shared.retiring, () => shared.giveBack(target));
      } catch (error) {
        if (attempt === 1) continue;
        throw shared.process.gone.aborted ? browserCrashed(shared.process.connection.fatal, ', twice', error) : error;
      }
    }
  }

  async #sharedBrowser(executable: Executable, mode: Mode): Promise<SharedBrowser> {
    const key = `${mode} ${executable.path}`;
    let place = this.#shared.get(key);
    if (!place) {
      place = { current: this.#newShared(executable, mode), replacing: false };
      this.#shared.set(key, place);
    }
    const shared = await place.current.catch((error: unknown) => {
      // A failed start is not remembered: the next request tries again.
      if (this.#shared.get(key) === place) this.#shared.delete(key);
      throw error;
    });
    if (shared.process.gone.aborted) {
      if (this.#shared.get(key) === place) this.#shared.delete(key);
      return this.#sharedBrowser(executable, mode);
    }
    const worn = shared.worn;
    if (worn && !place.replacing) this.#inBackground(this.#replace(place, shared, worn, executable, mode));
    return shared;
  }

  /** The worn browser serves until its successor is there: nobody waits for a start. */
  async #replace(
    place: SharedPlace,
    worn: SharedBrowser,
    reason: string,
    executable: Executable,
    mode: Mode,
  ): Promise<void> {
    place.replacing = true;
    try {
      const successor = await this.#newShared(executable, mode);
      place.current = Promise.resolve(successor);
    } finally {
      place.replacing = false;
    }
    this.#log.info('browser.recycled', { browser: worn.process.id, reason });
    this.#metrics.browserRecycled(reason);
    await worn.retire();
  }

  async #newShared(executable: Executable, mode: Mode): Promise<SharedBrowser> {
    const browser = await this.#start(executable, mode, false);
    return new SharedBrowser(browser, this.#options.spares, this.#options.wear);
  }

  /** As `#start`, when no other browser has the caller's profile any more. */
  #startFor(executable: Executable, mode: Mode, forClients: boolean, request: LeaseRequest, signal: AbortSignal) {
    const start = () => this.#start(executable, mode, forClients, request);
    return startOnProfile(request.userDataDirectory, start, signal);
  }

  async #start(
    executable: Executable,
    mode: Mode,
    forClients: boolean,
    request?: LeaseRequest,
  ): Promise<BrowserProcess> {
    if (this.#stopped) throw new Error('the pool has stopped');
    const browser = await BrowserProcess.start(
      {
        executable,
        mode,
        args: request?.args ?? [],
        ignoreDefaultArgs: request?.ignoreDefaultArgs ?? false,
        userDataDirectory: request?.userDataDirectory,
        startLimitMs: request?.startLimitMs,
        forClients,
        proxyServer: request?.proxyServer,
      },
      this.#host,
    );
    this.#browsers.add(browser);
    browser.gone.addEventListener('abort', () => this.#inBackground(this.#ended(browser)), { once: true });
    if (this.#stopped) await browser.close();
    return browser;
  }

  /** What follows the end of a browser, whoever ended it. */
  async #ended(browser: BrowserProcess): Promise<void> {
    // A client may close its browser; only an end that nobody asked for is a crash.
    const { code, signal } = browser.closing ? { code: 0, signal: null } : await browser.exited;
    if (code !== 0) {
      this.#metrics.browserCrashed();
      this.#log.error('browser.crashed', { browser: browser.id, code, signal, fatal: browser.connection.fatal });
    }
    await browser.close();
    this.#browsers.delete(browser);
  }

  async #ownLease(started: Promise<BrowserProcess>): Promise<Lease> {
    const browser = await started;
    try {
      const target = await createPageTarget(browser.connection, browser.mode, false);
      return this.#leaseOf(browser, target, undefined, () => browser.close());
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  /** @param retiring the signal of a shared browser; undefined for one of the lease's own */
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
