/**
 * Runs inside the worker thread: searches with the patterns that it receives, one message at a time. The main thread
 * terminates it when a search takes too long.
 */
import vm from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import type { LinearPattern } from './linear-regexp.ts';

export interface SearchPattern {
  source: string;
  /** Whether the pattern has a linear form and `isPlainText` is true for the text. */
  linear: boolean;
}

export interface Search {
  patterns: readonly SearchPattern[];
  text: string;
  /** Set if the main thread cannot terminate this one (Deno): the search stops itself after this many milliseconds. */
  limitMs?: number;
}

/** Reports that the patterns are compiled and the search begins. */
export interface SearchStarted {
  /** CPU time of the thread since it started, in milliseconds; 0 where the runtime does not report it. */
  usedMs: number;
}

export interface Found {
  /** Index of the first pattern that matches, -1 for none. */
  index: number;
  /** Time of the search in milliseconds; Infinity when it was stopped. */
  ms: number;
}

/** Caches compiled patterns: the same ones arrive with each request of a page. */
const cache = new Map<string, Pick<LinearPattern, 'test'>>();
const maxCached = 200;

async function patternOf({ source, linear }: SearchPattern): Promise<Pick<LinearPattern, 'test'>> {
  const key = `${linear ? 'linear' : 'plain'} ${source}`;
  let pattern = cache.get(key);
  if (!pattern) {
    pattern = (linear ? await linearForm(source) : undefined) ?? new RegExp(source);
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value ?? '');
    cache.set(key, pattern);
  }
  return pattern;
}

/** Loads RE2 only when needed, which is rare: it would double the thread's startup time. */
async function linearForm(source: string): Promise<LinearPattern | undefined> {
  const { linearPattern } = await import('./linear-regexp.ts');
  return linearPattern(source);
}

/** CPU time of the thread since it started, in milliseconds; undefined where the runtime does not report it. */
function cpuMs(): number | undefined {
  // Available since Node 23.9.
  const used = process.threadCpuUsage?.();
  return used && (used.user + used.system) / 1_000;
}

/**
 * For searches shorter than this, in milliseconds, wall-clock time is used: some systems measure CPU time in ticks of
 * 10 ms.
 */
const minCpuTimeMs = 20;
const progress = new Int32Array(workerData as SharedArrayBuffer); // Passed in when the thread was started.
const context = vm.createContext();

parentPort?.on('message', async ({ patterns, text, limitMs }: Search) => {
  const compiled: Pick<LinearPattern, 'test'>[] = [];
  for (const pattern of patterns) compiled.push(await patternOf(pattern));
  const usedBefore = cpuMs() ?? 0;
  parentPort?.postMessage({ usedMs: usedBefore } satisfies SearchStarted);
  const found: Found = { index: -1, ms: Infinity };
  const search = () => {
    const began = performance.now();
    found.index = compiled.findIndex((pattern, at) => {
      progress[0] = at;
      return pattern.test(text);
    });
    found.ms = performance.now() - began;
  };
  if (limitMs === undefined) search();
  else {
    context['search'] = search;
    try {
      vm.runInContext('search()', context, { timeout: Math.max(1, Math.ceil(limitMs)) });
    } catch {
      // The time is up: `ms` is still infinite.
    }
  }
  const usedMs = cpuMs();
  // On a busy machine the thread may have waited for a CPU: that time does not count.
  if (usedMs !== undefined && found.ms >= minCpuTimeMs && found.ms < Infinity)
    found.ms = Math.min(found.ms, usedMs - usedBefore);
  parentPort?.postMessage(found);
});
parentPort?.postMessage('ready');
