/** One line of what `--check` prints. */
import type { ExitName } from '../../base/exit-codes.ts';

export interface Line {
  /** `ok`: as it should be; `note`: the server works, and something is limited; `problem`: it cannot serve. */
  mark: 'ok' | 'note' | 'problem';
  about: string;
  text: string;
  /** Of a problem: what the server would exit with, or what comes nearest. */
  exit?: ExitName;
}

export const ok = (about: string, text: string): Line => ({ mark: 'ok', about, text });
export const note = (about: string, text: string): Line => ({ mark: 'note', about, text });
export const problem = (about: string, text: string, exit: ExitName): Line => ({ mark: 'problem', about, text, exit });

/** Bytes in the unit that people read. */
export function sizeOf(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GB` : `${Math.floor(bytes / 2 ** 20)} MB`;
}
