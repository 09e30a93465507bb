/** Starts browsers before calls need them, by executable and mode, and replaces each that a call takes. */
import type { Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import type { BrowserProcess } from '../process.ts';

/** @param signal of the one call that needs it; left out for a browser that any call may take */
type Start = (executable: Executable, mode: Mode, signal?: AbortSignal) => Promise<BrowserProcess>;

/** Replacements start after this time without a `take`, in milliseconds. */
const pauseMs = 250;

interface Kind {
  executable: Executable;
  mode: Mode;
  started: Promise<BrowserProcess>[];
  /** Set until calls have taken none for `pauseMs`. */
  later: ReturnType<typeof setTimeout> | undefined;
  /** True while one is being started. */
  filling: boolean;
}

export class SpareBrowsers {
  readonly #start: Start;
  readonly #wanted: () => number;
  readonly #kinds = new Map<string, Kind>();

  /** @param wanted how many of each kind there should be now */
  constructor(start: Start, wanted: () => number) {
    this.#start = start;
    this.#wanted = wanted;
  }

  /** A running browser: a spare one when there is one, otherwise a new one, whose start ends with the signal. */
  async take(executable: Executable, mode: Mode, signal: AbortSignal): Promise<BrowserProcess> {
    const kind = this.#kind(executable, mode);
    const started = kind.started.shift() ?? this.#start(executable, mode, signal);
    // Refill after a pause in demand: a launch now would slow the page that was just opened.
    clearTimeout(kind.later);
    kind.later = setTimeout(() => {
      kind.later = undefined;
      void this.#fill(kind);
    }, pauseMs);
    const browser = await started;
    return browser.gone.aborted ? this.#start(executable, mode, signal) : browser;
  }

  topUp(executable: Executable, mode: Mode): void {
    void this.#fill(this.#kind(executable, mode));
  }

  /** All browsers that no call has taken. */
  waiting(): Promise<BrowserProcess>[] {
    return [...this.#kinds.values()].flatMap(({ started }) => started);
  }

  /** Starts one after the other, and only while no call takes any: a start costs a third of a second of CPU. */
  async #fill(kind: Kind): Promise<void> {
    if (kind.filling) return;
    kind.filling = true;
    while (kind.later === undefined && kind.started.length < this.#wanted()) {
      const next = this.#start(kind.executable, kind.mode);
      kind.started.push(next);
      const failed = await next.then(
        () => false,
        () => true,
      );
      if (!failed) continue;
      // Drop the failed start: the next call tries again.
      const place = kind.started.indexOf(next);
      if (place >= 0) kind.started.splice(place, 1);
      break;
    }
    kind.filling = false;
  }

  #kind(executable: Executable, mode: Mode): Kind {
    const key = `${mode} ${executable.path}`;
    let kind = this.#kinds.get(key);
    if (!kind) this.#kinds.set(key, (kind = { executable, mode, started: [], later: undefined, filling: false }));
    return kind;
  }
}
