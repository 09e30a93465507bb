/** Manages a process that contains only virtual browsers. */
import { onAbort } from '../../../base/runtime/deadline.ts';
import type { Ids } from '../../../base/runtime/ids.ts';
import { createInnerDirectory } from '../directories.ts';
import type { BrowserProcess } from '../process.ts';
import type { VirtualBrowser } from '../virtual/browser.ts';
import type { VirtualHost } from '../virtual/host.ts';
import type { BusyGuard } from './busy-guard.ts';
import { SharedProcess } from './shared-process.ts';
import type { Wear } from './wear.ts';

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
}

export class VirtualProcess extends SharedProcess {
  readonly #host: VirtualHost;
  readonly #options: VirtualProcessOptions;
  /** All virtual browsers that have not closed yet. */
  readonly #browsers = new Set<VirtualBrowser>();

  private constructor(process: BrowserProcess, host: VirtualHost, options: VirtualProcessOptions) {
    super(process, options.wear);
    this.#host = host;
    this.#options = options;
    process.gone.addEventListener('abort', options.busy.watch(process), { once: true });
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

  override get worn(): string | undefined {
    return this.active >= maxBrowsers ? 'sessions' : super.worn;
  }

  /**
   * @param proxyServer the proxy of all its contexts; undefined for the process's proxy
   * @throws any error that the browser reports
   */
  make(proxyServer: string | undefined): Promise<VirtualBrowser> {
    return this.enter(async () => {
      const { VirtualBrowser: Browser } = await import('../virtual/browser.ts');
      const browser = await Browser.make({
        id: this.#options.ids.make(),
        host: this.#host,
        proxyServer,
        directory: await createInnerDirectory(this.process.space.scratchDirectory),
        unfit: this.unfit,
        stuck: () => this.setUnfit('the browser failed to close a page'),
      });
      this.#browsers.add(browser);
      onAbort(browser.gone, () => this.#options.inBackground(this.#ended(browser)));
      return browser;
    });
  }

  /** Closes all virtual browsers in it. */
  async stop(): Promise<void> {
    await Promise.all([...this.#browsers].map((browser) => browser.close()));
  }

  /** The process may have exited first: the directory of the virtual browser must be removed anyway. */
  async #ended(browser: VirtualBrowser): Promise<void> {
    if (!this.#browsers.delete(browser)) return;
    await browser.close();
    this.leave();
  }
}
