/** Reads the version of the browser for default requests once, from a running browser or one that it starts. */
import type { BrowserProcess, BrowserVersion } from '../process.ts';

export interface VersionSource {
  /** A browser that is running now. */
  running(): BrowserProcess | undefined;
  /** Starts a browser. `own`: nothing else uses it. @throws ServiceError `browser-missing`, `launch-failed` */
  start(): Promise<{ browser: BrowserProcess; own: boolean }>;
  /** Closes a browser that nothing else uses. */
  end(browser: BrowserProcess): void;
}

export class VersionOfDefault {
  readonly #source: VersionSource;
  #known: BrowserVersion | undefined;
  #asking: Promise<BrowserVersion> | undefined;

  constructor(source: VersionSource) {
    this.#source = source;
  }

  /** @throws the errors documented for the source's `start` */
  async get(): Promise<BrowserVersion> {
    this.#known ??= this.#source.running()?.version;
    if (this.#known) return this.#known;
    // Calls in the meantime wait for the same browser.
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return (this.#known = await this.#asking);
  }

  async #ask(): Promise<BrowserVersion> {
    const { browser, own } = await this.#source.start();
    if (own) this.#source.end(browser);
    return browser.version;
  }
}
