/**
 * Manages a process that contains only virtual browsers: counts them, and reports when the process should be replaced.
 */
import type { Ids } from '../../../base/runtime/ids.ts';
import { createInnerDirectory } from '../directories.ts';
import type { BrowserProcess } from '../process.ts';
import type { VirtualBrowser } from '../virtual/browser.ts';
import type { VirtualHost } from '../virtual/host.ts';
import type { BusyGuard } from './busy-guard.ts';
import { Pulse } from './pulse.ts';
import type { Shared } from './shared-browsers.ts';
import { type Wear, WearMeter } from './wear.ts';

/** Maximum number of virtual browsers in a process at a time: a crash ends them all. */
const maxBrowsers = 100;

export interface VirtualProcessOptions {
  /** Makes the ids of browsers. */
  ids: Ids;
  wear: Wear;
  /** Limits pages that keep a CPU busy. */
  busy: BusyGuard;
  /** Accepts work that no request waits for. */
  inBackground(work: Promise<unknown>): void;
  /** Called when the last virtual browser has left. */
  empty(process: VirtualProcess): void;
}

export class VirtualProcess implements Shared {
  readonly process: BrowserProcess;
  readonly #host: VirtualHost;
  readonly #options: VirtualProcessOptions;
  readonly #meter: WearMeter;
  readonly #unfit = new AbortController();
  /** All virtual browsers that have not closed yet. */
  readonly #browsers = new Set<VirtualBrowser>();
  /** The number of these browsers and of those being created. */
  #active = 0;
  #retired: PromiseWithResolvers<void> | undefined;

  private constructor(process: BrowserProcess, host: VirtualHost, options: VirtualProcessOptions) {
    this.process = process;
    this.#host = host;
    this.#options = options;
    this.#meter = new WearMeter(process, options.wear);
    const unwatch = options.busy.watch(process);
    process.gone.addEventListener(
      'abort',
      () => {
        unwatch();
        this.#unfit.abort(process.gone.reason);
      },
      { once: true },
    );
    // oxlint-disable-next-line eslint/no-new -- it ends with the connection
    new Pulse(
      process.connection,
      () => this.#active > 0,
      () => this.#unfit.abort(new Error('the browser is not responding')),
      () => void process.close(),
    );
  }

  /**
   * @param process a process that nothing else drives; closed when it cannot be used
   * @throws any error that the browser reports
   */
  static async open(process: BrowserProcess, options: VirtualProcessOptions): Promise<VirtualProcess> {
    try {
      const { VirtualHost: Host } = await import('../virtual/host.ts');
      return new VirtualProcess(process, await Host.open(process), options);
    } catch (error) {
      void process.close();
      throw error;
    }
  }

  get unfit(): AbortSignal {
    return this.#unfit.signal;
  }

  get worn(): string | undefined {
    return this.#active >= maxBrowsers ? 'sessions' : this.#meter.worn;
  }

  /** Virtual browsers in it now. */
  get active(): number {
    return this.#active;
  }

  /**
   * @param proxyServer the proxy of all its contexts; undefined for the process's proxy
   * @throws any error that the browser reports
   */
  async make(proxyServer: string | undefined): Promise<VirtualBrowser> {
    this.#active++;
    this.#meter.jobBegins();
    try {
      const { VirtualBrowser: Browser } = await import('../virtual/browser.ts');
      const browser = await Browser.make({
        id: this.#options.ids.make(),
        host: this.#host,
        proxyServer,
        directory: await createInnerDirectory(this.process.space.scratchDirectory),
        unfit: this.#unfit.signal,
        stuck: () => this.#unfit.abort(new Error('the browser failed to close a page')),
      });
      this.#browsers.add(browser);
      const ended = () => this.#options.inBackground(this.#ended(browser));
      browser.gone.addEventListener('abort', ended, { once: true });
      if (browser.gone.aborted) ended();
      return browser;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Accepts no more virtual browsers; closes when the last one has left. */
  async retire(): Promise<void> {
    this.#retired ??= Promise.withResolvers();
    const { gone } = this.process;
    gone.addEventListener('abort', () => this.#retired?.resolve(), { once: true });
    if (this.#active === 0 || gone.aborted) this.#retired.resolve();
    await this.#retired.promise;
    await this.process.close();
  }

  /** Closes all virtual browsers in it. */
  async stop(): Promise<void> {
    await Promise.all([...this.#browsers].map((browser) => browser.close()));
  }

  /** The process may have exited first: the directory of the virtual browser must be removed anyway. */
  async #ended(browser: VirtualBrowser): Promise<void> {
    if (!this.#browsers.delete(browser)) return;
    await browser.close();
    this.#meter.jobEnds();
    this.#leave();
  }

  #leave(): void {
    this.#active--;
    if (this.#active > 0) return;
    if (this.#retired) this.#retired.resolve();
    else this.#options.empty(this);
  }
}
