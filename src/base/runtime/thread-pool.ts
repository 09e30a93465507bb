/**
 * Sizes the thread pool on which the runtime reads files, unpacks archives and resolves names. By default it has four
 * threads, half of them for name lookups: two lookups with unresponsive DNS servers would block all others for seconds.
 */
import { environment } from './machine.ts';

const variable = 'UV_THREADPOOL_SIZE';
/** Idle threads cost a few kilobytes each. */
const usualThreads = 32;
const threadsByDefault = 4;

/** Enlarges the pool. Must run before the first asynchronous file access: the pool never changes its size afterward. */
export function enlargeThreadPool(): void {
  // The operator's value wins. Deno has many threads already.
  process.env[variable] ??= String(usualThreads);
}

/** Maximum number of concurrent name lookups; more would only wait inside the runtime. */
export function nameLookupsAtOnce(): number {
  const threads = Math.trunc(Number(environment[variable])) || threadsByDefault;
  return Math.max(1, Math.floor(threads / 2));
}
