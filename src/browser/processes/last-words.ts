/**
 * Extracts from a browser's standard error why it crashed or did not start: in full for the log, without the server's
 * paths for clients.
 */
import { systemCodeOf } from '../../base/runtime/disk.ts';
import { ServiceError } from '../../base/errors.ts';

/** `[1122/140601.647469:FATAL:../crypto/nss_util.cc:146] nss_error=-5925`: Chromium exits after such a line. */
// bounded: the server keeps 8 KiB of a browser's output
const fatalPattern = /^\[[^\]\n]*\bFATAL:[^\]\n]*\].*$/gm;

/** The last line of a browser's standard error that says why it exited; undefined when there is none. */
export function fatalLine(errorOutput: string): string | undefined {
  return errorOutput.match(fatalPattern)?.at(-1);
}

/**
 * The reason that a browser itself wrote before it exited. Undefined when something else killed it: its child processes
 * write to the same stream, and a line that one of them wrote long ago is not the reason.
 * @param signal the signal that killed it, null when it exited
 */
export function fatalReason(signal: string | null, errorOutput: string): string | undefined {
  return signal === null || ownSignals.has(signal) ? fatalLine(errorOutput) : undefined;
}

/** Signals of a process that aborted or crashed on its own. */
const ownSignals = new Set(['SIGABRT', 'SIGBUS', 'SIGILL', 'SIGSEGV', 'SIGTRAP']);

/** A line of a browser's standard error as a client may read it: file names without their folders, no URLs. */
function withoutPaths(line: string): string {
  return (
    line
      // bounded: as above
      .replace(/^\[[^\]]*?(?:FATAL|ERROR):([^\]]*)\]\s*/, '$1: ')
      .replaceAll(/(?<![^\s'"()])[^\s'"()]*\/[^\s'"()]+/g, (text) =>
        text.includes('://') ? '…' : text.slice(text.lastIndexOf('/') + 1),
      )
      .trim()
  );
}

/** The line of output that explains why startup failed: the last fatal line, or the last line if there is none. */
function startOutput(errorOutput: string): string | undefined {
  return fatalLine(errorOutput) ?? errorOutput.trim().split('\n').at(-1);
}

/** The end of an error message about a browser that has exited: `: nss_util.cc:146: nss_error=-5925`, or empty. */
function lastWords(line: string | undefined): string {
  const words = withoutPaths(line ?? '').replace(/(?<!\.)\.+$/, '');
  return words === '' ? '' : `: ${words}`;
}

/**
 * The error for a request whose browser crashed.
 * @param fatal the fatal line that the browser wrote, if any
 * @param circumstance text that follows the verb: ` while working on the page`
 */
export function browserCrashed(
  fatal: string | undefined,
  circumstance = '',
  cause?: unknown,
  advice = 'Try again.',
): ServiceError {
  const message = `The browser ended unexpectedly${circumstance}${lastWords(fatal)}. ${advice}`;
  return new ServiceError('browser-crashed', message, { cause });
}

/** How startup ended, as far as it is known. */
export interface StartEnd {
  /** The process's exit code; null when a signal killed it, undefined when it was still running. */
  code: number | null | undefined;
  /** A line of its output, if there is one. */
  line: string | undefined;
}

/** A shell exits with this value plus the number of the signal that killed its command. */
const signalExit = 128;
/** Resource shortages on the machine that may be temporary: messages of browsers, and error codes of system calls. */
const shortage = /temporarily unavailable|cannot allocate memory|too many open files|text file busy/i;
const shortageCodes = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ETXTBSY']);

/** A browser that could not be started. */
export class LaunchFailed extends ServiceError {
  /**
   * True when another attempt may succeed in a moment: the browser wrote nothing, or the machine was short of a
   * resource.
   */
  readonly transient: boolean;

  constructor({ code, line }: StartEnd, cause: unknown) {
    const message = `The browser could not be started${lastWords(line)}. See the server log for details.`;
    super('launch-failed', message, { cause });
    const silent = code !== undefined && (line === undefined || line === '');
    const system = systemCodeOf(cause) ?? '';
    this.transient = silent || shortage.test(line ?? '') || shortageCodes.has(system);
  }
}

/** The line of output that explains why startup failed. When a signal killed the process, only a fatal line counts. */
export function startLine(code: number | null | undefined, errorOutput: string): string | undefined {
  return code === null || (code ?? 0) > signalExit ? fatalLine(errorOutput) : startOutput(errorOutput);
}
