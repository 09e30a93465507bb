/** Limits how many calls of an account begin in any minute. */
import { ServiceError } from '../../base/errors.ts';
import { now } from '../../base/runtime/machine.ts';

const minuteMs = 60_000;

export class CallRate {
  /** When the calls of the last minute began, the oldest first, by the clock of `now`. */
  #begun: number[] = [];

  /**
   * Counts a call.
   * @param limit calls in any minute; undefined for no limit
   * @throws ServiceError `quota` that names the limit and when to come again
   */
  begin(limit: number | undefined): void {
    if (limit === undefined) return;
    const time = now();
    const since = this.#begun.findIndex((at) => time - at < minuteMs);
    this.#begun = since === -1 ? [] : this.#begun.slice(since);
    const oldest = this.#begun.at(-limit);
    if (oldest !== undefined) {
      throw new ServiceError(
        'quota',
        `Too many requests: this token may begin ${limit} calls a minute (perMinute). Wait as long as Retry-After says.`,
        { retryAfterSeconds: Math.max(1, Math.ceil((oldest + minuteMs - time) / 1_000)) },
      );
    }
    this.#begun.push(time);
  }
}
