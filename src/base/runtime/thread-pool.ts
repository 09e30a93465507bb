/**
 * Sizes the thread pool on which the runtime reads files, unpacks archives and resolves names. By default it has four
 * threads, half of them for names: two names whose servers do not answer would block all other look-ups for seconds.
 */
import { environment } from './machine.ts';

const variable = 'UV_THREADPOOL_SIZE';
/** Idle threads cost some kilobytes each. */
const usualThreads = 32;
const threadsByDefault = 4;

/** Must run before the first asynchronous file access: the pool never changes its size afterwards. */
export function enlargeThreadPool(): void {
  // The operator's value wins. Deno has many threads of its own.
  process.env[variable] ??= String(usualThreads);
}

/** Name look-ups that may run at the same time; more would only wait inside the runtime. */
export function nameLookupsAtOnce(): number {
  const threads = Math.trunc(Number(environment[variable])) || threadsByDefault;
  return Math.max(1, Math.floor(threads / 2));
}
