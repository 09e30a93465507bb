/** Declares one line of the output of `--check`. */
import type { ExitName } from '../../base/exit-codes.ts';

export interface Line {
  /** `ok`: as it should be; `note`: the server works, but something is limited; `problem`: it cannot serve requests. */
  mark: 'ok' | 'note' | 'problem';
  about: string;
  text: string;
  /** For a problem: the code that the server would exit with, or the closest match. */
  exit?: ExitName;
}

export const ok = (about: string, text: string): Line => ({ mark: 'ok', about, text });
export const note = (about: string, text: string): Line => ({ mark: 'note', about, text });
export const problem = (about: string, text: string, exit: ExitName): Line => ({ mark: 'problem', about, text, exit });

/** Formats bytes in a human-readable unit. */
export function sizeOf(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GB` : `${Math.floor(bytes / 2 ** 20)} MB`;
}
