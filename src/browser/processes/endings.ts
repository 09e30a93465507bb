/**
 * Limits how many browsers may be shutting down at a time. A request releases its slot when its browser starts to shut
 * down, so the next request does not wait for the process to exit; without this limit, such processes could pile up.
 */
import { orAborted } from '../../base/runtime/deadline.ts';

export class Endings {
  readonly #limit: number;
  readonly #ending = new Set<Promise<unknown>>();

  /** @param limit how many browsers may be shutting down while another one starts */
  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  /** Counts a browser until it has exited. */
  note(exited: Promise<unknown>): void {
    if (this.#ending.has(exited)) return;
    this.#ending.add(exited);
    void exited.finally(() => this.#ending.delete(exited));
  }

  /** Waits until few enough browsers are shutting down for a new one to start. @throws the signal's abort reason */
  async room(signal: AbortSignal | undefined): Promise<void> {
    while (this.#ending.size > this.#limit) {
      const one = Promise.race(this.#ending);
      await (signal ? orAborted(one, signal) : one);
    }
  }
}
