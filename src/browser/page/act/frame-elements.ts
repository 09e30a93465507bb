/** Finds the elements that contain a frame, in each of its ancestor frames. */
import { ContextLost } from '../evaluate.ts';
import { listFrames, type PageFrame, sendTo } from '../frames.ts';
import type { Page } from '../page.ts';
import { ProtocolError } from '../../cdp/connection.ts';
import { contentOrigin } from '../../injected/element.ts';
import { callOn, type Handle, resolveNode } from './elements.ts';
import type { Point } from './input.ts';

/**
 * Returns the element that contains the frame, then the element that contains its parent frame, and so on; none for the
 * main frame. Elements in closed shadow trees are found like any other.
 * @param known the frames of the page, if the caller has already listed them; otherwise they are listed here
 */
export async function frameElements(page: Page, frame: PageFrame, known?: readonly PageFrame[]): Promise<Handle[]> {
  if (frame.frameId === page.mainFrameId) return [];
  const frames = new Map((known ?? (await listFrames(page))).map((one) => [one.frameId, one]));
  const elements: Handle[] = [];
  for (let inner = frames.get(frame.frameId); inner?.parentId !== undefined;) {
    const parent = frames.get(inner.parentId);
    if (!parent) break;
    elements.push(await resolveNode(page, parent, await frameOwner(page, parent, inner.frameId)));
    inner = parent;
  }
  return elements;
}

/** Backend id of a frame's element in its parent. @throws ContextLost when the frame was removed */
export async function frameOwner(page: Page, parent: PageFrame, frameId: string): Promise<number> {
  try {
    return (await sendTo(page, parent.session, 'DOM.getFrameOwner', { frameId })).backendNodeId;
  } catch (error) {
    throw error instanceof ProtocolError ? new ContextLost(error.message) : error;
  }
}

/** Origin of a frame in CSS pixels of the page's viewport. @param elements the elements returned by `frameElements` */
export async function originOf(page: Page, elements: readonly Handle[]): Promise<Point> {
  const origins = await Promise.all(elements.map((element) => callOn(page, element, contentOrigin)));
  return origins.reduce((sum, { x, y }) => ({ x: sum.x + x, y: sum.y + y }), { x: 0, y: 0 });
}
