/**
 * Solves the captcha on a page. Checks whether it is already solved, then clicks its checkbox (vendors' test keys let
 * everyone pass), then asks the operator's solver. If all fail, the outcome says why.
 */
import { now } from '../../../base/runtime/machine.ts';
import type { Page } from '../page.ts';
import { clickCheckbox, type Mouse } from './act.ts';
import { askSolver, isForSolvers } from './ask.ts';
import { attempt, type AttemptNotes, type CaptchaOutcome, noCaptcha, noSolver } from './attempt.ts';
import type { CaptchaHelp } from './help.ts';
import { type CaptchaType, testKeys } from './kinds.ts';
import type { Captcha } from './look.ts';
import { captchaToSolve, pollCaptchas, type CaptchaFilter } from './wait.ts';

export interface SolveOptions {
  wanted: CaptchaFilter;
  /** How long a captcha may take to appear, in milliseconds; 0 checks once. */
  appearMs: number;
  mouse: Mouse;
  help: CaptchaHelp;
  /** Aborts the work outside of the page, such as requests to the solver. */
  signal: AbortSignal;
  /** Called when an attempt starts. */
  onStart?: (type: CaptchaType) => void;
}

/** How long to wait for a widget's token, in milliseconds: without a click, and after a click on its checkbox. */
const withoutClickMs = 400;
const afterClickMs = 4_000;
/** The wait after a click when a solver is available. */
const beforeSolverMs = 2_000;
/** How long a visible captcha may take to appear in addition to an invisible one, in milliseconds. */
const visibleMs = 300;
/** How long a challenge page may take to load the page that it guards, in milliseconds. */
const challengeMs = 15_000;

/** @throws any error that the page throws, any error that `mouse.check` throws, and the signal's abort reason */
export async function solveCaptcha(page: Page, options: SolveOptions): Promise<CaptchaOutcome> {
  const { wanted, appearMs, mouse, help, onStart } = options;
  const settledAt = now() + Math.min(visibleMs, appearMs);
  const captcha = await pollCaptchas(
    page,
    appearMs,
    () => mouse.check(),
    (found) => {
      const one = captchaToSolve(found, wanted);
      return one?.invisible && now() < settledAt ? undefined : one;
    },
  );
  if (!captcha) return noCaptcha;
  const { type, token } = captcha;
  if (captcha.solved) return { ...noCaptcha, type, solved: true, token: token === '' ? null : token };
  onStart?.(type);
  return attempt(page, type, help, (notes) => new Solving(page, captcha, options, notes).run());
}

/** One attempt on a captcha. */
class Solving {
  readonly #page: Page;
  readonly #captcha: Captcha;
  readonly #options: SolveOptions;
  readonly #notes: AttemptNotes;

  constructor(page: Page, captcha: Captcha, options: SolveOptions, notes: AttemptNotes) {
    this.#page = page;
    this.#captcha = captcha;
    this.#options = options;
    this.#notes = notes;
  }

  async run(): Promise<Pick<CaptchaOutcome, 'solved' | 'token' | 'error'>> {
    const failed = { solved: false, token: null };
    const { type, kind } = this.#captcha;
    const { help, mouse, signal } = this.#options;
    if (kind?.interstitial) {
      if (await this.#pass()) return { ...failed, solved: true, error: null };
      return { ...failed, error: `The challenge did not complete within ${challengeMs} ms.` };
    }
    const clicked = await this.#click();
    if (clicked !== undefined) return { solved: true, token: clicked, error: null };
    if (!isForSolvers(this.#captcha)) {
      return { ...failed, error: `This server cannot solve captchas of type ${type}.` };
    }
    const { solver } = help;
    if (!solver) return { ...failed, error: noSolver };
    mouse.check();
    this.#notes.way = 'solver';
    const { address } = this.#notes;
    const { token, taken } = await askSolver(this.#page, this.#captcha, address, { solver, mouse, signal });
    const error = taken ? null : 'The solver returned a token, but the page has neither a field nor a callback for it.';
    return { solved: taken, token, error };
  }

  /** Clicks the checkbox; returns the token if that was enough. */
  async #click(): Promise<string | undefined> {
    const { kind, frame, invisible, type, key } = this.#captcha;
    if (!kind?.checkbox || !frame || invisible) return undefined;
    if (type === 'cloudflare') {
      // It may not need a click.
      const token = await this.#token(withoutClickMs);
      if (token !== undefined) return token;
    }
    if (!(await clickCheckbox(this.#page, this.#captcha, this.#options.mouse))) return undefined;
    this.#notes.way = 'checkbox';
    const hurry = this.#options.help.solver !== undefined && !testKeys.test(key);
    return this.#token(hurry ? beforeSolverMs : afterClickMs);
  }

  #token(ms: number): Promise<string | undefined> {
    const own = this.#captcha.frame?.frameId;
    return this.#until(ms, (found) => found.find(({ frame, solved }) => solved && frame?.frameId === own)?.token);
  }

  /** Waits until a challenge lets the visitor pass, automatically or after a click on its widget. */
  async #pass(): Promise<boolean> {
    const passed = await this.#until(challengeMs, async (found) => {
      const still = found.find(({ kind }) => kind === this.#captcha.kind);
      if (!still) return true;
      if (still.frame && this.#notes.way === 'none') {
        if (await clickCheckbox(this.#page, still, this.#options.mouse)) this.#notes.way = 'checkbox';
      }
      return undefined;
    });
    return passed ?? false;
  }

  #until<T>(ms: number, answer: (found: readonly Captcha[]) => T | undefined | Promise<T | undefined>) {
    return pollCaptchas(this.#page, ms, () => this.#options.mouse.check(), answer);
  }
}
