/** Limits how many requests of an account start per minute. */
import { ServiceError } from '../../base/errors.ts';
import { now } from '../../base/runtime/machine.ts';

const minuteMs = 60_000;

export class RequestRate {
  /** Start times of the last minute's requests, the oldest first, on the clock `now`. */
  #begun: number[] = [];

  /**
   * Counts a request.
   * @param limit the maximum number of requests in any minute; undefined for no limit
   * @throws ServiceError `quota` that states the limit and when to try again
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
        `Too many requests: this token may start ${limit} requests a minute (perMinute). Wait as long as Retry-After says.`,
        { retryAfterSeconds: Math.max(1, Math.ceil((oldest + minuteMs - time) / 1_000)) },
      );
    }
    this.#begun.push(time);
  }
}
