/** Imitates a person's input: curved mouse paths at uneven speed with pauses, and occasional typing mistakes. */
import { moveMouse, type Point } from './input.ts';
import type { Page } from '../page.ts';

/** Average distance between two mouse events in pixels, and the bounds of how many events a path has. */
const pixelsPerMove = 18;
const movesLeast = 8;
const movesMost = 45;
/** Milliseconds between two mouse events. */
const moveMs = { least: 4, most: 14 } as const;

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

/** Moves the mouse along a curve. @param check called before each move; throws when the step is over */
export async function moveLikeHuman(page: Page, from: Point, to: Point, check: () => void): Promise<void> {
  for (const point of curvedPath(from, to)) {
    check();
    await moveMouse(page, point);
    await page.sleep(between(moveMs.least, moveMs.most));
  }
}

/** On average one mistake per this many letters. */
const lettersPerMistake = 25;
const neighbours = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Returns, at random, a neighbouring key to press by mistake; undefined when there is no mistake. */
export function mistakeFor(character: string): string | undefined {
  if (Math.random() * lettersPerMistake >= 1) return undefined;
  const row = neighbours.find((letters) => letters.includes(character));
  if (row === undefined) return undefined;
  const index = row.indexOf(character);
  return row[index + 1] ?? row[index - 1];
}
