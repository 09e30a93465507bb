/**
 * Runs one attempt to solve a captcha: turns its failures into an outcome, and records it in the server's log and
 * metrics.
 */
import { startDeadline } from '../../../base/runtime/deadline.ts';
import { now } from '../../../base/runtime/machine.ts';
import { ContextLost } from '../evaluate.ts';
import type { Page } from '../page.ts';
import { type CaptchaHelp, type CaptchaSolver, type CaptchaTask, SolverFailure, type SolvingMethod } from './help.ts';
import type { CaptchaType } from './kinds.ts';

export interface CaptchaOutcome {
  /** Undefined when none was found. */
  type: CaptchaType | undefined;
  /** True when something was tried: a click, or a task for the solver. */
  attempted: boolean;
  solved: boolean;
  /** The token of a widget or the letters of an image; null when there is none. */
  token: string | null;
  /** Why the captcha is not solved; null when it is solved, or when there is no captcha. */
  error: string | null;
}

export const noCaptcha: CaptchaOutcome = { type: undefined, attempted: false, solved: false, token: null, error: null };

export const noSolver =
  'This captcha needs a solver, but this server has none; its operator can set CAPTCHA_SOLVER_KEY.';

/**
 * Has the solver solve a task; gives up when the page closes or crashes.
 * @throws SolverFailure, the signal's abort reason, the error with which the page failed
 */
export async function solveWith(
  page: Page,
  solver: CaptchaSolver,
  task: CaptchaTask,
  signal: AbortSignal,
): Promise<string> {
  using deadline = startDeadline(0, () => undefined, [signal, page.failure]);
  return await page.until(solver.solve(task, deadline.signal));
}

/** The input of an attempt, and the method that it reports. */
export interface AttemptNotes {
  /** URL of the page. */
  readonly address: string;
  /** The last method tried. */
  way: SolvingMethod;
}

type Result = Pick<CaptchaOutcome, 'solved' | 'token' | 'error'>;

/** @throws any error that the work throws, except failures of the solver and the loss of the document */
export async function attempt(
  page: Page,
  type: CaptchaType,
  help: CaptchaHelp,
  work: (notes: AttemptNotes) => Promise<Result>,
): Promise<CaptchaOutcome> {
  const began = now();
  const { frameTree } = await page.send('Page.getFrameTree');
  const address = frameTree.frame.url;
  const notes: AttemptNotes = { address, way: 'none' };
  const failed = { solved: false, token: null };
  let code: string | undefined;
  const result = await work(notes).catch((cause: unknown): Result => {
    if (cause instanceof ContextLost) {
      return { ...failed, error: 'The page navigated away before the captcha was solved.' };
    }
    if (!(cause instanceof SolverFailure)) throw cause;
    code = cause.code;
    return { ...failed, error: cause.message };
  });
  const { way } = notes;
  const site = URL.canParse(address) ? new URL(address).host : '';
  help.attempted({ site, type, way, solved: result.solved, code, ms: Math.round(now() - began) });
  return { ...result, type, attempted: way !== 'none' };
}
