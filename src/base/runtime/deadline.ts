/**
 * Combines the time limit of a call, its client's disconnect and the server's stop into one AbortSignal.
 * `AbortSignal.any` over `AbortSignal.timeout` is not used: some runtimes garbage-collect the timer, which never fires.
 */

/** A time limit that can be stopped and restarted. */
export interface Clock {
  /** Aborts when the limit is reached, or when one of the deadline's parents aborts. */
  readonly signal: AbortSignal;
  /** Stops the clock: the time that follows does not count. */
  stop(): void;
  /** Restarts the clock with the whole limit. */
  start(): void;
}

export interface Deadline extends Clock, Disposable {}

/** The longest delay of setTimeout (2^31 - 1 ms); with a longer one it fires at once. */
export const maxTimerMs = 2_147_483_647;

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    if (limitMs <= 0 || limitMs > maxTimerMs || controller.signal.aborted) return;
    timer = setTimeout(() => controller.abort(timeoutReason()), limitMs);
  };
  start();
  return {
    signal: controller.signal,
    stop,
    start,
    [Symbol.dispose]: () => {
      stop();
      for (const step of undo) step();
    },
  };
}

/**
 * Rejects with the signal's reason as soon as it aborts; otherwise settles as the promise does.
 * @param graceMs time in milliseconds that the promise still has to settle after the abort. Default 0.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
  if (signal.aborted && graceMs === 0) {
    promise.catch(() => {});
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    let grace: ReturnType<typeof setTimeout> | undefined;
    const aborted = () => {
      const refuse = () => reject(signal.reason);
      if (graceMs > 0) grace = setTimeout(refuse, graceMs);
      else refuse();
    };
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(grace);
      signal.removeEventListener('abort', aborted);
    });
  });
}

/** As `orAborted`, for a resource: when the signal aborts first, a resource that arrives later is given back. */
export async function orGivenBack<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  giveBack: (late: T) => void,
): Promise<T> {
  try {
    return await orAborted(promise, signal);
  } catch (error) {
    // A promise that rejected by itself has nothing to give back.
    promise.then(giveBack).catch(() => {});
    throw error;
  }
}

/** Resolves after `ms` milliseconds. @throws the signal's reason as soon as it aborts */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  using deadline = startDeadline(ms, () => undefined, []);
  const over = new Promise<void>((resolve) => deadline.signal.addEventListener('abort', () => resolve()));
  await (signal ? orAborted(over, signal) : over);
}

/** Resolves in a later turn of the event loop, after other work that waits for it. */
export function laterTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** To copy, decode or parse a longer text takes tens of milliseconds on a slow processor, in bytes or characters. */
const longText = 1_000_000;

/** True for a text on which work takes turns of its own. */
export function isLong({ length }: { readonly length: number }): boolean {
  return length > longText;
}

/** Resolves when the last turn that was asked for begins. */
let lastTurn = Promise.resolve();

/** Lets other calls get their turn before work on a long text. Of several such works, each has a turn of its own. */
export async function turnBefore(text: { readonly length: number }): Promise<void> {
  if (!isLong(text)) return;
  lastTurn = lastTurn.then(laterTurn);
  await lastTurn;
}

/**
 * Keeps what a call waits for now, so that the time limit that ends the call can name it. The texts follow "it was
 * waiting for": they name a thing (`the selector "#x"`, `a browser`).
 */
export class Waiting {
  readonly #texts: string[] = [];

  /** What was begun last and has not ended; undefined when nothing was named. */
  get now(): string | undefined {
    return this.#texts.at(-1);
  }

  /** Settles as the promise does, which is named until then. */
  for<T>(text: string, promise: Promise<T>): Promise<T> {
    this.#texts.push(text);
    return promise.finally(() => this.#texts.splice(this.#texts.lastIndexOf(text), 1));
  }
}
