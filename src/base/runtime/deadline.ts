/**
 * Combines the time limit of a request, the client's disconnect and the server's shutdown into one AbortSignal.
 * `AbortSignal.any` over `AbortSignal.timeout` is not used: some runtimes garbage-collect the timer, which then never
 * fires.
 */
import { SerialQueue } from './serial.ts';

/** A time limit that can be stopped and restarted. */
export interface Clock {
  /** Aborts when the limit is reached, or when one of the deadline's parents aborts. */
  readonly signal: AbortSignal;
  /** Stops the clock: time no longer counts. */
  stop(): void;
  /** Restarts the clock with the full limit. */
  start(): void;
}

export interface Deadline extends Clock, Disposable {}

/** The longest delay of setTimeout (2^31 - 1 ms); with a longer one it fires immediately. */
export const maxTimerMs = 2_147_483_647;

/**
 * @param limitMs time limit in milliseconds; 0 or Infinity means none
 * @param timeoutReason creates the abort reason when the limit is reached
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
 * Rejects with the abort reason of the signal as soon as it aborts; otherwise settles like the promise.
 * @param graceMs how long the promise may still settle after the abort, in milliseconds. Default 0.
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
    const stop = onAbort(signal, aborted);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(grace);
      stop();
    });
  });
}

/** Calls the listener when the signal aborts, or now if it already has. @returns a function that stops listening */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Like `orAborted`, for a resource: if the signal aborts first, a resource that arrives later is released. */
export async function orReleased<T>(promise: Promise<T>, signal: AbortSignal, giveBack: (late: T) => void): Promise<T> {
  try {
    return await orAborted(promise, signal);
  } catch (error) {
    // A promise that rejected on its own has nothing to release.
    promise.then(giveBack).catch(() => {});
    throw error;
  }
}

/** Resolves after `ms` milliseconds. @throws the abort reason of the signal as soon as it aborts */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  using deadline = startDeadline(ms, () => undefined, []);
  const over = new Promise<void>((resolve) => deadline.signal.addEventListener('abort', () => resolve()));
  await (signal ? orAborted(over, signal) : over);
}

/** Resolves in a later turn of the event loop, so that other pending work runs first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Length in bytes or characters beyond which copying, decoding or parsing text takes tens of milliseconds on a slow
 * CPU.
 */
const longText = 1_000_000;

/** True for text so long that work on it gets its own turn of the event loop. */
export function isLong({ length }: { readonly length: number }): boolean {
  return length > longText;
}

const turns = new SerialQueue();

/** Lets other requests run before work on long text. Several such jobs each get their own turn. */
export async function turnBefore(text: { readonly length: number }): Promise<void> {
  if (!isLong(text)) return;
  await turns.run(nextTurn);
}

/**
 * Records what a request is currently waiting for, so that a timeout message can mention it. The phrases follow "it was
 * waiting for", so each is a noun phrase (`the selector "#x"`, `a browser`).
 */
export class Waiting {
  readonly #texts: string[] = [];

  /** The most recent wait that has not ended; undefined when there is none. */
  get now(): string | undefined {
    return this.#texts.at(-1);
  }

  /** Settles like the promise, and records the phrase until then. */
  for<T>(text: string, promise: Promise<T>): Promise<T> {
    this.#texts.push(text);
    return promise.finally(() => this.#texts.splice(this.#texts.lastIndexOf(text), 1));
  }
}
