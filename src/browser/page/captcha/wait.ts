/** Waits for captchas to appear and to be solved. */
import { withRetry } from '../evaluate.ts';
import type { Page } from '../page.ts';
import { now } from '../../../base/runtime/machine.ts';
import type { CaptchaType } from './kinds.ts';
import { type Captcha, findCaptchas } from './look.ts';

/** Delays between searches, in milliseconds; short at first. */
const pollDelaysMs = [50, 100, 150];
const maxPollDelayMs = 250;

/**
 * Searches for captchas until `answer` returns a result.
 * @param limitMs milliseconds; 0 searches once
 * @param check called before each search; throws if the search must stop
 * @param answer returns the result for the captchas found; undefined to search again
 */
export async function pollCaptchas<T>(
  page: Page,
  limitMs: number,
  check: () => void,
  answer: (found: readonly Captcha[]) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  const until = now() + limitMs;
  for (let attempt = 0; ; attempt++) {
    check();
    const result = await answer(await withRetry(page, () => findCaptchas(page)));
    const left = until - now();
    if (result !== undefined || left <= 0) return result;
    await page.sleep(Math.min(left, pollDelaysMs[attempt] ?? maxPollDelayMs));
  }
}

/** Which captchas to solve. */
export interface CaptchaFilter {
  /** Undefined for any. */
  type?: CaptchaType | undefined;
  /** True to consider only captchas that a visitor sees and has to solve. */
  visible?: boolean;
}

/** Picks the captcha to solve from those found: preferably an unsolved one, then a visible one. */
export function captchaToSolve(
  found: readonly Captcha[],
  { type, visible = false }: CaptchaFilter,
): Captcha | undefined {
  // An invisible captcha may ask nothing of the visitor, so anything else comes first.
  const rank = (one: Captcha) => (one.solved ? 2 : 0) + (one.invisible ? 1 : 0);
  const isWanted = (one: Captcha) => (type === undefined || one.type === type) && !(visible && one.invisible);
  return found.filter(isWanted).toSorted((a, b) => rank(a) - rank(b))[0];
}
