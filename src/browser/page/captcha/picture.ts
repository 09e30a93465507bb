/** Has a solver read image captchas, and finds their text fields. */
import { captchaImage, captchaImageField } from '../../injected/captcha/marks.ts';
import { boxOf, bringIntoView, scrollOffset } from '../../injected/element.ts';
import { callOn, evaluateHandle, type Handle } from '../act/elements.ts';
import { frameElements, originOf } from '../act/frame-elements.ts';
import { ContextLost } from '../evaluate.ts';
import { mainFrame } from '../frames.ts';
import { toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import { solveWith, attempt, type CaptchaOutcome, noSolver } from './attempt.ts';
import type { CaptchaHelp, CaptchaTask } from './help.ts';
import { imageTask } from './kinds.ts';

/** Finds the page's image captcha and its text field. @throws ContextLost when they were removed */
export async function findImage(page: Page): Promise<{ picture: Handle; field: Handle }> {
  const frame = mainFrame(page);
  const [picture, field] = await Promise.all(
    [captchaImage, captchaImageField].map((find) => evaluateHandle(page, frame, toExpression(find, []))),
  );
  if (!picture || !field) throw new ContextLost('the image is gone');
  return { picture, field };
}

/**
 * Creates the task for an image in any frame, from a screenshot of it as the visitor sees it.
 * @throws ContextLost when it has no size
 */
export async function toImageTask(page: Page, picture: Handle): Promise<CaptchaTask> {
  await callOn(page, picture, bringIntoView, false);
  const box = await callOn(page, picture, boxOf);
  if (box.width < 1 || box.height < 1) throw new ContextLost('the image has no size');
  const { width, height } = box;
  const [offset, origin] = await Promise.all([
    page.evaluate(scrollOffset),
    frameElements(page, picture.frame).then((around) => originOf(page, around)),
  ]);
  const [x, y] = [box.x + origin.x + offset.x, box.y + origin.y + offset.y];
  const { data } = await page.send('Page.captureScreenshot', {
    format: 'png',
    clip: { x, y, width: Math.min(width, 2_000), height: Math.min(height, 2_000), scale: 1 },
  });
  return { names: imageTask, members: { body: data } };
}

/** Has the solver read an image that the caller has found; typing the letters is up to the caller. */
export function readImage(
  page: Page,
  picture: Handle,
  help: CaptchaHelp,
  signal: AbortSignal,
): Promise<CaptchaOutcome> {
  return attempt(page, 'normal', help, async (notes) => {
    if (!help.solver) return { solved: false, token: null, error: noSolver };
    const task = await toImageTask(page, picture);
    notes.way = 'solver';
    return { solved: true, token: await solveWith(page, help.solver, task, signal), error: null };
  });
}
