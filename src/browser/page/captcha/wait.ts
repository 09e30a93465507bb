/** Waits for captchas to appear and to be solved. */
import { retried } from '../evaluate.ts';
import type { Page } from '../page.ts';
import { now } from '../../../base/runtime/machine.ts';
import type { CaptchaType } from './kinds.ts';
import { type Captcha, findCaptchas } from './look.ts';

/** Delays between searches, in milliseconds; short at first. */
const lookPausesMs = [50, 100, 150];
const longestLookPauseMs = 250;

/**
 * Searches for captchas until `answer` returns a result.
 * @param limitMs milliseconds; 0 searches once
 * @param check called before each search; throws if the search must stop
 * @param answer returns the result for the captchas found; undefined to search again
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
    const given = await answer(await retried(page, () => findCaptchas(page)));
    const left = until - now();
    if (given !== undefined || left <= 0) return given;
    await page.sleep(Math.min(left, lookPausesMs[turn] ?? longestLookPauseMs));
  }
}

/** Which captchas to solve. */
export interface Wanted {
  /** Undefined for any. */
  type?: CaptchaType | undefined;
  /** True to consider only captchas that a visitor sees and has to solve. */
  visible?: boolean;
}

/** Picks the captcha to solve from those found: preferably an unsolved one, then a visible one. */
export function captchaToSolve(found: readonly Captcha[], { type, visible = false }: Wanted): Captcha | undefined {
  // An invisible captcha may ask nothing of the visitor, so anything else comes first.
  const rank = (one: Captcha) => (one.solved ? 2 : 0) + (one.invisible ? 1 : 0);
  const isWanted = (one: Captcha) => (type === undefined || one.type === type) && !(visible && one.invisible);
  return found.filter(isWanted).toSorted((a, b) => rank(a) - rank(b))[0];
}
