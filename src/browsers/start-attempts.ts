/**
 * Retries the start of a browser with growing pauses when the reason may pass. Callers share the state of an executable:
 * while its starts fail, one is tried at a time and the others wait for the outcome.
 */
import { orAborted, pause } from '../runtime/deadline.ts';
import { now } from '../runtime/machine.ts';
import { LaunchFailed } from './last-words.ts';

/** The first pause, in milliseconds; each further one is twice as long. */
const firstPauseMs = 50;
const longestPauseMs = 2_000;
/** Trouble that has not come back within this time is forgotten, in milliseconds. */
const memoryMs = 10_000;
/** Whom a browser leaves without a word so soon after its start, it leaves again: in milliseconds. */
export const youngMs = 3_000;

interface Trouble {
  failures: number;
  failedAt: number;
  error: unknown;
  /** True from a failure to the next start that works. */
  open: boolean;
  /** The one start that is being tried; resolves with whether it failed. */
  trial: Promise<boolean> | undefined;
}

export class StartAttempts {
  readonly #retries: number;
  readonly #troubles = new Map<string, Trouble>();

  /** @param retries further attempts after a failed one */
  constructor(retries: number) {
    this.#retries = retries;
  }

  /** How often something that failed with a browser is tried again. */
  get retries(): number {
    return this.#retries;
  }

  /**
   * @param kind what is started: executable and switches
   * @param start one attempt; only a LaunchFailed that is transient is followed by another
   * @throws what the last attempt threw; the signal's reason
   */
  async run<T>(kind: string, start: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    // What has failed for somebody else as often as it may is not tried so often again for everybody.
    const known = this.#trouble(kind);
    let left = known?.open && known.failures > this.#retries ? 0 : this.#retries;
    for (;;) {
      signal?.throwIfAborted();
      const trouble = this.#trouble(kind);
      if (trouble?.open && trouble.trial) {
        const failed = await (signal ? orAborted(trouble.trial, signal) : trouble.trial);
        if (failed && left-- === 0) throw trouble.error;
        continue;
      }
      try {
        return await (trouble?.open ? this.#try(trouble, kind, start, signal) : this.#start(kind, start));
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof LaunchFailed && error.transient) || left-- === 0) throw error;
      }
    }
  }

  /** Notes that a browser ended by itself right after its start: the next one is not started at once. */
  crashedYoung(kind: string, error: unknown): void {
    this.#failed(kind, now(), error);
  }

  /** Waits before the next attempt at something that failed with a browser that had started. */
  pauseBefore(attempt: number, signal: AbortSignal): Promise<void> {
    return pause(pauseMs(attempt), signal);
  }

  /** The start that everybody waits for, after its pause. */
  async #try<T>(trouble: Trouble, kind: string, start: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    trouble.trial = promise;
    let failed = false;
    try {
      await pause(Math.max(1, trouble.failedAt + pauseMs(trouble.failures) - now()), signal);
      return await this.#start(kind, start);
    } catch (error) {
      // Whoever gave up has learnt nothing: the next in line tries.
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
    // Several that were started together have failed once.
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

/** With a part of chance, so that servers that failed together do not try again together. */
function pauseMs(failures: number): number {
  const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - 1));
  return longest * (0.5 + Math.random() / 2);
}
