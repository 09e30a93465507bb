/** Declares what solving a captcha needs of the server: a solver, and books of what was tried. */
import type { CaptchaType, TaskNames } from './kinds.ts';

/** A task for a solver, under whatever name it has there. */
export interface CaptchaTask {
  names: TaskNames;
  /** Members of the task beside its type. */
  members: Readonly<Record<string, string | number | boolean>>;
}

/** A solver that the operator has configured. */
export interface CaptchaSolver {
  /** @throws SolverFailure; the signal's reason as soon as it aborts */
  solve(task: CaptchaTask, signal: AbortSignal): Promise<string>;
}

/** A solver did not solve: `code` is its own error code, or one of the server's. The message is for clients. */
export class SolverFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** How a captcha was tried to be solved. */
export type SolvingWay = 'checkbox' | 'solver' | 'none';

/** One attempt, for the log and the metrics: no keys, no tokens. */
export interface CaptchaAttempt {
  /** Host of the page. */
  site: string;
  type: CaptchaType;
  way: SolvingWay;
  solved: boolean;
  /** The error code of a solver. */
  code: string | undefined;
  /** Milliseconds from its discovery. */
  ms: number;
}

export interface CaptchaHelp {
  /** Undefined when the operator has configured none. */
  solver: CaptchaSolver | undefined;
  /** Called once for each captcha that was tried. */
  attempted(attempt: CaptchaAttempt): void;
}
