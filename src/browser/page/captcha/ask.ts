/** Has the operator's solver solve a captcha, and puts the solution into the page. */
import { takeFocus } from '../../injected/element.ts';
import { callOn } from '../act/elements.ts';
import { between } from '../act/human.ts';
import { pressKey } from '../act/input.ts';
import type { Page } from '../page.ts';
import type { Mouse } from './act.ts';
import { solveWith } from './attempt.ts';
import { deliverToken } from './deliver.ts';
import type { CaptchaSolver, CaptchaTask } from './help.ts';
import type { Captcha } from './look.ts';
import { findImage, toImageTask } from './picture.ts';

/** Time between typed letters, in milliseconds. */
const letterMs = { least: 40, most: 120 } as const;

/** True for a captcha that a solver can solve, provided that the page accepts a token from outside. */
export function isForSolvers({ type, kind }: Captcha): boolean {
  return type === 'normal' || kind?.task !== undefined;
}

/**
 * @param address URL of the page
 * @returns the token, or the letters of an image, and whether the page accepted it
 * @throws SolverFailure, ContextLost, the signal's abort reason
 */
export async function askSolver(
  page: Page,
  captcha: Captcha,
  address: string,
  { solver, mouse, signal }: { solver: CaptchaSolver; mouse: Mouse; signal: AbortSignal },
): Promise<{ token: string; taken: boolean }> {
  if (captcha.type !== 'normal') {
    const token = await solveWith(page, solver, toTask(captcha, address), signal);
    mouse.check();
    return { token, taken: await deliverToken(page, captcha, token) };
  }
  const { picture, field } = await findImage(page);
  const token = await solveWith(page, solver, await toImageTask(page, picture), signal);
  await callOn(page, field, takeFocus);
  for (const letter of token) {
    mouse.check();
    await pressKey(page, letter);
    await page.sleep(between(letterMs.least, letterMs.most));
  }
  return { token, taken: true };
}

function toTask({ kind, type, key, invisible, enterprise }: Captcha, address: string): CaptchaTask {
  const names = (enterprise ? kind?.enterpriseTask : undefined) ?? kind?.task ?? { standard: '', capsolver: '' };
  return {
    names,
    members: {
      websiteURL: address,
      websiteKey: key,
      ...(invisible && type === 'recaptcha' ? { isInvisible: true } : {}),
      // The lowest score that sites accept as human, as Google recommends.
      ...(type === 'recaptchaV3' ? { minScore: 0.7, pageAction: 'verify' } : {}),
    },
  };
}
