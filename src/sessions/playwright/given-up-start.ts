/** Gives up the start of a program by Playwright, which waits for the end of one that it did not give up itself. */
import { pause } from '../../base/runtime/deadline.ts';

/** How often the program is looked for, in milliseconds. */
const lookEveryMs = 100;

/**
 * Settles as the start does. When it is given up, it rejects only after its program has ended and Playwright has removed
 * its files; when the program was ready just before, it resolves.
 * @param signal gives the start up
 * @param endProgram ends the program when it runs
 */
export async function orEnded<T>(
  starting: Promise<T>,
  signal: AbortSignal,
  endProgram: () => Promise<unknown>,
): Promise<T> {
  let settled = false;
  const giveUp = async () => {
    // Again and again: Playwright may be about to start the program, and nothing else would end its wait.
    while (!settled) {
      await endProgram();
      await pause(lookEveryMs, undefined);
    }
  };
  const gaveUp = () => void giveUp();
  signal.addEventListener('abort', gaveUp, { once: true });
  if (signal.aborted) gaveUp();
  try {
    return await starting;
  } finally {
    settled = true;
    signal.removeEventListener('abort', gaveUp);
  }
}
