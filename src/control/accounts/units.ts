/**
 * Counts the usage of an account in units: 1 for every 30 seconds or part thereof of a browser or page, 6 for a
 * megabyte through the residential proxy, 10 for a captcha sent to a solver. The monthly totals outlive the process.
 */
import { ServiceError } from '../../base/errors.ts';
import { unitMs } from '../../base/telemetry/metrics.ts';

/** The calendar month (UTC) of a time, as `2026-11`. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

/** Start of the next month (UTC), in epoch milliseconds. */
export function monthEnd(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

export class Units {
  readonly #blockMs: number;
  #month = monthOf(Date.now());
  #used = 0;
  /** Units charged since the last `takeUnsaved`. */
  #unsaved = 0;

  /** @param blockMs time that one unit pays for, in milliseconds; tests use a different value */
  constructor(blockMs = unitMs) {
    this.#blockMs = blockMs;
  }

  /** Units used this month. */
  get used(): number {
    this.#turn();
    return this.#used;
  }

  /** Restores the count of an earlier process for this month. */
  restore(month: string, units: number): void {
    this.#turn();
    if (month === this.#month) this.#used += units;
  }

  charge(units: number): void {
    this.#turn();
    this.#used += units;
    this.#unsaved += units;
  }

  /** Returns the units charged since the last call, for the units file. */
  takeUnsaved(): number {
    this.#turn();
    const units = this.#unsaved;
    this.#unsaved = 0;
    return units;
  }

  /** Returns units that could not be written, to be saved next time. */
  putBack(month: string, units: number): void {
    this.#turn();
    if (month === this.#month) this.#unsaved += units;
  }

  /** @throws ServiceError `units-exhausted` when the monthly budget is used up; undefined means no budget */
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
      `This month's units are used up: ${this.used} of ${budget}. They reset at ${resetsAt}. GET /account shows what is left.`,
      { details: { used: this.used, budget, resetsAt } },
    );
  }

  /**
   * Charges a running browser or page: one unit immediately and one for every further 30 seconds, until disposed.
   * @param budget the budget for the month, read again for each unit
   * @param pays false when the first unit has already been charged
   * @param end closes the browser or page when the budget is used up at the start of the next 30 seconds
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
    // Otherwise they would be written into the new month.
    this.#unsaved = 0;
  }
}
