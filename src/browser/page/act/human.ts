/** Imitates a person's mouse: curved paths at uneven speed, and click points slightly off center. */
import type { Box } from '../../injected/dom.ts';
import type { Page } from '../page.ts';
import { moveMouse, type Point } from './input.ts';

/** Average distance between mouse events in pixels, and limits on the number of events per path. */
const pixelsPerMove = 10;
const movesLeast = 8;
const movesMost = 80;
/** Milliseconds between mouse events: a mouse reports its position about 125 times a second. */
const moveMs = { least: 5, most: 11 } as const;
/**
 * Maximum number of moves that the page has not acknowledged yet: it acknowledges one per frame, or later when it is
 * busy.
 */
const maxUnacknowledged = 16;

/**
 * A path of at least `fromPixels` overshoots its target with the probability `share`, by `least` to `most` pixels, and
 * rests there for `restMs`.
 */
const overshoot = { fromPixels: 200, share: 0.15, least: 8, most: 35, restMs: { least: 50, most: 120 } } as const;
/** How long the mouse rests on its target before the next action, such as a press, in milliseconds. */
const restMs = { least: 25, most: 80 } as const;

/** How long a person holds a mouse button, in milliseconds. */
export const clickHoldMs = { least: 60, most: 130 } as const;

export function between(least: number, most: number): number {
  return least + Math.random() * (most - least);
}

/** Points along a cubic Bézier curve, closer together at both ends; the last point is the target. */
function curvedPath(from: Point, to: Point): Point[] {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const count = Math.round(Math.min(movesMost, Math.max(movesLeast, distance / pixelsPerMove)));
  const bend = () => between(-0.25, 0.25) * distance;
  const first = { x: from.x + (to.x - from.x) * 0.3 + bend(), y: from.y + (to.y - from.y) * 0.3 + bend() };
  const second = { x: from.x + (to.x - from.x) * 0.7 + bend(), y: from.y + (to.y - from.y) * 0.7 + bend() };
  const points = Array.from({ length: count }, (_, index) => {
    const t = (index + 1) / count;
    const s = t * t * (3 - 2 * t);
    const at = (a: number, b: number, c: number, d: number) =>
      (1 - s) ** 3 * a + 3 * (1 - s) ** 2 * s * b + 3 * (1 - s) * s ** 2 * c + s ** 3 * d;
    return { x: at(from.x, first.x, second.x, to.x), y: at(from.y, first.y, second.y, to.y) };
  });
  return [...points.slice(0, -1), to];
}

/** A point a few pixels past the target, as seen from the start. */
function pastTarget(from: Point, to: Point): Point {
  const direction = Math.atan2(to.y - from.y, to.x - from.x) + between(-0.3, 0.3);
  const by = between(overshoot.least, overshoot.most);
  return { x: to.x + Math.cos(direction) * by, y: to.y + Math.sin(direction) * by };
}

/** The paths to a target: one, or two when the mouse overshoots first. */
function pathsTo(from: Point, to: Point): Point[][] {
  const long = Math.hypot(to.x - from.x, to.y - from.y) >= overshoot.fromPixels;
  if (!long || Math.random() >= overshoot.share) return [curvedPath(from, to)];
  const past = pastTarget(from, to);
  return [curvedPath(from, past), curvedPath(past, to)];
}

/**
 * Moves the mouse along a curve. Sends moves without waiting for acknowledgments, just as a hand does not wait for the
 * page: Chromium then delivers several to the page in one event. The points along the way are whole pixels inside the
 * window.
 * @param check called before each move and at the end, with the position of the mouse; throws when the step has ended
 */
export async function moveLikeHuman(page: Page, from: Point, to: Point, check: (place: Point) => void): Promise<void> {
  const { cssLayoutViewport: view } = await page.send('Page.getLayoutMetrics');
  const inWindow = (at: number, size: number) => Math.round(Math.min(Math.max(at, 0), Math.max(size - 1, 0)));
  const unanswered = new Set<Promise<void>>();
  let at = from;
  for (const path of pathsTo(from, to)) {
    for (const point of path) {
      if (point === to) break;
      check(at);
      const next = { x: inWindow(point.x, view.clientWidth), y: inWindow(point.y, view.clientHeight) };
      if (next.x !== at.x || next.y !== at.y) {
        const sent: Promise<void> = sendMove(page, next).finally(() => unanswered.delete(sent));
        unanswered.add(sent);
        at = next;
        if (unanswered.size >= maxUnacknowledged) await page.until(Promise.race(unanswered));
      }
      await page.sleep(between(moveMs.least, moveMs.most));
    }
    if (path.at(-1) !== to) await page.sleep(between(overshoot.restMs.least, overshoot.restMs.most));
  }
  check(at);
  await moveMouse(page, to);
  await page.sleep(between(restMs.least, restMs.most));
  check(to);
}

/**
 * Sends one move of a path; resolves once it is acknowledged or lost. The browser refuses a move while one document
 * replaces another; if the page was closed, the next wait for the page rejects.
 */
async function sendMove(page: Page, { x, y }: Point): Promise<void> {
  // Not with page.send, which retries refused commands: the move would then arrive after later ones.
  await page.session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y }).catch(() => {});
}

/**
 * Share of a box, around its center, in which a person clicks; the second value is for clicks aimed at the center
 * itself.
 */
const targetShare = 0.6;
const middleShare = 0.15;

/** A random point in the central 60% of a box, more often near its center; a whole pixel if the box contains one. */
export function pointWithin(box: Box): Point {
  const one = () => 0.5 + targetShare * (0.7 * (Math.random() - 0.5) + 0.3 * (Math.random() - 0.5));
  return pointInBox(box, one(), one());
}

/** A random point close to the center of a box. */
export function pointAtMiddle(box: Box): Point {
  const one = () => 0.5 + middleShare * (Math.random() - 0.5);
  return pointInBox(box, one(), one());
}

/** Like `pointWithin`, but never before the center: a click in a field must not put the caret before its text. */
export function pointBehindMiddle(box: Box): Point {
  const one = () => 0.5 + (targetShare / 2) * Math.random();
  return pointInBox(box, one(), one());
}

function pointInBox({ x, y, width, height }: Box, shareX: number, shareY: number): Point {
  return { x: wholePixel(x + width * shareX, x, x + width), y: wholePixel(y + height * shareY, y, y + height) };
}

/**
 * The coordinate as a mouse reports it: the nearest whole pixel in the range, or the unchanged value when the range
 * contains none.
 */
function wholePixel(at: number, from: number, to: number): number {
  const inside = [Math.round(at), Math.floor(at), Math.ceil(at)].find((one) => one >= from && one < to);
  return inside ?? at;
}
