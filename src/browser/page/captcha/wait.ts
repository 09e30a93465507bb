/** Waits for captchas, and for what becomes of them. */
import { retried } from '../evaluate.ts';
import type { Page } from '../page.ts';
import { now } from '../../../base/runtime/machine.ts';
import type { CaptchaType } from './kinds.ts';
import { type Captcha, lookForCaptchas } from './look.ts';

/** Pauses between two looks, in milliseconds: short at first. */
const lookPausesMs = [50, 100, 150];
const longestLookPauseMs = 250;

/**
 * Looks until there is an answer.
 * @param limitMs milliseconds; 0 looks once
 * @param check called before each look; throws when nothing may be done any more
 * @param answer what to return for the captchas that are there; undefined to look again
 */
export async function lookUntil<T>(
  page: Page,
  limitMs: number,
  check: () => void,
  answer: (found: readonly Captcha[]) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  const until = now() + limitMs;
  for (let turn = 0; ; turn++) {
    check();
    const given = await answer(await retried(page, () => lookForCaptchas(page)));
    const left = until - now();
    if (given !== undefined || left <= 0) return given;
    await page.sleep(Math.min(left, lookPausesMs[turn] ?? longestLookPauseMs));
  }
}

/** Which captchas are meant. */
export interface Wanted {
  /** Undefined for any. */
  type?: CaptchaType | undefined;
  /** True for those alone that a visitor sees and has to solve. */
  visible?: boolean;
}

/** The captcha to solve among those that are there: one that is not solved, and rather a visible one. */
export function captchaToSolve(found: readonly Captcha[], { type, visible = false }: Wanted): Captcha | undefined {
  // An invisible one may ask the visitor for nothing: anything else comes first.
  const rank = (one: Captcha) => (one.solved ? 2 : 0) + (one.invisible ? 1 : 0);
  const isWanted = (one: Captcha) => (type === undefined || one.type === type) && !(visible && one.invisible);
  return found.filter(isWanted).toSorted((a, b) => rank(a) - rank(b))[0];
}
