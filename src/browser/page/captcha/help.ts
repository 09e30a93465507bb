/** Declares what solving a captcha needs from the server: a solver, and a record of the attempts. */
import type { CaptchaType, TaskNames } from './kinds.ts';

/** A task for a solver, with the names that solvers use for it. */
export interface CaptchaTask {
  names: TaskNames;
  /** Fields of the task other than its type. */
  members: Readonly<Record<string, string | number | boolean>>;
}

/** A solver that the operator has configured. */
export interface CaptchaSolver {
  /** @throws SolverFailure; the signal's abort reason as soon as it aborts */
  solve(task: CaptchaTask, signal: AbortSignal): Promise<string>;
}

/** A solver failed: `code` is the solver's error code, or one of the server's. The message is shown to clients. */
export class SolverFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** How the server tried to solve a captcha. */
export type SolvingMethod = 'checkbox' | 'solver' | 'none';

/** One attempt, for the log and the metrics; contains no keys or tokens. */
export interface CaptchaAttempt {
  /** Host of the page. */
  site: string;
  type: CaptchaType;
  way: SolvingMethod;
  solved: boolean;
  /** The error code when the solver failed. */
  code: string | undefined;
  /** Time since the captcha was found, in milliseconds. */
  ms: number;
}

export interface CaptchaHelp {
  /** Undefined when the operator has configured none. */
  solver: CaptchaSolver | undefined;
  /** Called once for each attempt. */
  attempted(attempt: CaptchaAttempt): void;
}
