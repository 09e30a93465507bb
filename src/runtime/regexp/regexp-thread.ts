/**
 * The thread in which patterns run that may take for ever: one for all calls, one search at a time. It starts with the
 * first search, ends when nobody has needed it for a while, and is ended and replaced when a search overruns.
 */
import { setImmediate, setTimeout } from 'node:timers';
import { Worker } from 'node:worker_threads';
import { now } from '../machine.ts';
import type { Begun, Found, Search, SearchPattern } from './regexp-worker.ts';

export type { SearchPattern } from './regexp-worker.ts';

/** What a call has left for its searches. */
export interface SearchBudget {
  readonly leftMs: number;
  /** Aborted when it is spent. */
  readonly signal: AbortSignal;
  /** Takes time off it. @throws when that was the last of it */
  take(ms: number, source: string): void;
}

interface Job {
  patterns: readonly SearchPattern[];
  text: string;
  budget: SearchBudget;
  resolve(index: number): void;
  reject(error: unknown): void;
}

/** A thread without work ends after so many milliseconds. */
const idleMs = 10_000;
/** A machine that is busy may keep the thread waiting so many times as long as it was to run, and no longer. */
const patience = 10;
/** Deno does not end a thread that is busy (seen with 2.9.5): there it looks at the clock itself. */
const stopsItself = 'deno' in process.versions;
/** Memory of the thread, in megabytes: a pattern that needs more ends it. */
const memoryMb = 64;

/**
 * Index of the first pattern that is found in the text, -1 for none. Only the time of the search itself counts, not
 * that of waiting for others.
 * @throws what the budget throws when it is spent
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

/** Drops the searches of a call that is over. */
export function endSearches(budget: SearchBudget): void {
  for (const job of waiting.filter((one) => one.budget === budget)) drop(job, new Error('the call is over'));
}

const waiting: Job[] = [];
let thread: Thread | undefined;
let idle: NodeJS.Timeout | undefined;

function drop(job: Job, error: unknown): void {
  waiting.splice(waiting.indexOf(job), 1);
  job.reject(error);
}

/** Gives the thread the next search, if it is free. */
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
  /** Which pattern it is at: of one that never ends no message comes. */
  readonly #progress = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;
  #ready = false;
  #job: Job | undefined;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Processor time that the thread had used before this search, in milliseconds. */
  #usedMs = 0;

  constructor() {
    this.#worker = new Worker(new URL('./regexp-worker.ts', import.meta.url), {
      workerData: this.#progress.buffer,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // Its patterns are strangers': it is told no secrets.
      env: {},
    });
    this.#worker.on('message', (message: Found | Begun | 'ready') => {
      if (message === 'ready') {
        this.#ready = true;
        next();
      } else if ('index' in message) this.#answered(message);
      else this.#begun(message);
    });
    this.#worker.on('error', (error: unknown) => this.#failed(error));
    this.#worker.on('exit', () => this.#failed(new Error('the thread of the patterns ended')));
    // After the listeners, which hold on to it.
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

  /** Ends the thread; a search that runs is not answered. */
  end(): void {
    if (thread === this) thread = undefined;
    clearTimeout(this.#timer);
    this.#worker.removeAllListeners();
    // What it still says is nobody's concern.
    this.#worker.on('error', () => {});
    this.#worker.terminate().catch(() => {});
  }

  #begun({ usedMs }: Begun): void {
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

  /** Looks after so many milliseconds whether the search has had its time. */
  #watch(job: Job, ms: number): void {
    // An answer that came while this thread was busy is read before the verdict.
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

  /** What the search that runs has used so far; undefined where the runtime does not tell. */
  async #processorMs(): Promise<number | undefined> {
    // Node has it since version 24.6.
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

  /** The thread is gone by itself: because of the search, or because it cannot start. */
  #failed(error: unknown): void {
    const job = this.#job;
    if (job) return this.#overran(job);
    this.end();
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes meanwhile
    for (const one of [...waiting]) drop(one, error);
  }

  #sourceAt({ patterns }: Job): string {
    return patterns[this.#progress[0] ?? 0]?.source ?? '';
  }
}
