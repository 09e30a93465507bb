/**
 * Finds the point at which a click reaches an element: scrolls it into view, waits until it stops moving and nothing
 * covers it, and converts its position through all parent frames to the page's viewport.
 */
import { callOn, type Handle } from '../../../browser/page/act/elements.ts';
import { frameElements } from '../../../browser/page/act/frame-elements.ts';
import type { Point } from '../../../browser/page/act/input.ts';
import type { Page } from '../../../browser/page/page.ts';
import type { Box } from '../../../browser/injected/dom.ts';
import {
  bringIntoView,
  contentOrigin,
  controlAt,
  obstructionAt,
  scrollOffset,
  visibleBox,
} from '../../../browser/injected/element.ts';
import { quoted } from './selector.ts';
import type { Step } from '../run/step.ts';
import { StepError } from '../run/step-error.ts';

export interface ClickPointOptions {
  scroll: boolean;
  /** Wait until a click reaches the element; false checks only once. */
  wait: boolean;
  /** Whether to check that nothing covers the element. */
  hitTest: boolean;
  /** Choose points to try before the middle, in the part of the element's box that its frame shows. Default: none. */
  aims?: readonly ((shown: Box) => Point)[];
}

/** Two measurements this many milliseconds apart must find the element at the same place. */
const stillMs = 25;

/**
 * Returns the middle of the element, or a point chosen by `aims`, in CSS pixels of the page's viewport.
 * @throws StepError `ELEMENT_COVERED` naming the element that covers it, `ELEMENT_NOT_READY`
 */
export async function clickPointOf(
  step: Step,
  element: Handle,
  selector: string,
  options: ClickPointOptions,
): Promise<Point> {
  const { page } = step;
  const owners = await frameElements(page, element.frame);
  const look = async (always: boolean): Promise<Point | undefined> => {
    if (options.scroll) await callOn(page, element, bringIntoView, always);
    const first = await areaIn(page, element, owners);
    if (first === undefined) {
      step.setTimeoutReason('ELEMENT_NOT_READY', `the element ${quoted(selector)} has no size: it is hidden or empty.`);
      return undefined;
    }
    await step.pause(stillMs);
    const second = await areaIn(page, element, owners);
    if (!second || Math.hypot(second.middle.x - first.middle.x, second.middle.y - first.middle.y) > 0.5) {
      step.setTimeoutReason('ELEMENT_NOT_READY', `the element ${quoted(selector)} keeps moving.`);
      return undefined;
    }
    const { middle, shown } = second;
    const points = [...(options.aims ?? []).map((aim) => aim(shown)), middle];
    let cover: string | null = null;
    for (const point of points) {
      cover = options.hitTest ? await coverOf(page, element, owners, { point, middle }) : null;
      if (cover === null) return point;
    }
    step.setTimeoutReason('ELEMENT_COVERED', `the element ${quoted(selector)} is covered by ${cover} at its center.`);
    return undefined;
  };
  let turn = 0;
  if (options.wait) return step.until(() => look(turn++ > 0));
  const point = await look(false);
  if (point) return point;
  throw step.failure();
}

interface Area {
  middle: Point;
  /** The part of the element's box that its frame shows. */
  shown: Box;
}

/** Returns the element's position in the page's viewport; undefined when it has no size. */
async function areaIn(page: Page, element: Handle, owners: readonly Handle[]): Promise<Area | undefined> {
  const { shown, ...box } = await callOn(page, element, visibleBox);
  if (!box.connected) throw new StepError('DOCUMENT_CHANGED', 'The element was removed during the step.');
  if (box.width === 0 || box.height === 0) return undefined;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  for (const owner of owners) {
    const origin = await callOn(page, owner, contentOrigin);
    for (const place of [middle, shown]) {
      place.x += origin.x;
      place.y += origin.y;
    }
  }
  return { middle, shown };
}

/**
 * Returns the name of the element that a click would hit instead, in any of the frames; null when the click reaches the
 * element. For points other than the middle, a control inside the element is treated as a cover unless the middle hits
 * it too.
 */
async function coverOf(
  page: Page,
  element: Handle,
  owners: readonly Handle[],
  { point, middle }: { point: Point; middle: Point },
): Promise<string | null> {
  // From the outermost frame inward: a click at the point must reach each frame element.
  let { x, y } = point;
  for (const owner of owners.toReversed()) {
    const cover = await callOn(page, owner, obstructionAt, x, y);
    if (cover !== null) return cover;
    const origin = await callOn(page, owner, contentOrigin);
    x -= origin.x;
    y -= origin.y;
  }
  const cover = await callOn(page, element, obstructionAt, x, y);
  if (cover !== null || point === middle) return cover;
  return callOn(page, element, controlAt, [x, y], [middle.x + x - point.x, middle.y + y - point.y]);
}

/** Converts a point of the viewport to CSS pixels of the document. */
export async function onPage(page: Page, { x, y }: Point): Promise<Point> {
  const offset = await page.evaluate(scrollOffset);
  return { x: Math.round((x + offset.x) * 100) / 100, y: Math.round((y + offset.y) * 100) / 100 };
}
