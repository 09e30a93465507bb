/**
 * Types like a person: holds each key, holds Shift as a separate key, sometimes presses a key before the previous one
 * is released, and now and then makes a mistake and corrects it.
 */
import type { Page } from '../page.ts';
import { between } from './human.ts';
import { insertText, keyDown, keyUp } from './input.ts';
import { type Key, keyOf, shiftKey } from './keyboard.ts';

/** How long a key is held, in milliseconds; values near the middle are the most frequent. */
const holdMs = { least: 60, most: 124 } as const;
/** Minimum pause between the release of a key and the next press, in milliseconds. */
const gapMs = { least: 8, most: 30 } as const;
/**
 * Time from pressing Shift to pressing the shifted key, and from releasing that key to releasing Shift, in
 * milliseconds.
 */
const shiftLeadMs = { least: 25, most: 70 } as const;
const shiftTailMs = { least: 8, most: 30 } as const;
/** Share of consecutive keys where the second is pressed before the first is released. */
const rollOverShare = 0.2;
/** Minimum time that two such keys are both down, and minimum time before the second is pressed, in milliseconds. */
const togetherMs = 8;
const apartMs = 30;

/** On average one mistake per this many letters. */
const lettersPerMistake = 25;
const neighboringKeys = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Returns, at random, a neighboring key to press by mistake; undefined to make no mistake. */
function mistakeFor(character: string): string | undefined {
  if (Math.random() * lettersPerMistake >= 1) return undefined;
  const row = neighboringKeys.find((letters) => letters.includes(character));
  if (row === undefined) return undefined;
  const index = row.indexOf(character);
  return row[index + 1] ?? row[index - 1];
}

interface Stroke {
  /** The character to type; '\b' deletes the previous one. */
  character: string;
  key: Key | undefined;
}

function* strokesOf(text: string): Generator<Stroke, undefined> {
  const stroke = (character: string): Stroke => ({ character, key: keyOf(character) });
  for (const character of text) {
    const mistake = mistakeFor(character);
    if (mistake !== undefined) yield* [stroke(mistake), stroke('\b')];
    yield stroke(character);
  }
}

/** Letters and spaces: a field may act on the release of other keys (a digit of a code, Enter, Tab). */
const rolls = /^[a-z ]$/i;

/**
 * Whether a person might press the second key before releasing the first, which is impossible for two characters of the
 * same key.
 */
function mayRoll(first: Stroke, second: Stroke): boolean {
  if (!rolls.test(first.character) || !rolls.test(second.character)) return false;
  return first.key?.code !== second.key?.code && first.key?.shift === second.key?.shift;
}

function holdTime(): number {
  return (between(holdMs.least, holdMs.most) + between(holdMs.least, holdMs.most)) / 2;
}

/**
 * Types text, one key after another.
 * @param delay minimum and maximum time between presses, in milliseconds; each key is held regardless
 * @param check called before each key event; throws when the step has ended; the keys are then released
 */
export async function typeLikeHuman(
  page: Page,
  text: string,
  delay: { least: number; most: number },
  check: () => void,
): Promise<void> {
  const held = new Set<Key>();
  /** The key that is still down while the next is pressed, and for how long. */
  let rolled: { key: Key; ms: number } | undefined;

  /**
   * Sends a key event and waits until it is acknowledged and this time has passed since it was sent: the page must not
   * lengthen the interval.
   */
  const after = async (event: () => Promise<void>, ms: number): Promise<void> => {
    check();
    await Promise.all([event(), page.sleep(ms)]);
  };
  const down = (key: Key, ms: number) =>
    after(() => {
      held.add(key);
      return keyDown(page, key);
    }, ms);
  const up = async (key: Key, ms: number) => {
    await after(() => keyUp(page, key), ms);
    held.delete(key);
  };

  /** Waits until the next press, and presses or releases Shift by then if necessary. */
  const gap = async (next: Stroke | undefined, ms: number): Promise<void> => {
    let left = ms;
    if (held.has(shiftKey) && !next?.key?.shift) {
      const tail = between(shiftTailMs.least, shiftTailMs.most);
      await page.sleep(tail);
      left = Math.max(gapMs.least, left - tail);
      await up(shiftKey, left);
    } else if (!held.has(shiftKey) && next?.key?.shift) {
      const lead = between(shiftLeadMs.least, shiftLeadMs.most);
      await page.sleep(Math.max(gapMs.least, left - lead));
      await down(shiftKey, lead);
    } else {
      await page.sleep(left);
    }
  };

  const press = async (stroke: Stroke & { key: Key }, next: Stroke | undefined): Promise<void> => {
    const { key } = stroke;
    const before = rolled;
    rolled = undefined;
    const hold = holdTime();
    const until = Math.max(delay.least, apartMs, (before?.ms ?? 0) + togetherMs);
    const overlaps = Math.random() < rollOverShare && next !== undefined && mayRoll(stroke, next);
    const nextAt = overlaps && until < hold - togetherMs ? between(until, hold - togetherMs) : undefined;
    const downFor = nextAt ?? hold;
    if (before) {
      await down(key, before.ms);
      await up(before.key, downFor - before.ms);
    } else {
      await down(key, downFor);
    }
    if (nextAt !== undefined) {
      rolled = { key, ms: hold - nextAt };
      return;
    }
    await up(key, 0);
    await gap(next, Math.max(between(gapMs.least, gapMs.most), between(delay.least, delay.most) - hold));
  };

  const strokes = strokesOf(text);
  try {
    let { value: stroke } = strokes.next();
    await gap(stroke, 0);
    while (stroke) {
      const { value: next } = strokes.next();
      if (stroke.key) {
        await press({ ...stroke, key: stroke.key }, next);
      } else {
        check();
        await insertText(page, stroke.character);
        await gap(next, between(delay.least, delay.most));
      }
      stroke = next;
    }
  } finally {
    // Keys are still held only when the step has ended or the page was closed.
    for (const key of held) keyUp(page, key).catch(() => {});
  }
}
