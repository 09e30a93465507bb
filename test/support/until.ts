// Waiting for what can be observed, in place of sleeping.
import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again (every 20 ms) until the answer is truthy, and returns it; an error after the limit. */
export async function until<T>(
  what: string | (() => string),
  look: () => T | Promise<T>,
  limitMs = 25_000,
): Promise<Exclude<T, false | undefined | null | 0 | ''>> {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await look();
    if (value) return value as Exclude<T, false | undefined | null | 0 | ''>; // Truthiness is what was tested.
    if (performance.now() > end)
      throw new Error(`waited ${limitMs} ms for ${typeof what === 'string' ? what : what()}`);
    await pause(20);
  }
}
