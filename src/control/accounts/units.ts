/**
 * Counts what an account uses, in units: 1 for each started 30 seconds of a browser or page, 6 for a megabyte through
 * the residential proxy, 10 for a captcha that is given to a solver. The sums of a month outlive the process.
 */
import { ServiceError } from '../../base/errors.ts';

/** What one unit of time is, in milliseconds. */
export const usualBlockMs = 30_000;

/** The calendar month of a time in UTC, `2026-11`. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

/** When the next month begins, in epoch milliseconds (UTC). */
export function monthEnd(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

export class Units {
  readonly #blockMs: number;
  #month = monthOf(Date.now());
  #used = 0;
  /** What has been charged since `takeUnsaved`. */
  #unsaved = 0;

  /** @param blockMs what one unit of time is, in milliseconds; another length is for tests */
  constructor(blockMs = usualBlockMs) {
    this.#blockMs = blockMs;
  }

  /** Units of this month. */
  get used(): number {
    this.#turn();
    return this.#used;
  }

  /** Takes over what an earlier process has counted in this month. */
  restore(month: string, units: number): void {
    this.#turn();
    if (month === this.#month) this.#used += units;
  }

  charge(units: number): void {
    this.#turn();
    this.#used += units;
    this.#unsaved += units;
  }

  /** Charges since the last call, for the file that keeps them. */
  takeUnsaved(): number {
    this.#turn();
    const units = this.#unsaved;
    this.#unsaved = 0;
    return units;
  }

  /** Takes back what could not be written, for the next time. */
  putBack(month: string, units: number): void {
    this.#turn();
    if (month === this.#month) this.#unsaved += units;
  }

  /** @throws ServiceError `units-exhausted` when a month's budget is used up; undefined is no budget */
  requireLeft(budget: number | undefined): void {
    const error = this.exhausted(budget);
    if (error) throw error;
  }

  /** The error for an account that has used up its budget. */
  exhausted(budget: number | undefined): ServiceError | undefined {
    if (budget === undefined || this.used < budget) return undefined;
    const resetsAt = new Date(monthEnd(Date.now())).toISOString();
    return new ServiceError(
      'units-exhausted',
      `The units of this month are used up: ${this.used} of ${budget}. They begin anew at ${resetsAt}. GET /account tells what is left.`,
      { facts: { used: this.used, budget, resetsAt } },
    );
  }

  /**
   * Charges a browser or page that runs: a unit at once and for every further 30 seconds, until it is disposed.
   * @param budget of the month, read anew for each unit
   * @param pays false when the first unit has been charged already
   * @param end ends what runs, when the budget is used up as the next 30 seconds begin
   */
  run(budget: () => number | undefined, end: (error: ServiceError) => void, pays = true): Disposable {
    if (pays) this.charge(1);
    const timer = setInterval(() => {
      const error = this.exhausted(budget());
      if (error === undefined) return this.charge(1);
      clearInterval(timer);
      end(error);
    }, this.#blockMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  #turn(): void {
    const month = monthOf(Date.now());
    if (month === this.#month) return;
    this.#month = month;
    this.#used = 0;
    // They would be written into the new month.
    this.#unsaved = 0;
  }
}
