/**
 * Keeps browsers running before requests need them, by executable and mode: as many as the demand of the last minute
 * calls for. Starts replacements one at a time when no request is waiting for startup, and closes browsers that are no
 * longer in demand.
 */
import { now } from '../../../base/runtime/machine.ts';
import type { Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import { Demand } from './demand.ts';

export interface SpareBrowsersOptions<Browser> {
  /**
   * Starts a browser.
   * @param signal the signal of the one request that needs it; omitted for a browser that any request may take
   */
  start(executable: Executable, mode: Mode, signal?: AbortSignal): Promise<Browser>;
  /** Closes a browser that nobody needs. */
  end(browser: Browser): void;
  /** Returns the current maximum number of spares of each kind. */
  max(): number;
  /** How many spares of each kind that was topped up stay without demand. */
  min: number;
  /**
   * Time in milliseconds without demand after which spares are refilled: an immediate start would slow the page that
   * was just opened. The default is about the time that a process takes to start.
   */
  pauseMs?: number | undefined;
  /** How long demand counts, in milliseconds; a minute by default. */
  memoryMs?: number | undefined;
}

const defaultPauseMs = 250;
/** Time in milliseconds after which spares are refilled regardless: under steady demand there is no pause. */
const maxPauseMs = 1_000;

/** A browser that is running or being started, and that no request has taken. */
interface Spare<Browser> {
  started: Promise<Browser>;
  /** Undefined until it runs. */
  browser: Browser | undefined;
}

interface SpareGroup<Browser> {
  executable: Executable;
  mode: Mode;
  demand: Demand;
  spares: Spare<Browser>[];
  /** How many stay without demand. */
  min: number;
  /** Number of requests waiting for a spare or for their own browser to start. */
  waiting: number;
  /** Set while refilling pauses. */
  later: ReturnType<typeof setTimeout> | undefined;
  /** When this pause began. */
  pausedAt: number;
  /** True while one is being started. */
  filling: boolean;
  /** Set while spares may become too many. */
  trimming: ReturnType<typeof setTimeout> | undefined;
}

export class SpareBrowsers<Browser extends { readonly gone: AbortSignal }> {
  readonly #options: SpareBrowsersOptions<Browser>;
  readonly #kinds = new Map<string, SpareGroup<Browser>>();

  constructor(options: SpareBrowsersOptions<Browser>) {
    this.#options = options;
  }

  /**
   * Returns a running browser: a spare one, or else the spare that is being started, or else a new one, whose start the
   * signal aborts.
   */
  async take(executable: Executable, mode: Mode, signal: AbortSignal): Promise<Browser> {
    const { start } = this.#options;
    const kind = this.#kind(executable, mode);
    kind.demand.took(now());
    kind.waiting++;
    this.#pause(kind);
    try {
      const spare = nextOf(kind);
      const browser = await (spare?.started ?? start(executable, mode, signal));
      return browser.gone.aborted ? await start(executable, mode, signal) : browser;
    } finally {
      kind.waiting--;
      this.#pause(kind);
    }
  }

  /** Starts the first spare of a kind, and keeps as many as `min` from now on. */
  topUp(executable: Executable, mode: Mode): void {
    const kind = this.#kind(executable, mode);
    kind.min = this.#options.min;
    void this.#fill(kind);
  }

  /** All browsers that no request has taken. */
  waiting(): Promise<Browser>[] {
    return [...this.#kinds.values()].flatMap(({ spares }) => spares.map(({ started }) => started));
  }

  #wanted(kind: SpareGroup<Browser>): number {
    return Math.min(this.#options.max(), Math.max(kind.min, kind.demand.peak(now())));
  }

  /** Refills after a pause in demand, or after a longer one under steady demand. */
  #pause(kind: SpareGroup<Browser>): void {
    const time = now();
    if (kind.later === undefined) kind.pausedAt = time;
    clearTimeout(kind.later);
    const leftMs = Math.max(0, kind.pausedAt + maxPauseMs - time);
    kind.later = setTimeout(
      () => {
        kind.later = undefined;
        void this.#fill(kind);
      },
      Math.min(this.#options.pauseMs ?? defaultPauseMs, leftMs),
    );
    this.#trimLater(kind, time);
  }

  /** Starts one at a time, and only while no request is waiting for startup: each costs a third of a second of CPU. */
  async #fill(kind: SpareGroup<Browser>): Promise<void> {
    if (kind.filling) return;
    kind.filling = true;
    while (kind.later === undefined && kind.waiting === 0 && kind.spares.length < this.#wanted(kind)) {
      const spare: Spare<Browser> = { started: this.#options.start(kind.executable, kind.mode), browser: undefined };
      kind.spares.push(spare);
      const failed = await spare.started.then(
        (browser) => {
          spare.browser = browser;
          return false;
        },
        () => true,
      );
      if (!failed) continue;
      // Drop the failure: the next request tries again.
      drop(kind, spare);
      break;
    }
    kind.filling = false;
    // Demand may have been forgotten while one was being started.
    this.#trim(kind);
  }

  /** Closes the spares that exceed recent demand, the oldest first; checks again when demand is forgotten. */
  #trim(kind: SpareGroup<Browser>): void {
    // One time for both: demand that is forgotten between two readings of the clock would never be checked again.
    const time = now();
    const wanted = Math.max(kind.min, kind.demand.peak(time));
    for (const spare of kind.spares.slice(0, Math.max(0, kind.spares.length - wanted))) {
      if (spare.browser === undefined) continue;
      drop(kind, spare);
      this.#options.end(spare.browser);
    }
    this.#trimLater(kind, time);
  }

  #trimLater(kind: SpareGroup<Browser>, time: number): void {
    const fallsIn = kind.demand.fallsIn(time);
    if (kind.trimming !== undefined || fallsIn === undefined) return;
    kind.trimming = setTimeout(() => {
      kind.trimming = undefined;
      this.#trim(kind);
    }, fallsIn);
    // A server that is stopping does not wait for this timer.
    kind.trimming.unref();
  }

  #kind(executable: Executable, mode: Mode): SpareGroup<Browser> {
    const key = `${mode} ${executable.path}`;
    let kind = this.#kinds.get(key);
    if (!kind) {
      kind = {
        executable,
        mode,
        demand: new Demand(this.#options.memoryMs),
        spares: [],
        min: 0,
        waiting: 0,
        later: undefined,
        pausedAt: 0,
        filling: false,
        trimming: undefined,
      };
      this.#kinds.set(key, kind);
    }
    return kind;
  }
}

/** Removes a spare from the list: the oldest running one or, if none is running, the one that is being started. */
function nextOf<Browser>(kind: SpareGroup<Browser>): Spare<Browser> | undefined {
  const spare = kind.spares.find(({ browser }) => browser !== undefined) ?? kind.spares[0];
  if (spare) drop(kind, spare);
  return spare;
}

function drop<Browser>({ spares }: SpareGroup<Browser>, spare: Spare<Browser>): void {
  const place = spares.indexOf(spare);
  if (place >= 0) spares.splice(place, 1);
}
