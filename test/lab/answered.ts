// Answers by name that may come before or after somebody waits for them.

export class Answered<T> {
  readonly #byName = new Map<string, PromiseWithResolvers<T>>();

  #entry(name: string): PromiseWithResolvers<T> {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const made = Promise.withResolvers<T>();
    // A failure may come when nobody waits.
    made.promise.catch(() => undefined);
    this.#byName.set(name, made);
    return made;
  }

  /** The first answer of this name counts. */
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
