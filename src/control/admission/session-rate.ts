/** Limits how many sessions start per second, with a token bucket that holds one second's tokens. */
import { ServiceError } from '../../base/errors.ts';
import { now } from '../../base/runtime/machine.ts';

export class SessionRate {
  readonly #perSecond: number;
  readonly #clock: () => number;
  readonly #buckets = new WeakMap<object, { tokens: number; filledAt: number }>();

  /**
   * @param perSecond 0 for no limit
   * @param clock returns a time in milliseconds that never goes back
   */
  constructor(perSecond: number, clock: () => number = now) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /**
   * Counts a session of an account; each account has its own bucket.
   * @throws ServiceError `session-rate` when the limit is reached; counts nothing then
   */
  begin(account: object): void {
    if (this.#perSecond === 0) return;
    const time = this.#clock();
    const { tokens, filledAt } = this.#buckets.get(account) ?? { tokens: this.#perSecond, filledAt: time };
    const left = Math.min(this.#perSecond, tokens + ((time - filledAt) / 1_000) * this.#perSecond);
    this.#buckets.set(account, { tokens: left < 1 ? left : left - 1, filledAt: time });
    if (left >= 1) return;
    throw new ServiceError(
      'session-rate',
      `Too many new sessions: SESSIONS_PER_SECOND allows ${this.#perSecond} per second. Try again in one second.`,
    );
  }
}
