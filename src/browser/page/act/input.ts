/** Sends mouse and keyboard input to a page (Input domain), at points in CSS pixels of the viewport. */
import type { CommandParams } from '../../cdp/connection.ts';
import type { Page } from '../page.ts';
import { type Key, keyOf, shiftKey } from './keyboard.ts';

export interface Point {
  x: number;
  y: number;
}

/** Moves the mouse to a point. */
export async function moveMouse(page: Page, { x, y }: Point): Promise<void> {
  await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
}

/** Presses and releases the left button. @param holdMs how long it stays down after the press, in milliseconds */
export async function clickMouse(page: Page, { x, y }: Point, holdMs = 0): Promise<void> {
  const event = { x, y, button: 'left', clickCount: 1 } as const;
  // PointerEvent.pressure of a mouse is 0.5 while a button is down (Pointer Events, section "pressure").
  const press = { ...event, type: 'mousePressed', buttons: 1, force: 0.5 } as const;
  await Promise.all([page.send('Input.dispatchMouseEvent', press), holdMs > 0 ? page.sleep(holdMs) : undefined]);
  await page.send('Input.dispatchMouseEvent', { ...event, type: 'mouseReleased', buttons: 0 });
}

/** Scrolls the mouse wheel at a point. */
export async function scrollWheel(page: Page, { x, y }: Point, deltaX: number, deltaY: number): Promise<void> {
  await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX, deltaY });
}

/** The bit for Shift in the protocol's `modifiers`. */
const shiftModifier = 8;

/** Presses a key, which types its text. */
export async function keyDown(page: Page, { text, shift = false, ...key }: Key): Promise<void> {
  const event = { ...key, modifiers: shift ? shiftModifier : 0 };
  const down: CommandParams<'Input.dispatchKeyEvent'> =
    text === undefined ? { ...event, type: 'rawKeyDown' } : { ...event, type: 'keyDown', text, unmodifiedText: text };
  await page.send('Input.dispatchKeyEvent', down);
}

/** Releases a key. */
export async function keyUp(page: Page, key: Key): Promise<void> {
  const { text: _, shift = false, ...event } = key;
  const modifiers = shift && key !== shiftKey ? shiftModifier : 0;
  await page.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp', modifiers });
}

/** Inserts text as an input method (IME) would, for characters that no key produces. */
export async function insertText(page: Page, text: string): Promise<void> {
  await page.send('Input.insertText', { text });
}

/** Presses and releases the key of a character; inserts a character without a key. */
export async function pressKey(page: Page, character: string): Promise<void> {
  const key = keyOf(character);
  if (!key) return insertText(page, character);
  await keyDown(page, key);
  await keyUp(page, key);
}
