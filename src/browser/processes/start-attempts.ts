/**
 * Retries starting a browser, with growing pauses, when the failure may be temporary. Callers that start the same
 * executable with the same switches share its state: while startup fails, one caller tries at a time and the others
 * wait for the outcome.
 */
import { orAborted, pause } from '../../base/runtime/deadline.ts';
import { now } from '../../base/runtime/machine.ts';
import { LaunchFailed } from './last-words.ts';

/** The first pause, in milliseconds; each later one is twice as long. */
const firstPauseMs = 50;
const maxPauseMs = 2_000;
/** Time in milliseconds after which a failure that has not recurred is forgotten. */
const memoryMs = 10_000;
/** Time in milliseconds after startup within which a browser crash is treated as a failure to start. */
export const earlyCrashMs = 3_000;

interface Trouble {
  failures: number;
  failedAt: number;
  error: unknown;
  /** True from a failure until the next startup that succeeds. */
  open: boolean;
  /** The one start in progress; resolves with true when it failed. */
  trial: Promise<boolean> | undefined;
}

export class StartAttempts {
  /** How many times to retry work that failed with a browser. */
  readonly retries: number;
  readonly #troubles = new Map<string, Trouble>();

  /** @param retries further attempts after a failed one */
  constructor(retries: number) {
    this.retries = retries;
  }

  /**
   * @param kind what is started: executable and switches
   * @param start one attempt; `run` retries it only after a transient LaunchFailed
   * @throws the error of the last attempt; the signal's abort reason
   */
  async run<T>(kind: string, start: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    // Other callers have already used up the retries of this kind: this caller tries only once.
    const known = this.#trouble(kind);
    let remaining = known?.open && known.failures > this.retries ? 0 : this.retries;
    for (;;) {
      signal?.throwIfAborted();
      const trouble = this.#trouble(kind);
      if (trouble?.open && trouble.trial) {
        const failed = await (signal ? orAborted(trouble.trial, signal) : trouble.trial);
        if (failed && remaining-- === 0) throw trouble.error;
        continue;
      }
      try {
        return await (trouble?.open ? this.#try(trouble, kind, start, signal) : this.#start(kind, start));
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof LaunchFailed && error.transient) || remaining-- === 0) throw error;
      }
    }
  }

  /** Counts a crash right after startup as a failure to start, so that the next attempt waits. */
  crashedEarly(kind: string, error: unknown): void {
    this.#failed(kind, now(), error);
  }

  /** Waits before the next attempt at work that failed with a running browser. */
  pauseBefore(attempt: number, signal: AbortSignal): Promise<void> {
    return pause(pauseMs(attempt), signal);
  }

  /** Pauses, then makes the one attempt that all callers wait for. */
  async #try<T>(trouble: Trouble, kind: string, start: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    trouble.trial = promise;
    let failed = false;
    try {
      await pause(Math.max(1, trouble.failedAt + pauseMs(trouble.failures) - now()), signal);
      return await this.#start(kind, start);
    } catch (error) {
      // An aborted start proves nothing about the browser: the next caller in line tries.
      failed = !signal?.aborted;
      throw error;
    } finally {
      trouble.trial = undefined;
      resolve(failed);
    }
  }

  async #start<T>(kind: string, start: () => Promise<T>): Promise<T> {
    const startedAt = now();
    try {
      const started = await start();
      const trouble = this.#trouble(kind);
      if (trouble) trouble.open = false;
      return started;
    } catch (error) {
      if (error instanceof LaunchFailed && error.transient) this.#failed(kind, startedAt, error);
      throw error;
    }
  }

  #failed(kind: string, startedAt: number, error: unknown): void {
    const trouble = this.#trouble(kind);
    if (!trouble) {
      this.#troubles.set(kind, { failures: 1, failedAt: now(), error, open: true, trial: undefined });
      return;
    }
    // Starts that ran at the same time count as one failure.
    if (startedAt >= trouble.failedAt) trouble.failures++;
    trouble.failedAt = now();
    trouble.error = error;
    trouble.open = true;
  }

  #trouble(kind: string): Trouble | undefined {
    const trouble = this.#troubles.get(kind);
    if (!trouble || trouble.trial || now() - trouble.failedAt < memoryMs) return trouble;
    this.#troubles.delete(kind);
    return undefined;
  }
}

/** Adds jitter, so that servers that failed together do not retry together. */
function pauseMs(failures: number): number {
  const longest = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.max(0, failures - 1));
  return longest * (0.5 + Math.random() / 2);
}
