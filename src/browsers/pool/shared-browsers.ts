/**
 * Keeps one browser that many share per executable and mode: starts it at the first request, and replaces it when it is
 * worn, has ended or does not answer. What is shared may be a browser for jobs or one for virtual browsers.
 */
import { orGivenBack } from '../../runtime/deadline.ts';
import type { Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import { browserCrashed } from '../last-words.ts';
import type { BrowserHost, BrowserProcess } from '../process.ts';

/** A browser that many share. */
export interface Shared {
  readonly process: BrowserProcess;
  /** Why it should be replaced; undefined while it is fit. */
  readonly worn: string | undefined;
  /** Aborted when it is gone or no longer answers. */
  readonly unfit: AbortSignal;
  /** Takes nothing new; closes when the last one that uses it has left. */
  retire(): Promise<void>;
}

export interface SharedBrowsersOptions<Browser extends Shared> {
  make(executable: Executable, mode: Mode): Promise<Browser>;
  /** Takes work that no call waits for. */
  inBackground(work: Promise<unknown>): void;
  host: Pick<BrowserHost, 'attempts' | 'log' | 'metrics'>;
}

/** What a call takes from a shared browser. */
export interface Taking<Browser, Taken> {
  take(shared: Browser): Promise<Taken>;
  /** Gives back what came after the call had ended, or the browser was unfit. */
  giveBack(shared: Browser, late: Taken): void;
}

interface Place<Browser> {
  current: Promise<Browser>;
  /** True while a successor is being started. */
  replacing: boolean;
}

export class SharedBrowsers<Browser extends Shared> {
  readonly #options: SharedBrowsersOptions<Browser>;
  readonly #places = new Map<string, Place<Browser>>();

  constructor(options: SharedBrowsersOptions<Browser>) {
    this.#options = options;
  }

  /** All shared browsers, also those that are being started. */
  starting(): Promise<Browser>[] {
    return [...this.#places.values()].map(({ current }) => current);
  }

  /**
   * Takes something from the browser that serves now.
   * @throws ServiceError `launch-failed`, `browser-crashed`; the signal's reason when the call has ended meanwhile
   */
  async take<Taken>(
    executable: Executable,
    mode: Mode,
    { take, giveBack }: Taking<Browser, Taken>,
    signal: AbortSignal,
  ): Promise<{ shared: Browser; taken: Taken }> {
    const { attempts } = this.#options.host;
    // When a browser dies or hangs meanwhile, try again instead of failing the request.
    for (let attempt = 1; ; attempt++) {
      const shared = await this.browser(executable, mode);
      signal.throwIfAborted();
      try {
        return { shared, taken: await orGivenBack(take(shared), shared.unfit, (late) => giveBack(shared, late)) };
      } catch (error) {
        if (attempt > attempts.retries) {
          const times = ['', '', ', twice'][attempt] ?? `, ${attempt} times`;
          throw shared.unfit.aborted ? browserCrashed(shared.process.connection.fatal, times, error) : error;
        }
        await attempts.pauseBefore(attempt, signal);
      }
    }
  }

  /** Ends a browser that nobody uses any more; the next call starts another. */
  end(shared: Browser): void {
    const { executable, mode } = shared.process;
    const key = keyOf(executable, mode);
    const place = this.#places.get(key);
    void place?.current.then((current) => {
      if (current === shared && this.#places.get(key) === place) this.#places.delete(key);
    });
    this.#options.inBackground(shared.retire());
  }

  /** The browser that serves or is being started; undefined when there is none. @throws as `browser` */
  async running(executable: Executable, mode: Mode): Promise<BrowserProcess | undefined> {
    const shared = await this.#places.get(keyOf(executable, mode))?.current;
    return shared?.process;
  }

  /** The browser that serves now, started when there is none. @throws ServiceError `launch-failed` */
  async browser(executable: Executable, mode: Mode): Promise<Browser> {
    const key = keyOf(executable, mode);
    let place = this.#places.get(key);
    if (!place) {
      place = { current: this.#options.make(executable, mode), replacing: false };
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
    if (worn && !place.replacing) this.#options.inBackground(this.#replace(place, shared, worn));
    return shared;
  }

  /**
   * Gives a browser that does not answer no more jobs. It ends after the jobs that it has, or when Pulse gives it up.
   */
  #putAside(shared: Browser): void {
    this.#options.host.log.warn('browser.unresponsive', { browser: shared.process.id });
    this.#options.host.metrics.browserRecycled('unresponsive');
    this.#options.inBackground(shared.retire());
  }

  /** The worn browser serves until its successor has started, so that no call waits for the start. */
  async #replace(place: Place<Browser>, worn: Browser, reason: string): Promise<void> {
    const { executable, mode } = worn.process;
    place.replacing = true;
    try {
      const successor = await this.#options.make(executable, mode);
      place.current = Promise.resolve(successor);
    } finally {
      place.replacing = false;
    }
    this.#options.host.log.info('browser.recycled', { browser: worn.process.id, reason });
    this.#options.host.metrics.browserRecycled(reason);
    await worn.retire();
  }
}

const keyOf = (executable: Executable, mode: Mode) => `${mode} ${executable.path}`;
