/** Clicks a widget's checkbox the way a person would: moves the mouse along a curve and clicks with trusted events. */
import { checkboxPoint } from '../../injected/captcha/marks.ts';
import { boxOf, bringIntoView } from '../../injected/element.ts';
import { callOn, evaluateHandle } from '../act/elements.ts';
import { originOf } from '../act/frame-elements.ts';
import { between, clickHoldMs, moveLikeHuman } from '../act/human.ts';
import { clickMouse, type Point } from '../act/input.ts';
import { ContextLost } from '../evaluate.ts';
import type { PageFrame } from '../frames.ts';
import type { Page } from '../page.ts';
import { type Captcha, withFrameElement } from './look.ts';

/**
 * How long to wait for the frame of a widget to show its checkbox, in milliseconds. Some hide it in a closed shadow
 * tree.
 */
const checkboxLimitMs = 800;
const checkboxPollMs = 50;
/**
 * Where to click when the checkbox is not found: vendors usually place it this many CSS pixels from the left,
 * vertically centered.
 */
const defaultCheckboxX = 30;

/** The mouse used to click on a page. */
export interface Mouse {
  /** Position of the mouse in CSS pixels of the viewport; stays where the last click was. */
  mouse: Point;
  /** Called before each step; throws if the operation must stop. */
  check(): void;
}

/** @returns false when the widget has no size */
export function clickCheckbox(page: Page, captcha: Captcha, mouse: Mouse): Promise<boolean> {
  return withFrameElement(page, captcha, async (element, ancestors) => {
    const inside = await findCheckbox(page, captcha.frame, mouse);
    // Outermost first: an element may be visible in its frame while the frame itself is out of view.
    for (const one of [element, ...ancestors].toReversed()) await callOn(page, one, bringIntoView, false);
    const { width, height } = await callOn(page, element, boxOf);
    if (width === 0 || height === 0) return false;
    const { x, y } = inside ?? { x: Math.min(defaultCheckboxX, width / 2), y: height / 2 };
    const origin = await originOf(page, [element, ...ancestors]);
    const target = { x: origin.x + x + between(-4, 4), y: origin.y + y + between(-4, 4) };
    await moveLikeHuman(page, mouse.mouse, target, () => mouse.check());
    mouse.mouse = target;
    await clickMouse(page, target, between(clickHoldMs.least, clickHoldMs.most));
    return true;
  });
}

async function findCheckbox(page: Page, frame: PageFrame | undefined, mouse: Mouse): Promise<Point | null> {
  if (!frame) return null;
  for (let waited = 0; waited < checkboxLimitMs; waited += checkboxPollMs) {
    mouse.check();
    try {
      const root = await evaluateHandle(page, frame, 'document');
      const point = root && (await callOn(page, root, checkboxPoint));
      if (point) return point;
    } catch (error) {
      // The frame is still loading: its document was replaced.
      if (!(error instanceof ContextLost)) throw error;
    }
    await page.sleep(checkboxPollMs);
  }
  return null;
}
