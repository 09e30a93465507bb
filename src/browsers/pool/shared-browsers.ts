/**
 * Keeps one shared browser per executable and mode: starts it at the first request, and replaces it when it is worn,
 * has ended or does not answer.
 */
import { orGivenBack } from '../../runtime/deadline.ts';
import type { Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import { browserCrashed } from '../last-words.ts';
import type { PageTarget } from '../page-target.ts';
import type { BrowserHost, BrowserProcess } from '../process.ts';
import { SharedBrowser, type Wear } from './shared-browser.ts';

export interface SharedBrowserOptions {
  /** Contexts (or, with process isolation, browsers) made ahead. */
  spares: number;
  wear: Wear;
}

interface Place {
  current: Promise<SharedBrowser>;
  /** True while a successor is being started. */
  replacing: boolean;
}

export class SharedBrowsers {
  readonly #options: SharedBrowserOptions;
  readonly #start: (executable: Executable, mode: Mode) => Promise<BrowserProcess>;
  readonly #inBackground: (work: Promise<unknown>) => void;
  readonly #host: BrowserHost;
  readonly #places = new Map<string, Place>();

  /** @param inBackground takes work that no call waits for */
  constructor(
    options: SharedBrowserOptions,
    start: (executable: Executable, mode: Mode) => Promise<BrowserProcess>,
    inBackground: (work: Promise<unknown>) => void,
    host: BrowserHost,
  ) {
    this.#options = options;
    this.#start = start;
    this.#inBackground = inBackground;
    this.#host = host;
  }

  /** All shared browsers, also those that are being started. */
  starting(): Promise<SharedBrowser>[] {
    return [...this.#places.values()].map(({ current }) => current);
  }

  /**
   * A blank page in a context of its own.
   * @throws ServiceError `launch-failed`, `browser-crashed`; the signal's reason when the call has ended meanwhile
   */
  async take(
    executable: Executable,
    mode: Mode,
    proxyServer: string | undefined,
    signal: AbortSignal,
  ): Promise<{ shared: SharedBrowser; target: PageTarget }> {
    const { attempts } = this.#host;
    // When a browser dies or hangs while it makes the page, try again instead of failing the request.
    for (let attempt = 1; ; attempt++) {
      const shared = await this.browser(executable, mode);
      signal.throwIfAborted();
      try {
        const taking = shared.take(proxyServer);
        const target = await orGivenBack(taking, shared.unfit, (late) => void shared.giveBack(late));
        return { shared, target };
      } catch (error) {
        if (attempt > attempts.retries) {
          const times = ['', '', ', twice'][attempt] ?? `, ${attempt} times`;
          throw shared.unfit.aborted ? browserCrashed(shared.process.connection.fatal, times, error) : error;
        }
        await attempts.pauseBefore(attempt, signal);
      }
    }
  }

  /** The browser that serves or is being started; undefined when there is none. @throws as `browser` */
  async running(executable: Executable, mode: Mode): Promise<BrowserProcess | undefined> {
    const shared = await this.#places.get(keyOf(executable, mode))?.current;
    return shared?.process;
  }

  /** The browser that serves now, started when there is none. @throws ServiceError `launch-failed` */
  async browser(executable: Executable, mode: Mode): Promise<SharedBrowser> {
    const key = keyOf(executable, mode);
    let place = this.#places.get(key);
    if (!place) {
      place = { current: this.#make(executable, mode), replacing: false };
      this.#places.set(key, place);
    }
    const shared = await place.current.catch((error: unknown) => {
      // A failed start is not remembered: the next request tries again.
      if (this.#places.get(key) === place) this.#places.delete(key);
      throw error;
    });
    if (shared.unfit.aborted) {
      if (this.#places.get(key) === place) {
        this.#places.delete(key);
        if (!shared.process.gone.aborted) this.#putAside(shared);
      }
      return this.browser(executable, mode);
    }
    const worn = shared.worn;
    if (worn && !place.replacing) this.#inBackground(this.#replace(place, shared, worn));
    return shared;
  }

  /**
   * Gives a browser that does not answer no more jobs. It ends after the jobs that it has, or when Pulse gives it up.
   */
  #putAside(shared: SharedBrowser): void {
    this.#host.log.warn('browser.unresponsive', { browser: shared.process.id });
    this.#host.metrics.browserRecycled('unresponsive');
    this.#inBackground(shared.retire());
  }

  /** The worn browser serves until its successor has started, so that no call waits for the start. */
  async #replace(place: Place, worn: SharedBrowser, reason: string): Promise<void> {
    const { executable, mode } = worn.process;
    place.replacing = true;
    try {
      const successor = await this.#make(executable, mode);
      place.current = Promise.resolve(successor);
    } finally {
      place.replacing = false;
    }
    this.#host.log.info('browser.recycled', { browser: worn.process.id, reason });
    this.#host.metrics.browserRecycled(reason);
    await worn.retire();
  }

  async #make(executable: Executable, mode: Mode): Promise<SharedBrowser> {
    const browser = await this.#start(executable, mode);
    return new SharedBrowser(browser, this.#options.spares, this.#options.wear);
  }
}

const keyOf = (executable: Executable, mode: Mode) => `${mode} ${executable.path}`;
