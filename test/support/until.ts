// Waits for a condition instead of sleeping.
import { setTimeout as pause } from 'node:timers/promises';

/** Polls every 20 ms until the value is truthy, and returns it; throws after the time limit. */
export async function until<T>(
  what: string | (() => string),
  check: () => T | Promise<T>,
  limitMs = 25_000,
): Promise<Exclude<T, false | undefined | null | 0 | ''>> {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await check();
    if (value) return value as Exclude<T, false | undefined | null | 0 | ''>; // Truthiness is what was tested.
    if (performance.now() > end)
      throw new Error(`waited ${limitMs} ms for ${typeof what === 'string' ? what : what()}`);
    await pause(20);
  }
}
