/** Limits how many sessions begin per second, with a token bucket that holds the tokens of one second. */
import { ServiceError } from '../errors.ts';
import { now } from '../runtime/machine.ts';

export class SessionRate {
  readonly #perSecond: number;
  readonly #clock: () => number;
  #tokens: number;
  #filledAt: number;

  /**
   * @param perSecond 0 for no limit
   * @param clock a time in milliseconds that never goes back
   */
  constructor(perSecond: number, clock: () => number = now) {
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#tokens = perSecond;
    this.#filledAt = clock();
  }

  /** Counts a session. @throws ServiceError `session-rate` when as many as allowed have begun; counts nothing then */
  begin(): void {
    if (this.#perSecond === 0) return;
    const time = this.#clock();
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((time - this.#filledAt) / 1_000) * this.#perSecond);
    this.#filledAt = time;
    if (this.#tokens < 1) {
      throw new ServiceError(
        'session-rate',
        `Too many sessions begin: SESSIONS_PER_SECOND allows ${this.#perSecond} a second on this server. Try again in a second.`,
      );
    }
    this.#tokens--;
  }
}
