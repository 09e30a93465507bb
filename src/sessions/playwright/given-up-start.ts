/**
 * Handles Playwright launches that are canceled or fail. Playwright waits for the end of a launch that it did not
 * cancel itself.
 */
import { onAbort, pause } from '../../base/runtime/deadline.ts';
import { fatalLine, LaunchFailed } from '../../browser/processes/last-words.ts';

/** Interval between searches for the program, in milliseconds. */
const lookEveryMs = 100;

/**
 * Settles as the launch does. A canceled launch rejects only after its program has exited and Playwright has removed
 * its files; it resolves if the program was ready just before.
 * @param signal cancels the launch
 * @param endProgram ends the program if it is running
 */
export async function settledOrEnded<T>(
  starting: Promise<T>,
  signal: AbortSignal,
  endProgram: () => Promise<unknown>,
): Promise<T> {
  let settled = false;
  const giveUp = async () => {
    // Repeatedly, because Playwright may be about to start the program, and nothing else would end its wait.
    while (!settled) {
      await endProgram();
      await pause(lookEveryMs, undefined);
    }
  };
  const stop = onAbort(signal, () => void giveUp());
  try {
    return await starting;
  } finally {
    settled = true;
    stop();
  }
}

/** The prefix that Playwright puts before each line of a browser's standard error. */
const browserOutput = /^ *(?:- )?\[pid=\d+\]\[err\] /gm;

/**
 * Turns the error of a failed launch into LaunchFailed. Parses the message, because the error has no properties for the
 * browser's output and exit code: a title, then the output with that prefix on each line, and how the process exited.
 */
export function playwrightFailure(error: unknown): LaunchFailed {
  const text = error instanceof Error ? error.message : '';
  const [title, ...output] = text.replaceAll(browserOutput, '').split('\n');
  const [, exit] = /<process did exit: exitCode=(\d+|null),/.exec(text) ?? [];
  const code = exit === undefined ? undefined : exit === 'null' ? null : Number(exit);
  const fatal = fatalLine(output.join('\n'));
  const silent = code !== undefined && text.search(browserOutput) < 0;
  return new LaunchFailed({ code, line: fatal ?? (silent ? undefined : title) }, error);
}
