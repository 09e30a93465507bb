/**
 * The threads on which the runtime reads files, unpacks archives and looks names up. It has four unless told otherwise,
 * and lets names have half of them: two names whose servers do not answer would stop all other look-ups for seconds.
 */
import { environment } from './machine.ts';

const variable = 'UV_THREADPOOL_SIZE';
/** Idle threads cost some kilobytes each. */
const usualThreads = 32;
const threadsByDefault = 4;

/** Must run before the first file is read in the background: the pool never changes its size afterwards. */
export function enlargeThreadPool(): void {
  // What the operator has set stays; Deno has its own threads, which are many.
  process.env[variable] ??= String(usualThreads);
}

/** Names that may be looked up at the same time; more would only wait inside of the runtime. */
export function nameLookupsAtOnce(): number {
  const threads = Math.trunc(Number(environment[variable])) || threadsByDefault;
  return Math.max(1, Math.floor(threads / 2));
}
