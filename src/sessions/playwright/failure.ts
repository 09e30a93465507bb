/**
 * Turns the error of a start that failed below Playwright into LaunchFailed. Parses the message, because the error has
 * no members for the browser's output and exit code.
 */
import { fatalLine, LaunchFailed } from '../../browser/processes/last-words.ts';

/** The prefix that Playwright puts before each line of a browser's standard error. */
const browserOutput = /^ *(?:- )?\[pid=\d+\]\[err\] /gm;

/**
 * Playwright's message is a title, then the browser's output with that prefix on each line, and how its process ended.
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
