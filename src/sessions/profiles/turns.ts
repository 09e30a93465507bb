/** Runs work on the entries of one owner sequentially, so that no change is lost. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(owner) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.catch(() => undefined);
    this.#last.set(owner, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(owner) === settled) this.#last.delete(owner);
    }
  }
}
