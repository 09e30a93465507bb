/** Queues that run asynchronous tasks one at a time, in the order in which they are added. */

/** Runs tasks one at a time. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task after all earlier ones, and settles as the task does. A failed task does not affect later ones. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const running = this.#last.then(task);
    this.#last = running.catch(() => undefined);
    return running;
  }

  /** Resolves when all tasks that were added before have ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Runs the tasks of each key one at a time. */
export class KeyedSerialQueue<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Like `SerialQueue.run`, after earlier tasks of the same key. */
  run<T>(key: Key, task: () => T | Promise<T>): Promise<T> {
    const running = (this.#last.get(key) ?? Promise.resolve()).then(task);
    const ended = running
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(key) === ended) this.#last.delete(key);
      });
    this.#last.set(key, ended);
    return running;
  }
}
