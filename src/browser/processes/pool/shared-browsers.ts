/**
 * Keeps one browser that many share per executable, mode and account: starts it at the first request, replaces it when it
 * is worn, has ended or does not answer, and ends it when it has been idle for a while. What is shared may be a browser
 * for jobs or one for virtual browsers. Chromium keeps state such as the clipboard per process, hence one per account.
 */
import { orGivenBack } from '../../../base/runtime/deadline.ts';
import type { Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import { browserCrashed } from '../last-words.ts';
import { type BrowserHost, type BrowserProcess, storageOf } from '../process.ts';
import { explainByDisk } from '../storage.ts';

/** Which shared browser a call takes. */
export interface SharedKind {
  readonly executable: Executable;
  readonly mode: Mode;
  /** Calls of one group share a browser; see BrowserPool.groupOf. */
  readonly group: string;
}

/** At most this many idle browsers are kept; the one that has been idle longest ends first. */
const mostIdle = 5;

/** A browser that many share. */
export interface Shared {
  readonly process: BrowserProcess;
  /** How many use it now. */
  readonly active: number;
  /** Why it should be replaced; undefined while it is fit. */
  readonly worn: string | undefined;
  /** Aborted when it is gone or no longer answers. */
  readonly unfit: AbortSignal;
  /** Takes nothing new; closes when the last one that uses it has left. */
  retire(): Promise<void>;
}

export interface SharedBrowsersOptions<Browser extends Shared> {
  make(kind: SharedKind): Promise<Browser>;
  /** A browser that nobody uses ends after this time, in milliseconds; undefined when it stays. */
  idleMs: number | undefined;
  /** Takes work that no call waits for. */
  inBackground(work: Promise<unknown>): void;
  host: Pick<BrowserHost, 'attempts' | 'dataRoot' | 'log' | 'metrics' | 'scratchRoot'>;
}

/** What a call takes from a shared browser. */
export interface Taking<Browser, Taken> {
  take(shared: Browser): Promise<Taken>;
  /** Gives back what came after the call had ended, or the browser was unfit. */
  giveBack(shared: Browser, late: Taken): void;
}

interface Place<Browser> {
  readonly kind: SharedKind;
  current: Promise<Browser>;
  /** True while a successor is being started. */
  replacing: boolean;
}

export class SharedBrowsers<Browser extends Shared> {
  readonly #options: SharedBrowsersOptions<Browser>;
  readonly #places = new Map<string, Place<Browser>>();
  readonly #kinds = new WeakMap<Browser, SharedKind>();
  /** The timers that end idle browsers, the longest idle first. */
  readonly #idle = new Map<Browser, ReturnType<typeof setTimeout>>();

  constructor(options: SharedBrowsersOptions<Browser>) {
    this.#options = options;
  }

  /** All shared browsers, also those that are being started. */
  starting(): Promise<Browser>[] {
    return [...this.#places.values()].map(({ current }) => current);
  }

  /**
   * Takes something from the browser that serves now.
   * @throws ServiceError `launch-failed`, `browser-crashed`, `page-crashed`, `storage-full`; the signal's reason when
   *   the call has ended meanwhile
   */
  async take<Taken>(
    kind: SharedKind,
    { take, giveBack }: Taking<Browser, Taken>,
    signal: AbortSignal,
  ): Promise<{ shared: Browser; taken: Taken }> {
    const { host } = this.#options;
    const { attempts } = host;
    // When a browser dies or hangs meanwhile, try again instead of failing the request.
    for (let attempt = 1; ; attempt++) {
      const shared = await this.browser(kind);
      signal.throwIfAborted();
      try {
        return { shared, taken: await orGivenBack(take(shared), shared.unfit, (late) => giveBack(shared, late)) };
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

  /** The browser has become idle: ends it when it still is after a while, or when too many are. */
  emptied(shared: Browser): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined) return;
    for (const each of this.#idle.keys()) if (each.active > 0 || each.process.gone.aborted) this.#forgetIdle(each);
    this.#endIfIdleAfter(idleMs, shared);
    for (const each of [...this.#idle.keys()].slice(0, -mostIdle)) this.#endIfIdleAfter(0, each);
  }

  #forgetIdle(shared: Browser): void {
    clearTimeout(this.#idle.get(shared));
    this.#idle.delete(shared);
  }

  /** After a turn of the event loop at least: a call may be about to take something from it. */
  #endIfIdleAfter(ms: number, shared: Browser): void {
    this.#forgetIdle(shared);
    const timer = setTimeout(() => {
      this.#idle.delete(shared);
      if (shared.active === 0) this.#end(shared);
    }, ms);
    // A server that stops does not wait for it.
    timer.unref();
    this.#idle.set(shared, timer);
  }

  /** Ends a browser that nobody uses; the next call starts another. */
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

  /** The browser that serves or is being started; undefined when there is none. @throws as `browser` */
  async running(kind: SharedKind): Promise<BrowserProcess | undefined> {
    const shared = await this.#places.get(keyOf(kind))?.current;
    return shared?.process;
  }

  /** The browser that serves now, started when there is none. @throws ServiceError `launch-failed` */
  async browser(kind: SharedKind): Promise<Browser> {
    const key = keyOf(kind);
    let place = this.#places.get(key);
    if (!place) {
      place = { kind, current: this.#make(kind), replacing: false };
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
      return this.browser(kind);
    }
    const worn = shared.worn;
    if (worn && !place.replacing) this.#options.inBackground(this.#replace(place, shared, worn));
    return shared;
  }

  async #make(kind: SharedKind): Promise<Browser> {
    const made = await this.#options.make(kind);
    this.#kinds.set(made, kind);
    // The call that it was made for may have ended in the meantime.
    setTimeout(() => made.active === 0 && this.emptied(made)).unref();
    return made;
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

const keyOf = ({ executable, mode, group }: SharedKind) => JSON.stringify([mode, executable.path, group]);
