/**
 * Gives each job a blank page: a fresh context in a shared warm browser, or a browser of its own when the request has
 * launch options or ISOLATION=process asks for it. Replaces browsers that are worn or may be broken.
 */
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { orAborted, orGivenBack, startDeadline } from '../../runtime/deadline.ts';
import type { BrowserCatalog, Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import { fitsContext, isPlain, type LeaseRequest } from './lease-request.ts';
import { MemoryGuard, type WatchedBrowser } from './memory-guard.ts';
import { createPageTarget, type PageTarget } from '../page-target.ts';
import { browserCrashed } from '../last-words.ts';
import { type BrowserHost, BrowserProcess, type BrowserVersion, type StartOptions, storageOf } from '../process.ts';
import { type Profile, takeProfile } from '../profiles.ts';
import { type SharedBrowserOptions, SharedBrowsers } from './shared-browsers.ts';
import { youngMs } from '../start-attempts.ts';
import { storageProblem } from '../storage.ts';
import { SpareBrowsers } from './spare-browsers.ts';

export interface PoolOptions extends SharedBrowserOptions {
  isolation: 'context' | 'process';
  /** Memory of one page in bytes beyond which its renderer is ended; 0 for no limit. */
  pageMemoryBytes: number;
  /** How many more browsers may run now; the pool makes no more spare browsers for clients than that. */
  room: () => number;
}

/** The right to use a page for one call. Disposing it is the only way to give it back, and returns at once. */
export interface Lease extends Disposable {
  readonly target: PageTarget;
  readonly browser: BrowserProcess;
  /** True when only this lease uses the browser. */
  readonly ownBrowser: boolean;
  /** Aborted when the browser is gone, or is being replaced and only waits for its last leases. */
  readonly retiring: AbortSignal;
}

/** What a browser for one call is started with. */
interface OwnBrowser {
  request: LeaseRequest;
  executable: Executable;
  mode: Mode;
  profile: Profile;
  forClients: boolean;
}

export class BrowserPool {
  readonly #options: PoolOptions;
  readonly #catalog: BrowserCatalog;
  readonly #host: BrowserHost;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #guard: MemoryGuard;
  readonly #shared: SharedBrowsers;
  /** Browsers for ISOLATION=process. */
  readonly #spares: SpareBrowsers<BrowserProcess>;
  /** Spare browsers for clients that attach; none starts before the first such client. */
  readonly #forClients: SpareBrowsers<BrowserProcess>;
  /** Every browser that is not gone yet. */
  readonly #browsers = new Set<BrowserProcess>();
  /** Work that no call waits for; `stop` waits for it. */
  readonly #background = new Set<Promise<unknown>>();
  #version: BrowserVersion | undefined;
  /** Aborted by `stop`; ends starts that are under way. */
  readonly #stopping = new AbortController();

  constructor(options: PoolOptions, catalog: BrowserCatalog, host: BrowserHost) {
    this.#options = options;
    this.#catalog = catalog;
    this.#host = host;
    this.#log = host.log;
    this.#metrics = host.metrics;
    this.#guard = new MemoryGuard(options.pageMemoryBytes, host.log);
    this.#shared = new SharedBrowsers(
      options,
      (executable, mode) => this.#start({ executable, mode }),
      (work) => this.#inBackground(work),
      host,
    );
    const spares = () => (this.#stopping.signal.aborted ? 0 : options.spares);
    const end = (browser: BrowserProcess) => this.#inBackground(browser.close());
    this.#spares = new SpareBrowsers({
      start: (executable, mode, signal) => this.#start({ executable, mode }, signal),
      end,
      most: spares,
      // The first call, and the check of readiness, find a browser.
      least: 1,
    });
    this.#forClients = new SpareBrowsers({
      start: (executable, mode, signal) => this.#start({ executable, mode, forClients: true }, signal),
      end,
      most: () => Math.min(spares(), options.room()),
      least: 0,
    });
  }

  /** Browsers that run now. */
  get browsers(): readonly BrowserProcess[] {
    return [...this.#browsers];
  }

  /** Starts the browser that default requests use, so that the first of them finds it warm. Only logs a failure. */
  async warmUp(): Promise<void> {
    if (this.#options.spares === 0) return;
    try {
      const { executable, mode } = await this.#catalog.forRoute('chromium', undefined);
      if (this.#options.isolation === 'process') this.#spares.topUp(executable, mode);
      else await this.#shared.browser(executable, mode);
    } catch (error) {
      this.#log.warn('browser.warm-up-failed', { cause: error });
    }
  }

  /**
   * The version of a browser that runs, otherwise of the one for default requests, which it starts; remembered
   * afterwards.
   */
  async version(): Promise<BrowserVersion> {
    if (this.#version) return this.#version;
    const [running] = this.#browsers;
    if (running) return (this.#version = running.version);
    const { executable, mode } = await this.#catalog.forRoute('chromium', undefined);
    return (this.#version = (await this.#shared.browser(executable, mode)).process.version);
  }

  /**
   * The warm browser of default requests; undefined when none runs and none may be started. The caller closes it after
   * use when `own` is true.
   */
  async warm(mayStart: () => boolean): Promise<{ browser: BrowserProcess; own: boolean } | undefined> {
    const { executable, mode } = await this.#catalog.forRoute('chromium', undefined);
    const shared = this.#options.isolation === 'context';
    const running = await (shared ? this.#shared.running(executable, mode) : this.#spares.waiting()[0]);
    if (running && !running.gone.aborted) return { browser: running, own: false };
    if (!mayStart()) return undefined;
    // With no spares configured, no browser may stay running for a mere check: it gets one of its own.
    if (!shared || this.#options.spares === 0) {
      return { browser: await this.#start({ executable, mode, forClients: false }), own: true };
    }
    return { browser: (await this.#shared.browser(executable, mode)).process, own: false };
  }

  /**
   * A blank page for one job.
   * @param signal its abort rejects at once; the pool takes the page back as soon as it is ready
   * @throws ServiceError `browser-missing`, `launch-failed`; the signal's reason at once
   */
  async lease(request: LeaseRequest, signal: AbortSignal): Promise<Lease> {
    const profile = await takeProfile(request.userDataDirectory, signal);
    const leasing = this.#lease(request, profile, signal);
    profile.useDuring(leasing);
    return orGivenBack(leasing, signal, (late) => late[Symbol.dispose]());
  }

  async #lease(request: LeaseRequest, profile: Profile, signal: AbortSignal): Promise<Lease> {
    const { executable, mode } = await this.#catalog.forRoute(request.browser, request.headless);
    if (this.#options.isolation === 'context' && fitsContext(request)) {
      const { proxyServer } = request;
      const { shared, target } = await this.#shared.take(executable, mode, proxyServer, signal);
      return this.#leaseOf(shared.process, target, shared.retiring, () => shared.giveBack(target));
    }
    return this.#ownLease(await this.#own({ request, executable, mode, profile, forClients: false }, signal), signal);
  }

  /**
   * A browser of its own for clients that attach to it; the caller ends it with `close()`. Takes a spare browser when
   * the request sets no launch option and no proxy.
   * @throws ServiceError `browser-missing`, `launch-failed`; the signal's reason at once, and the pool closes a browser
   *   that comes late
   */
  async takeForClient(request: LeaseRequest, signal: AbortSignal): Promise<BrowserProcess> {
    const profile = await takeProfile(request.userDataDirectory, signal);
    const taking = this.#catalog
      .forRoute(request.browser, request.headless)
      .then(({ executable, mode }) => this.#own({ request, executable, mode, profile, forClients: true }, signal));
    profile.useDuring(taking);
    return orGivenBack(taking, signal, (late) => this.#inBackground(late.close()));
  }

  /** A browser for one call: a spare one, or one started with the options of the call. */
  async #own(
    { request, executable, mode, profile, forClients }: OwnBrowser,
    signal: AbortSignal,
  ): Promise<BrowserProcess> {
    signal.throwIfAborted();
    if (isPlain(request)) {
      const taking = (forClients ? this.#forClients : this.#spares).take(executable, mode, signal);
      return orGivenBack(taking, signal, (late) => this.#inBackground(late.close()));
    }
    const { args, ignoreDefaultArgs, userDataDirectory, downloadDirectory, startLimitMs, proxyServer } = request;
    const options = { args, ignoreDefaultArgs, userDataDirectory, downloadDirectory, startLimitMs, proxyServer };
    return this.#start({ executable, mode, forClients, ...options }, signal, profile);
  }

  /** Watches the memory of a browser's pages until the result is called. */
  watchMemory(browser: WatchedBrowser): () => void {
    return this.#guard.watch(browser);
  }

  /** Ends every browser; no new one starts afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the pool has stopped'));
    await Promise.allSettled([...this.#shared.starting(), ...this.#spares.waiting(), ...this.#forClients.waiting()]);
    await Promise.all([...this.#browsers].map((browser) => browser.close()));
    await Promise.allSettled(this.#background);
  }

  /** @param signal of the one call that the browser is for; without it no leaving client aborts the start */
  #start(options: StartOptions, signal?: AbortSignal, profile?: Profile): Promise<BrowserProcess> {
    const { attempts, endings } = this.#host;
    const kind = kindOf(options);
    return attempts.run(
      kind,
      async () => {
        using life = startDeadline(0, () => undefined, [this.#stopping.signal, ...(signal ? [signal] : [])]);
        life.signal.throwIfAborted();
        await endings.room(life.signal);
        const starting = BrowserProcess.start(options, this.#host, life.signal);
        this.#inBackground(starting.catch(() => {}));
        profile?.useFor(starting);
        const giveBack = (late: BrowserProcess) => this.#inBackground(late.close());
        const browser = await (signal ? orGivenBack(starting, signal, giveBack) : starting);
        this.#browsers.add(browser);
        browser.gone.addEventListener('abort', () => this.#inBackground(this.#ended(browser, kind)), { once: true });
        if (this.#stopping.signal.aborted) await browser.close();
        return browser;
      },
      signal,
    );
  }

  /** Counts and logs a crash, then closes the browser and forgets it. */
  async #ended(browser: BrowserProcess, kind: string): Promise<void> {
    // A browser that a client closed exits with code 0; only an exit that nobody requested is a crash.
    const { code, signal } = browser.closing ? { code: 0, signal: null } : await browser.exited;
    if (code !== 0) {
      this.#metrics.browserCrashed();
      this.#log.error('browser.crashed', { browser: browser.id, code, signal, fatal: browser.connection.fatal });
      if (Date.now() - browser.startedAt < youngMs) this.#host.attempts.crashedYoung(kind, browser.gone.reason);
    }
    await browser.close();
    this.#browsers.delete(browser);
  }

  async #ownLease(browser: BrowserProcess, signal: AbortSignal): Promise<Lease> {
    try {
      const target = await orAborted(createPageTarget(browser.connection, browser.mode, false), signal);
      return this.#leaseOf(browser, target, undefined, () => browser.close());
    } catch (error) {
      const { closed, fatal } = browser.connection;
      const lost = closed.aborted && !signal.aborted;
      // Some browsers start on a full disk and crash with their first page.
      const storage = lost ? await storageProblem(storageOf(this.#host)) : undefined;
      this.#inBackground(browser.close());
      throw storage ?? (lost ? browserCrashed(fatal, ' before its first page was there', error) : error);
    }
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

/**
 * The key of remembered start failures. It includes the switches: those of one caller must not delay starts of another.
 */
function kindOf({ executable, mode, args = [], ignoreDefaultArgs = false, userDataDirectory }: StartOptions): string {
  return JSON.stringify([executable.path, mode, args, ignoreDefaultArgs, userDataDirectory]);
}
