/**
 * Runs patterns that may never finish in a worker thread: one thread for all requests, one search at a time. The thread
 * starts with the first search, exits after 10 s without one, and is terminated and replaced when a search exceeds its
 * budget.
 */
import { setImmediate, setTimeout } from 'node:timers';
import { Worker } from 'node:worker_threads';
import { workerCode } from '../../program/assets.ts';
import { now } from '../machine.ts';
import type { SearchStarted, Found, Search, SearchPattern } from './regexp-worker.ts';

export type { SearchPattern } from './regexp-worker.ts';

/** Time that a request has left for its searches. */
export interface SearchBudget {
  readonly leftMs: number;
  /** Aborts when no time is left. */
  readonly signal: AbortSignal;
  /** Subtracts time. @throws when none is left */
  take(ms: number, source: string): void;
}

interface Job {
  patterns: readonly SearchPattern[];
  text: string;
  budget: SearchBudget;
  resolve(index: number): void;
  reject(error: unknown): void;
}

/** Idle time in milliseconds after which the thread exits. */
const idleMs = 10_000;
/** A busy machine may delay the thread: by wall-clock time, a search may take at most this multiple of its budget. */
const patience = 10;
/** Deno does not terminate a busy thread (seen with 2.9.5): there, the thread checks its time limit itself. */
const stopsItself = 'deno' in process.versions;
/** Memory limit of the thread, in megabytes: a pattern that needs more terminates it. */
const memoryMb = 64;

/**
 * Index of the first pattern that matches, -1 for none. Only the time of the search itself counts, not the time in the
 * queue.
 * @throws the error that the budget throws when it is used up
 */
export function searchInThread(
  patterns: readonly SearchPattern[],
  text: string,
  budget: SearchBudget,
): Promise<number> {
  if (budget.signal.aborted) return Promise.reject(budget.signal.reason);
  return new Promise((resolve, reject) => {
    waiting.push({ patterns, text, budget, resolve, reject });
    next();
  });
}

/** Drops the searches of a request that has ended. */
export function endSearches(budget: SearchBudget): void {
  for (const job of waiting.filter((one) => one.budget === budget)) drop(job, new Error('the request has ended'));
}

const waiting: Job[] = [];
let thread: Thread | undefined;
let idle: NodeJS.Timeout | undefined;

function drop(job: Job, error: unknown): void {
  waiting.splice(waiting.indexOf(job), 1);
  job.reject(error);
}

/** Starts the next search if the thread is free. */
function next(): void {
  for (const job of waiting.filter(({ budget }) => budget.signal.aborted)) drop(job, job.budget.signal.reason);
  idle?.close();
  if (waiting.length === 0) {
    if (thread) idle = setTimeout(() => thread?.end(), idleMs).unref();
    return;
  }
  thread ??= new Thread();
  if (!thread.free) return;
  const job = waiting.shift();
  if (job) thread.run(job);
}

class Thread {
  /** Index of the running pattern, in shared memory: a pattern that never finishes cannot send a message. */
  readonly #progress = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;
  #ready = false;
  #job: Job | undefined;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** CPU time that the thread had used before this search, in milliseconds. */
  #usedMs = 0;

  constructor() {
    const { code, eval: isText } = workerCode('regexp-worker');
    this.#worker = new Worker(code, {
      eval: isText,
      workerData: this.#progress.buffer,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // The thread runs patterns from clients: its environment contains no secrets.
      env: {},
    });
    this.#worker.on('message', (message: Found | SearchStarted | 'ready') => {
      if (message === 'ready') {
        this.#ready = true;
        next();
      } else if ('index' in message) this.#answered(message);
      else this.#begun(message);
    });
    this.#worker.on('error', (error: unknown) => this.#failed(error));
    this.#worker.on('exit', () => this.#failed(new Error('the regular expression thread exited')));
    // Unref after adding the listeners, each of which would ref the worker again.
    this.#worker.unref();
  }

  get free(): boolean {
    return this.#ready && this.#job === undefined;
  }

  run(job: Job): void {
    this.#job = job;
    this.#progress[0] = 0;
    const { patterns, text, budget } = job;
    const search: Search = { patterns, text, ...(stopsItself ? { limitMs: budget.leftMs } : {}) };
    this.#worker.postMessage(search);
  }

  /** Terminates the thread; a running search gets no result. */
  end(): void {
    if (thread === this) thread = undefined;
    clearTimeout(this.#timer);
    this.#worker.removeAllListeners();
    // Ignore errors of the thread while it terminates.
    this.#worker.on('error', () => {});
    this.#worker.terminate().catch(() => {});
  }

  #begun({ usedMs }: SearchStarted): void {
    this.#usedMs = usedMs;
    this.#startedAt = now();
    if (this.#job) this.#watch(this.#job, this.#job.budget.leftMs * (stopsItself ? patience : 1));
  }

  #answered({ index, ms }: Found): void {
    const job = this.#job;
    if (!job) return;
    clearTimeout(this.#timer);
    this.#job = undefined;
    try {
      job.budget.take(ms, this.#sourceAt(job));
      job.resolve(index);
    } catch (error) {
      job.reject(error);
    }
    next();
  }

  /** Checks after `ms` milliseconds whether the search has exhausted its budget. */
  #watch(job: Job, ms: number): void {
    // setImmediate: a result that arrived while the main thread was busy is read first.
    this.#timer = setTimeout(() => setImmediate(() => void this.#judge(job)), Math.max(1, ms)).unref();
  }

  async #judge(job: Job): Promise<void> {
    const left = job.budget.leftMs;
    const used = await this.#processorMs();
    if (this.#job !== job) return;
    if (used !== undefined && used < left && now() - this.#startedAt < patience * left) {
      return this.#watch(job, left - used);
    }
    this.#overran(job);
  }

  /** CPU time of the running search so far; undefined where the runtime does not report it. */
  async #processorMs(): Promise<number | undefined> {
    // Available since Node 24.6.
    const { cpuUsage } = this.#worker as { cpuUsage?: () => Promise<{ user: number; system: number }> };
    const told = await cpuUsage?.call(this.#worker).catch(() => undefined);
    return told && (told.user + told.system) / 1_000 - this.#usedMs;
  }

  #overran(job: Job): void {
    this.#job = undefined;
    this.end();
    try {
      job.budget.take(Infinity, this.#sourceAt(job));
    } catch (error) {
      job.reject(error);
    }
    next();
  }

  /** Handles a thread that exited on its own: because of the search, or because it cannot start. */
  #failed(error: unknown): void {
    const job = this.#job;
    if (job) return this.#overran(job);
    this.end();
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the list changes during the loop
    for (const one of [...waiting]) drop(one, error);
  }

  #sourceAt({ patterns }: Job): string {
    return patterns[this.#progress[0] ?? 0]?.source ?? '';
  }
}
