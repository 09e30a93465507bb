// Counts what a page can notice when a client has enabled CDP's Runtime domain: the browser then describes every logged
// object to the client, and reads the object to do so. Runs in pages, frames and workers.
import { pause } from './pause.ts';
import type { Probes } from './report.ts';

/** How long to wait for the effects of an uncaught error, in milliseconds. */
const settleMs = 150;
const tableSeries = 5;
const tablesPerSeries = 20;

/** V8's hook, which scripts assign to the class. */
const stackHook = Error as unknown as { prepareStackTrace: ((error: Error, sites: unknown) => unknown) | undefined };

/** An error with a prototype that reports every access to it. */
function watchedPrototype(note: () => void): Error {
  const handler: ProxyHandler<Error> = {
    get(target, key) {
      note();
      return Reflect.get(target, key);
    },
    getPrototypeOf(target) {
      note();
      return Reflect.getPrototypeOf(target);
    },
    ownKeys(target) {
      note();
      return Reflect.ownKeys(target);
    },
    has(target, key) {
      note();
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      note();
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  };
  const error = new Error('probe');
  Object.setPrototypeOf(error, new Proxy(Error.prototype, handler));
  return error;
}

function watchedName(note: () => void): Error {
  return Object.defineProperty(new Error('probe'), 'name', {
    get() {
      note();
      return 'Error';
    },
  });
}

function logWithStackHook(note: () => void): void {
  const before = stackHook.prepareStackTrace;
  stackHook.prepareStackTrace = () => {
    note();
    return 'stack';
  };
  console.debug(new Error('probe'));
  stackHook.prepareStackTrace = before;
}

/** Uses the fastest series: other work on the machine can only make one slower. */
function tableMicros(): number {
  const row = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`k${index}`, { a: index, b: [index, index], c: 'x'.repeat(50) }]),
  );
  const table = Array.from({ length: 5 }, () => row);
  const series = Array.from({ length: tableSeries }, () => {
    const began = performance.now();
    for (let count = 0; count < tablesPerSeries; count++) console.table(table);
    return ((performance.now() - began) / tablesPerSeries) * 1_000;
  });
  return Math.round(Math.min(...series) * 10) / 10;
}

export async function runProbes(): Promise<Probes> {
  const counts = { name: 0, prototype: 0, prepare: 0, uncaught: 0 };
  console.debug(watchedName(() => counts.name++));
  console.debug(watchedPrototype(() => counts.prototype++));
  logWithStackHook(() => counts.prepare++);
  const uncaught = watchedPrototype(() => counts.uncaught++);
  setTimeout(() => {
    throw uncaught;
  });
  await pause(settleMs);
  return { ...counts, tableMicros: tableMicros() };
}
