/**
 * The exit codes of the program, by the names of sysexits.h: they tell an orchestrator whether another start can help.
 * `--help`, the documentation and every failed start use this table.
 */

interface ExitCodeRow {
  readonly code: number;
  readonly meaning: string;
  /** What to do about it. */
  readonly advice: string;
}

export const exitCodes = {
  stopped: {
    code: 0,
    meaning: 'The server was stopped by a signal, or the command has done its work.',
    advice: 'Nothing to do.',
  },
  unhealthy: {
    code: 1,
    meaning: 'Only of --health: no server answers at the address of this configuration.',
    advice: 'Restart the server if this lasts.',
  },
  usage: {
    code: 64,
    meaning: 'An option of the command line is unknown, or its value is missing.',
    advice: 'Correct the command line; another start does not help.',
  },
  address: {
    code: 69,
    meaning: 'The port or the address cannot be used.',
    advice: 'Stop the program that has the port, or change PORT or HOST; a later start may work.',
  },
  defect: {
    code: 70,
    meaning: 'The start failed for a reason that the server does not know.',
    advice: 'Read the last line of the log, start again, and report it when it happens again.',
  },
  directory: {
    code: 73,
    meaning: 'A directory that the server needs cannot be made, or cannot be written to.',
    advice: 'Correct the owner or the rights of the directory that the message names, or set another one.',
  },
  key: {
    code: 77,
    meaning: 'The software key is missing, wrong or expired; only of a server with KEY_PUBLIC.',
    advice: 'Put a valid key into KEY or KEY_FILE; another start does not help.',
  },
  configuration: {
    code: 78,
    meaning: 'A setting has a wrong value, or settings do not fit together.',
    advice: 'Correct what the message names; another start does not help.',
  },
} as const satisfies Record<string, ExitCodeRow>;

export type ExitName = keyof typeof exitCodes;

/** What ends the program with an exit code. The message says what failed and what to do. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: number;

  constructor(exit: ExitName, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.exitCode = exitCodes[exit].code;
  }
}
