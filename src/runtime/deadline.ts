/**
 * One clock for a call: its own time limit, the client's disconnect and the server's stop become one signal.
 * `AbortSignal.any` over `AbortSignal.timeout` is not used: on some runtimes the timer is collected and never fires.
 */

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** The longest time that a timer takes (2^31 - 1 ms); anything above would fire at once. */
const maxTimerMs = 2_147_483_647;

/**
 * @param limitMs time limit in milliseconds; 0 or Infinity means none
 * @param timeoutReason makes the abort reason when the limit is reached
 * @param parents signals whose abort (with its reason) ends the deadline too
 */
export function startDeadline(limitMs: number, timeoutReason: () => unknown, parents: AbortSignal[]): Deadline {
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  for (const parent of parents) {
    if (parent.aborted) {
      controller.abort(parent.reason);
      break;
    }
    const forward = () => controller.abort(parent.reason);
    parent.addEventListener('abort', forward, { once: true });
    undo.push(() => parent.removeEventListener('abort', forward));
  }
  if (limitMs > 0 && limitMs <= maxTimerMs && !controller.signal.aborted) {
    const timer = setTimeout(() => controller.abort(timeoutReason()), limitMs);
    undo.push(() => clearTimeout(timer));
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const step of undo) step();
    },
  };
}

/** Rejects with the signal's reason as soon as it aborts; otherwise settles as the promise does. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
