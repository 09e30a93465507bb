// Runs several tests in a file concurrently, for tests that mostly wait.
import type { Suite } from './suite.ts';

type Declare = (...test: Parameters<Suite>) => void;

/** Time limit of a test in milliseconds, including the wait for the tests before it. */
const turnLimitMs = 400_000;

/**
 * Declares tests whose bodies run concurrently, in the order of declaration; each test awaits its own body. The first
 * one starts them, so tests that are declared before all of them or after all of them run alone. Only for bodies that
 * mostly wait and do not change shared state.
 */
export function concurrently(test: Suite, lanes: number, limitMs = 60_000): Declare {
  const waiting: (() => Promise<void>)[] = [];
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next();
    };
    for (let index = 0; index < lanes; index++) void lane();
  };
  return (name, body, { timeoutMs = limitMs } = {}) => {
    const outcome = Promise.withResolvers<unknown>();
    // A body may fail before its test awaits it: prevent an unhandled rejection.
    outcome.promise.catch(() => undefined);
    waiting.push(async () => {
      const late = Promise.withResolvers<never>();
      const signal = AbortSignal.timeout(timeoutMs);
      signal.addEventListener('abort', () => late.reject(new Error(`took longer than ${timeoutMs} ms`)));
      const running = (async () => body(signal))();
      await Promise.race([running, late.promise]).then(outcome.resolve, outcome.reject);
    });
    const own = () => {
      begin();
      return outcome.promise;
    };
    test(name, own, { timeoutMs: turnLimitMs });
  };
}
