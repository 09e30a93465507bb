/**
 * Exit codes of the program, named as in sysexits.h: they tell an orchestrator whether restarting can help. `--help`,
 * the documentation and every failed startup use this table.
 */

interface ExitCodeRow {
  readonly code: number;
  readonly meaning: string;
  /** What the operator should do. */
  readonly advice: string;
}

export const exitCodes = {
  stopped: {
    code: 0,
    meaning: 'The server was stopped by a signal, or the command finished.',
    advice: 'Nothing to do.',
  },
  unhealthy: {
    code: 1,
    meaning: '--health only: no server responds at the configured address.',
    advice: 'Restart the server if the problem persists.',
  },
  usage: {
    code: 64,
    meaning: 'A command-line option is unknown or has no value.',
    advice: 'Fix the command line; restarting alone does not help.',
  },
  address: {
    code: 69,
    meaning: 'The port or the address cannot be used.',
    advice: 'Stop the program that uses the port, or change PORT or HOST; starting again later may work.',
  },
  defect: {
    code: 70,
    meaning: 'The server failed to start for an unexpected reason.',
    advice: 'Read the last line of the log and start again; report the problem if it happens again.',
  },
  directory: {
    code: 73,
    meaning: 'A directory that the server needs cannot be created or written to.',
    advice: 'Fix the owner or permissions of the directory in the message, or configure another one.',
  },
  key: {
    code: 77,
    meaning: 'The software key is missing, invalid or expired (only with KEY_PUBLIC).',
    advice: 'Set KEY or KEY_FILE to a valid key; restarting alone does not help.',
  },
  configuration: {
    code: 78,
    meaning: 'A setting has an invalid value, or settings conflict.',
    advice: 'Fix the settings in the message; restarting alone does not help.',
  },
} as const satisfies Record<string, ExitCodeRow>;

export type ExitName = keyof typeof exitCodes;

/** Error that ends the program with an exit code. The message says what failed and what to do. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: number;

  constructor(exit: ExitName, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.exitCode = exitCodes[exit].code;
  }
}
