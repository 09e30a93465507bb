/** Scrolls like a person with a mouse wheel: notch by notch, a few at a time. */
import { scrollOffset } from '../../injected/element.ts';
import type { Page } from '../page.ts';
import { between } from './human.ts';
import { type Point, scrollWheel } from './input.ts';

/**
 * One notch of the wheel in pixels: Chromium reports a `wheelDelta` of 120 to the page, as for one notch of a mouse
 * wheel.
 */
const notchPixels = 100;
/** Maximum number of notches per scroll; the caller covers the rest with a jump. */
const maxNotches = 60;
/** Number of notches per movement of the finger, time between notches, and time until the finger is back (ms). */
const turn = { least: 4, most: 8 } as const;
const notchMs = { least: 12, most: 35 } as const;
const fingerBackMs = { least: 80, most: 180 } as const;

/**
 * Turns the wheel until the page is less than one notch from the target position, or cannot scroll further.
 * @param mouse position of the mouse
 * @param to scroll position in CSS pixels; undefined keeps that coordinate
 * @param check called before each notch; throws when the step has ended
 */
export async function wheelToward(
  page: Page,
  mouse: Point,
  to: { x: number | undefined; y: number | undefined },
  check: () => void,
): Promise<void> {
  let before: Point | undefined;
  for (let turned = 0; turned < maxNotches;) {
    const at = await page.evaluate(scrollOffset);
    // Nothing moved: the end of the page has been reached, or the wheel scrolls something else.
    if (before && at.x === before.x && at.y === before.y) return;
    before = at;
    const left = { x: notchesTo(at.x, to.x), y: notchesTo(at.y, to.y) };
    const wanted = Math.max(Math.abs(left.x), Math.abs(left.y));
    if (wanted === 0) return;
    const most = Math.min(wanted, maxNotches - turned, Math.round(between(turn.least, turn.most)));
    for (let notch = 0; notch < most; notch++, turned++) {
      check();
      const deltaX = notch < Math.abs(left.x) ? Math.sign(left.x) * notchPixels : 0;
      const deltaY = notch < Math.abs(left.y) ? Math.sign(left.y) * notchPixels : 0;
      await Promise.all([scrollWheel(page, mouse, deltaX, deltaY), page.sleep(between(notchMs.least, notchMs.most))]);
    }
    await page.sleep(between(fingerBackMs.least, fingerBackMs.most));
  }
}

function notchesTo(at: number, to: number | undefined): number {
  return to === undefined ? 0 : Math.trunc((to - at) / notchPixels);
}
