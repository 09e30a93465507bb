/** Browsers that are started before somebody needs them, by executable and mode; each one taken is replaced. */
import type { Executable, Mode } from './catalog.ts';
import type { BrowserProcess } from './process.ts';

type Start = (executable: Executable, mode: Mode) => Promise<BrowserProcess>;

export class StartedAhead {
  readonly #start: Start;
  readonly #wanted: () => number;
  readonly #lists = new Map<string, Promise<BrowserProcess>[]>();

  /** @param wanted how many of each kind there should be now */
  constructor(start: Start, wanted: () => number) {
    this.#start = start;
    this.#wanted = wanted;
  }

  /** A browser that runs: one made ahead when there is one, otherwise a new one. Replacements are started. */
  async take(executable: Executable, mode: Mode): Promise<BrowserProcess> {
    const list = this.#list(executable, mode);
    const started = list.shift() ?? this.#start(executable, mode);
    this.topUp(executable, mode);
    const browser = await started;
    return browser.gone.aborted ? this.#start(executable, mode) : browser;
  }

  topUp(executable: Executable, mode: Mode): void {
    const list = this.#list(executable, mode);
    while (list.length < this.#wanted()) {
      const started = this.#start(executable, mode);
      list.push(started);
      started.catch(() => {
        const place = list.indexOf(started);
        if (place >= 0) list.splice(place, 1);
      });
    }
  }

  /** All that have not been taken. */
  waiting(): Promise<BrowserProcess>[] {
    return [...this.#lists.values()].flat();
  }

  #list(executable: Executable, mode: Mode): Promise<BrowserProcess>[] {
    const key = `${mode} ${executable.path}`;
    let list = this.#lists.get(key);
    if (!list) this.#lists.set(key, (list = []));
    return list;
  }
}
