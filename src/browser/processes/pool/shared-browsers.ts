/**
 * Maintains one shared browser per executable, mode and account: starts it at the first request, replaces it when it is
 * worn out, has exited or does not respond, and closes it when it has been idle for a while. The shared browser may be
 * one for jobs or one for virtual browsers. Chromium keeps state such as the clipboard per process, hence one per
 * account.
 */
import { orReleased } from '../../../base/runtime/deadline.ts';
import type { Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import { browserCrashed } from '../last-words.ts';
import { type BrowserHost, type BrowserProcess, storageOf } from '../process.ts';
import { explainByDisk } from '../storage.ts';
import type { SharedProcess } from './shared-process.ts';

/** Which shared browser a request uses. */
export interface SharedKind {
  readonly executable: Executable;
  readonly mode: Mode;
  /** Requests of one group share a browser; see BrowserPool.groupOf. */
  readonly group: string;
  /** Who drives the pages of jobs; default: only the server. */
  readonly clients?: 'none' | 'code' | undefined;
}

/** At most this many idle browsers are kept; the one that has been idle longest is closed first. */
const maxIdle = 5;

export interface SharedBrowsersOptions<Browser extends SharedProcess> {
  make(kind: SharedKind): Promise<Browser>;
  /** Time in milliseconds after which an unused browser is closed; undefined to keep it. */
  idleMs: number | undefined;
  /** Accepts work that no request waits for. */
  inBackground(work: Promise<unknown>): void;
  host: Pick<BrowserHost, 'attempts' | 'dataRoot' | 'log' | 'metrics' | 'scratchRoot'>;
}

/** How a request takes something from a shared browser and returns it. */
export interface AcquireOptions<Browser, Taken> {
  take(shared: Browser): Promise<Taken>;
  /** Returns what arrived after the request had ended or the browser had become unfit. */
  release(shared: Browser, late: Taken): void;
}

interface SharedEntry<Browser> {
  readonly kind: SharedKind;
  current: Promise<Browser>;
  /** True while a successor is being started. */
  replacing: boolean;
}

export class SharedBrowsers<Browser extends SharedProcess> {
  readonly #options: SharedBrowsersOptions<Browser>;
  readonly #places = new Map<string, SharedEntry<Browser>>();
  readonly #kinds = new WeakMap<Browser, SharedKind>();
  /** The timers that close idle browsers, the longest idle first. */
  readonly #idle = new Map<Browser, ReturnType<typeof setTimeout>>();

  constructor(options: SharedBrowsersOptions<Browser>) {
    this.#options = options;
  }

  /** All shared browsers, including those that are being started. */
  starting(): Promise<Browser>[] {
    return [...this.#places.values()].map(({ current }) => current);
  }

  /**
   * Takes something from the browser that serves now.
   * @throws ServiceError `launch-failed`, `browser-crashed`, `page-crashed`, `storage-full`; the signal's abort reason
   *   when the request has ended in the meantime
   */
  async take<Taken>(
    kind: SharedKind,
    { take, release }: AcquireOptions<Browser, Taken>,
    signal: AbortSignal,
  ): Promise<{ shared: Browser; taken: Taken }> {
    const { host } = this.#options;
    const { attempts } = host;
    // When a browser crashes or hangs, try again instead of failing the request.
    for (let attempt = 1; ; attempt++) {
      const shared = await this.browser(kind);
      signal.throwIfAborted();
      try {
        return { shared, taken: await orReleased(take(shared), shared.unfit, (late) => release(shared, late)) };
      } catch (error) {
        if (attempt > attempts.retries) {
          const times = ['', '', ', twice'][attempt] ?? `, ${attempt} times`;
          const lost = shared.unfit.aborted ? browserCrashed(shared.process.connection.fatal, times, error) : error;
          throw await explainByDisk(lost, storageOf(host));
        }
        await attempts.pauseBefore(attempt, signal);
      }
    }
  }

  /**
   * Called when the browser has become idle: closes it if it is still idle after a while, or if too many browsers are
   * idle.
   */
  #onIdle(shared: Browser): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined) return;
    for (const each of this.#idle.keys()) if (each.active > 0 || each.process.gone.aborted) this.#forgetIdle(each);
    this.#endIfIdleAfter(idleMs, shared);
    for (const each of [...this.#idle.keys()].slice(0, -maxIdle)) this.#endIfIdleAfter(0, each);
  }

  #forgetIdle(shared: Browser): void {
    clearTimeout(this.#idle.get(shared));
    this.#idle.delete(shared);
  }

  /** Waits at least one turn of the event loop: a request may be about to take something from it. */
  #endIfIdleAfter(ms: number, shared: Browser): void {
    this.#forgetIdle(shared);
    const timer = setTimeout(() => {
      this.#idle.delete(shared);
      if (shared.active === 0) this.#end(shared);
    }, ms);
    // A server that is stopping does not wait for this timer.
    timer.unref();
    this.#idle.set(shared, timer);
  }

  /** Closes a browser that nothing uses; the next request starts another. */
  #end(shared: Browser): void {
    const kind = this.#kinds.get(shared);
    if (!kind) return;
    const key = keyOf(kind);
    const place = this.#places.get(key);
    void place?.current.then((current) => {
      if (current === shared && this.#places.get(key) === place) this.#places.delete(key);
    });
    this.#options.inBackground(shared.retire());
  }

  /**
   * The browser that is serving or being started; undefined when there is none.
   * @throws the errors documented for `browser`
   */
  async running(kind: SharedKind): Promise<BrowserProcess | undefined> {
    const shared = await this.#places.get(keyOf(kind))?.current;
    return shared?.process;
  }

  /** The browser that is serving, started when there is none. @throws ServiceError `launch-failed` */
  async browser(kind: SharedKind): Promise<Browser> {
    const key = keyOf(kind);
    let place = this.#places.get(key);
    if (!place) {
      place = { kind, current: this.#make(kind), replacing: false };
      this.#places.set(key, place);
    }
    const shared = await place.current.catch((error: unknown) => {
      // A failure to start is not remembered: the next request tries again.
      if (this.#places.get(key) === place) this.#places.delete(key);
      throw error;
    });
    if (shared.unfit.aborted) {
      if (this.#places.get(key) === place) {
        this.#places.delete(key);
        if (!shared.process.gone.aborted) this.#putAside(shared);
      }
      return this.browser(kind);
    }
    const worn = shared.worn;
    if (worn && !place.replacing) this.#options.inBackground(this.#replace(place, shared, worn));
    return shared;
  }

  async #make(kind: SharedKind): Promise<Browser> {
    const made = await this.#options.make(kind);
    this.#kinds.set(made, kind);
    made.empty = () => this.#onIdle(made);
    // The request that it was made for may have ended in the meantime.
    setTimeout(() => made.active === 0 && made.empty()).unref();
    return made;
  }

  /**
   * Stops giving jobs to a browser that does not respond. It is closed after its current jobs, or when Pulse gives up
   * on it.
   */
  #putAside(shared: Browser): void {
    this.#options.host.log.warn('browser.unresponsive', { browser: shared.process.id });
    this.#options.host.metrics.browserRecycled('unresponsive');
    this.#options.inBackground(shared.retire());
  }

  /** The worn browser serves until its successor has started, so that no request waits for startup. */
  async #replace(place: SharedEntry<Browser>, worn: Browser, reason: string): Promise<void> {
    place.replacing = true;
    try {
      const successor = await this.#make(place.kind);
      place.current = Promise.resolve(successor);
    } finally {
      place.replacing = false;
    }
    this.#options.host.log.info('browser.recycled', { browser: worn.process.id, reason });
    this.#options.host.metrics.browserRecycled(reason);
    await worn.retire();
  }
}

const keyOf = ({ executable, mode, group, clients = 'none' }: SharedKind) =>
  JSON.stringify([mode, executable.path, group, clients]);
