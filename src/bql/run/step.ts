/**
 * One step on its way: its time limit, its end, and what it waits for. Whatever a step does in a loop asks `check`, so
 * that it ends with its time.
 */
import type { Page } from '../../page/page.ts';
import { orAborted } from '../../runtime/deadline.ts';
import { now } from '../../runtime/machine.ts';
import { StepError, type StepCode } from './step-error.ts';

/** The first looks follow quickly, later ones cost the page nothing that could be noticed, in milliseconds. */
const lookDelaysMs = [10, 20, 30, 50, 80];
const longestLookDelayMs = 100;

export class Step {
  readonly page: Page;
  readonly name: string;
  /** Milliseconds; 0 for none. */
  readonly limitMs: number;
  /** The end of the whole document: its limit, the client's leaving, the server's stop. */
  readonly signal: AbortSignal;
  readonly #startedAt = now();
  #over = false;
  #waiting: { code: StepCode; message: string } | undefined;

  constructor(page: Page, name: string, limitMs: number, signal: AbortSignal) {
    this.page = page;
    this.signal = signal;
    this.name = name;
    this.limitMs = limitMs;
  }

  /** Whole milliseconds since the step began. */
  get time(): number {
    return Math.round(now() - this.#startedAt);
  }

  /** What the step waits for now: that is what its error tells when its time is over. */
  waitsFor(code: StepCode, message: string): void {
    this.#waiting = { code, message };
  }

  /** The error that tells what the step waits for, when it does not wait. */
  failure(): StepError {
    const { code, message } = this.#waiting ?? { code: 'TIMEOUT' as const, message: 'the step failed.' };
    return new StepError(code, `${message[0]?.toUpperCase()}${message.slice(1)}`);
  }

  /** @throws StepError once the step is over, the signal's reason once it has aborted */
  check(): void {
    this.signal.throwIfAborted();
    if (this.#over) throw this.#late();
  }

  /** Pauses, and ends with the step. */
  async pause(ms: number): Promise<void> {
    await this.page.sleep(ms);
    this.check();
  }

  /** Asks again and again until the answer is not undefined. */
  async until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (let turn = 0; ; turn++) {
      const answer = await look();
      this.check();
      if (answer !== undefined) return answer;
      await this.pause(lookDelaysMs[turn] ?? longestLookDelayMs);
    }
  }

  /** Runs the step's work within its time. @throws StepError, and what ends the page or the call */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.signal.throwIfAborted();
      return await orAborted(
        this.page.within(work(), this.limitMs, () => this.#late()),
        this.signal,
      );
    } finally {
      this.#over = true;
    }
  }

  #late(): StepError {
    const limit = `${this.name} did not finish within ${this.limitMs} ms`;
    if (!this.#waiting) return new StepError('TIMEOUT', `${limit}. Raise its "timeout".`);
    return new StepError(this.#waiting.code, `${limit}: ${this.#waiting.message}`);
  }
}
