/** Moves and types like a person: curved paths with uneven speed, pauses, and typing errors that are corrected. */
import { moveMouse, type Point } from './input.ts';
import type { Page } from '../page.ts';

/** Pixels between two reports of a mouse that moves at a middling speed, and how many reports a path has. */
const pixelsPerMove = 18;
const movesLeast = 8;
const movesMost = 45;
/** Milliseconds between two reports of the mouse. */
const moveMs = { least: 4, most: 14 } as const;

export function between(least: number, most: number): number {
  return least + Math.random() * (most - least);
}

/** Points of a curved way, slow at its ends, with the target as the last of them. */
function curvedPath(from: Point, to: Point): Point[] {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const count = Math.round(Math.min(movesMost, Math.max(movesLeast, distance / pixelsPerMove)));
  const bend = () => between(-0.25, 0.25) * distance;
  const first = { x: from.x + (to.x - from.x) * 0.3 + bend(), y: from.y + (to.y - from.y) * 0.3 + bend() };
  const second = { x: from.x + (to.x - from.x) * 0.7 + bend(), y: from.y + (to.y - from.y) * 0.7 + bend() };
  const points = Array.from({ length: count }, (_, index) => {
    const t = (index + 1) / count;
    // Slow, fast, slow.
    const s = t * t * (3 - 2 * t);
    const at = (a: number, b: number, c: number, d: number) =>
      (1 - s) ** 3 * a + 3 * (1 - s) ** 2 * s * b + 3 * (1 - s) * s ** 2 * c + s ** 3 * d;
    return { x: at(from.x, first.x, second.x, to.x), y: at(from.y, first.y, second.y, to.y) };
  });
  return [...points.slice(0, -1), to];
}

/** Moves the mouse along a curve. @param check throws when the step is over */
export async function moveLikeHuman(page: Page, from: Point, to: Point, check: () => void): Promise<void> {
  for (const point of curvedPath(from, to)) {
    check();
    await moveMouse(page, point);
    await page.sleep(between(moveMs.least, moveMs.most));
  }
}

/** One mistake in so many letters. */
const lettersPerMistake = 25;
const neighbours = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** A key beside the one meant, now and then; undefined when the finger finds the right one. */
export function mistakeFor(character: string): string | undefined {
  if (Math.random() * lettersPerMistake >= 1) return undefined;
  const row = neighbours.find((letters) => letters.includes(character));
  if (row === undefined) return undefined;
  const index = row.indexOf(character);
  return row[index + 1] ?? row[index - 1];
}
