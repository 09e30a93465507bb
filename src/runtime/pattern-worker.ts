/**
 * The thread's own side: searches for the patterns that it is sent, one message at a time. Its sender ends it when that
 * takes too long.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { LinearPattern } from './linear-pattern.ts';

export interface SearchPattern {
  source: string;
  /** Whether the pattern has a linear form and the text is one for it. */
  linear: boolean;
}

export interface Search {
  patterns: readonly SearchPattern[];
  text: string;
}

/** The patterns are compiled, the search begins. */
export interface Begun {
  /** Processor time of the thread's life in milliseconds; 0 where the runtime does not tell. */
  usedMs: number;
}

export interface Found {
  /** Of the first pattern that is found, -1 for none. */
  index: number;
  /** What the search took, in milliseconds. */
  ms: number;
}

/** The same patterns come with each request of a page. */
const kept = new Map<string, Pick<LinearPattern, 'test'>>();
const maxKept = 200;

async function patternOf({ source, linear }: SearchPattern): Promise<Pick<LinearPattern, 'test'>> {
  const key = `${linear ? 'linear' : 'plain'} ${source}`;
  let pattern = kept.get(key);
  if (!pattern) {
    pattern = (linear ? await linearForm(source) : undefined) ?? new RegExp(source);
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value ?? '');
    kept.set(key, pattern);
  }
  return pattern;
}

/** The engine is loaded when it is needed, which is seldom: it would double the time that the thread takes to start. */
async function linearForm(source: string): Promise<LinearPattern | undefined> {
  const { linearPattern } = await import('./linear-pattern.ts');
  return linearPattern(source);
}

/** Processor time of the thread's life in milliseconds; undefined where the runtime does not tell. */
function processorMs(): number | undefined {
  // Node has it since version 23.9.
  const used = process.threadCpuUsage?.();
  return used && (used.user + used.system) / 1_000;
}

/** Below it, in milliseconds, a clock is exact enough; some systems count processor time in ticks of ten. */
const certainMs = 20;
const progress = new Int32Array(workerData as SharedArrayBuffer); // The starter of this thread gave it.

parentPort?.on('message', async ({ patterns, text }: Search) => {
  const compiled = [];
  for (const pattern of patterns) compiled.push(await patternOf(pattern));
  const usedBefore = processorMs() ?? 0;
  parentPort?.postMessage({ usedMs: usedBefore } satisfies Begun);
  const began = performance.now();
  let index = -1;
  for (const [at, pattern] of compiled.entries()) {
    progress[0] = at;
    if (!pattern.test(text)) continue;
    index = at;
    break;
  }
  const usedMs = processorMs();
  const passed = performance.now() - began;
  // On a busy machine the thread may have waited for its turn: that is not the pattern's fault.
  const ms = usedMs === undefined || passed < certainMs ? passed : Math.min(passed, usedMs - usedBefore);
  parentPort?.postMessage({ index, ms } satisfies Found);
});
parentPort?.postMessage('ready');
