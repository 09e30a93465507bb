// Named results that may arrive before or after someone waits for them.

export class PendingResults<T> {
  readonly #byName = new Map<string, PromiseWithResolvers<T>>();

  #entry(name: string): PromiseWithResolvers<T> {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const made = Promise.withResolvers<T>();
    // An error may arrive before anyone waits for it.
    made.promise.catch(() => undefined);
    this.#byName.set(name, made);
    return made;
  }

  /** Only the first result for each name is used. */
  answer(name: string, value: T): void {
    this.#entry(name).resolve(value);
  }

  fail(name: string, error: Error): void {
    this.#entry(name).reject(error);
  }

  wait(name: string): Promise<T> {
    return this.#entry(name).promise;
  }
}
