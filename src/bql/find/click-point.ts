/**
 * Finds the point at which a click reaches an element: scrolls it into view, waits until it stands still and nothing
 * covers it, and converts its position through all parent frames to the page's viewport.
 */
import { callOn, type Handle, resolveNode } from '../../page/act/elements.ts';
import { listFrames, type PageFrame, sendTo } from '../../page/frames.ts';
import type { Point } from '../../page/act/input.ts';
import type { Page } from '../../page/page.ts';
import { boxOf, bringIntoView, contentOrigin, coverAt, scrollOffset } from '../../injected/element.ts';
import { quoted } from './selector.ts';
import type { Step } from '../run/step.ts';
import { StepError } from '../run/step-error.ts';

export interface ClickPointOptions {
  scroll: boolean;
  /** Wait until a click reaches the element; false checks only once. */
  wait: boolean;
  /** Whether to check that nothing covers the element. */
  hitTest: boolean;
}

/** Two measurements this many milliseconds apart must find the element at the same place. */
const stillMs = 25;

/**
 * Returns the middle of the element in CSS pixels of the page's viewport.
 * @throws StepError `ELEMENT_COVERED` naming what lies over it, `ELEMENT_NOT_READY`
 */
export async function clickPointOf(
  step: Step,
  element: Handle,
  selector: string,
  options: ClickPointOptions,
): Promise<Point> {
  const { page } = step;
  const owners = await ownersOf(page, element.frame);
  const look = async (always: boolean): Promise<Point | undefined> => {
    if (options.scroll) await callOn(page, element, bringIntoView, always);
    const first = await pointIn(page, element, owners);
    if (first === undefined) {
      step.waitsFor('ELEMENT_NOT_READY', `the element of ${quoted(selector)} has no size: it is hidden or empty.`);
      return undefined;
    }
    await step.pause(stillMs);
    const second = await pointIn(page, element, owners);
    if (!second || Math.hypot(second.x - first.x, second.y - first.y) > 0.5) {
      step.waitsFor('ELEMENT_NOT_READY', `the element of ${quoted(selector)} does not stand still.`);
      return undefined;
    }
    if (!options.hitTest) return second;
    const cover = await coverOf(page, element, owners, second);
    if (cover === null) return second;
    step.waitsFor('ELEMENT_COVERED', `the element of ${quoted(selector)} is covered by ${cover} at its middle.`);
    return undefined;
  };
  let turn = 0;
  if (options.wait) return step.until(() => look(turn++ > 0));
  const point = await look(false);
  if (point) return point;
  throw step.failure();
}

/** A frame element that contains the element's frame, directly or not. */
interface Owner {
  handle: Handle;
}

async function ownersOf(page: Page, frame: PageFrame): Promise<Owner[]> {
  if (frame.frameId === page.mainFrameId) return [];
  const frames = new Map((await listFrames(page)).map((one) => [one.frameId, one]));
  const owners: Owner[] = [];
  for (let inner = frames.get(frame.frameId); inner?.parentId !== undefined;) {
    const parent = frames.get(inner.parentId);
    if (!parent) break;
    const { backendNodeId } = await sendTo(page, parent.session, 'DOM.getFrameOwner', { frameId: inner.frameId });
    owners.push({ handle: await resolveNode(page, parent, backendNodeId) });
    inner = parent;
  }
  return owners;
}

/** Middle of the element in the page's viewport; undefined when it has no size. */
async function pointIn(page: Page, element: Handle, owners: readonly Owner[]): Promise<Point | undefined> {
  const box = await callOn(page, element, boxOf);
  if (!box.connected) throw new StepError('DOCUMENT_CHANGED', 'The element was removed while the step worked on it.');
  if (box.width === 0 || box.height === 0) return undefined;
  let point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  for (const { handle } of owners) {
    const origin = await callOn(page, handle, contentOrigin);
    point = { x: point.x + origin.x, y: point.y + origin.y };
  }
  return point;
}

/** Name of the element that a click would hit instead, in any of the frames; null when it reaches the element. */
async function coverOf(page: Page, element: Handle, owners: readonly Owner[], point: Point): Promise<string | null> {
  // From the outermost frame inwards: a click at the point must reach each frame element.
  let { x, y } = point;
  for (const { handle } of owners.toReversed()) {
    const cover = await callOn(page, handle, coverAt, x, y);
    if (cover !== null) return cover;
    const origin = await callOn(page, handle, contentOrigin);
    x -= origin.x;
    y -= origin.y;
  }
  return callOn(page, element, coverAt, x, y);
}

/** Converts a point of the viewport to CSS pixels of the document. */
export async function onPage(page: Page, { x, y }: Point): Promise<Point> {
  const offset = await page.evaluate(scrollOffset);
  return { x: Math.round((x + offset.x) * 100) / 100, y: Math.round((y + offset.y) * 100) / 100 };
}
