/** Keeps the search index in memory while readers without scripts search, and releases it after an idle time. */
import type { Index } from '../search/engine.ts';

export class LoadedIndex {
  readonly #idleMs: number;
  #index: { of: object; loaded: Promise<Index> } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param idleMs how long the index stays in memory after the last search, in ms */
  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Whether the index is in memory. */
  get isHeld(): boolean {
    return this.#index !== undefined;
  }

  /**
   * @param of the build that the index belongs to; the index of a different build is loaded again
   * @param read called when the index is not in memory; after a failure, the next search tries again
   */
  async get(of: object, read: () => Promise<string>): Promise<Index> {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#index = undefined), this.#idleMs);
    this.#timer.unref();
    if (this.#index?.of !== of) {
      const loaded = import('../search/engine.ts').then(async ({ loadIndex }) => loadIndex(await read()));
      const held = { of, loaded };
      this.#index = held;
      loaded.catch(() => {
        if (this.#index === held) this.#index = undefined;
      });
    }
    return this.#index.loaded;
  }
}
