/**
 * Runs one step under its time limit and remembers what the step waits for, for the error message of a timeout. Every
 * loop in a step calls `check`, so that the loop ends when the step does.
 */
import { capitalize } from '../../../base/text.ts';
import { ServiceError } from '../../../base/errors.ts';
import { isEmpty } from '../../../browser/page/load/navigate.ts';
import type { Page } from '../../../browser/page/page.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { now } from '../../../base/runtime/machine.ts';
import type { Tab } from './session.ts';
import { StepError, type StepCode } from './step-error.ts';

/** Delays between polls in milliseconds: short at first, then long enough not to slow the page down noticeably. */
const pollDelaysMs = [10, 20, 30, 50, 80];
const maxPollDelayMs = 100;

export class Step {
  readonly page: Page;
  readonly name: string;
  /** Milliseconds; 0 for none. */
  readonly limitMs: number;
  /** Ends the whole document: at its time limit, when the client disconnects or when the server stops. */
  readonly signal: AbortSignal;
  /** Knows why the page did not load; undefined for a step that does not need this. */
  tab: Pick<Tab, 'failedNavigation'> | undefined;
  readonly #startedAt = now();
  #over = false;
  #waiting: { code: StepCode; message: string } | undefined;

  constructor(page: Page, name: string, limitMs: number, signal: AbortSignal) {
    this.page = page;
    this.signal = signal;
    this.name = name;
    this.limitMs = limitMs;
  }

  /** Whole milliseconds since the step started. */
  get time(): number {
    return Math.round(now() - this.#startedAt);
  }

  /** Sets the code and message of the step's error in case its time limit expires. */
  setTimeoutReason(code: StepCode, message: string): void {
    this.#waiting = { code, message };
  }

  /** Returns the error set with `setTimeoutReason`, for a step that must not wait. */
  failure(): StepError {
    const { code, message } = this.#waiting ?? { code: 'TIMEOUT' as const, message: 'the step failed.' };
    return new StepError(code, capitalize(message));
  }

  /** @throws StepError once the step has ended; the abort reason of the signal */
  check(): void {
    this.signal.throwIfAborted();
    if (this.#over) throw this.#timeoutError();
  }

  /** Pauses; throws if the step has ended in the meantime. */
  async pause(ms: number): Promise<void> {
    await this.page.sleep(ms);
    this.check();
  }

  /** Polls until `look` returns something other than undefined. */
  async until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (let turn = 0; ; turn++) {
      const answer = await look();
      this.check();
      if (answer !== undefined) return answer;
      await this.pause(pollDelaysMs[turn] ?? maxPollDelayMs);
    }
  }

  /** Like `until`, for content of the page: fails immediately when a navigation failed and the page is empty. */
  untilOnPage<T>(look: () => Promise<T | undefined>): Promise<T> {
    return this.until(async () => {
      const answer = await look();
      if (answer === undefined) await this.requirePage();
      return answer;
    });
  }

  /** @throws StepError when the page is empty because the preceding navigation failed */
  async requirePage(): Promise<void> {
    const { tab, page } = this;
    if (tab?.failedNavigation === undefined) return;
    if (!(await isEmpty(page))) return;
    const { code, message } = this.failure();
    throw new StepError(
      code === 'TIMEOUT' ? 'NAVIGATION_FAILED' : code,
      `${message.replace(/\.$/, '')}: the page did not load (${tab.failedNavigation})`,
    );
  }

  /**
   * Runs the step's work within its time limit. @throws StepError, the failure of the page, or the abort reason of the
   * signal
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.signal.throwIfAborted();
      return await orAborted(
        this.page.withTimeout(work(), this.limitMs, () => this.#timeoutError()),
        this.signal,
      );
    } catch (error) {
      throw isTimeLimit(this.signal) ? this.#cutOff() : error;
    } finally {
      this.#over = true;
    }
  }

  /** Returns the error of a step that the request's time limit ended. */
  #cutOff(): StepError {
    const cut = `Request has timed out during ${this.name}`;
    return new StepError('TIMEOUT', this.#waiting ? `${cut}: ${this.#waiting.message}` : `${cut}.`);
  }

  #timeoutError(): StepError {
    const limit = `${this.name} did not finish within ${this.limitMs} ms`;
    if (!this.#waiting) return new StepError('TIMEOUT', `${limit}. Raise its "timeout".`);
    return new StepError(this.#waiting.code, `${limit}: ${this.#waiting.message}`);
  }
}

/** Whether a signal has aborted because of a request's time limit. */
export function isTimeLimit({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof ServiceError && reason.code === 'timeout';
}
