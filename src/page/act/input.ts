/** Sends mouse and keyboard input to a page (Input domain), at points in CSS pixels of the viewport. */
import type { CommandParams } from '../../cdp/connection.ts';
import type { Page } from '../page.ts';

export interface Point {
  x: number;
  y: number;
}

/** Moves the mouse to a point. */
export async function moveMouse(page: Page, { x, y }: Point): Promise<void> {
  await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
}

/** Presses and releases the left button. @param holdMs milliseconds that it stays down */
export async function clickMouse(page: Page, { x, y }: Point, holdMs = 0): Promise<void> {
  const event = { x, y, button: 'left', clickCount: 1 } as const;
  await page.send('Input.dispatchMouseEvent', { ...event, type: 'mousePressed', buttons: 1 });
  if (holdMs > 0) await page.sleep(holdMs);
  await page.send('Input.dispatchMouseEvent', { ...event, type: 'mouseReleased', buttons: 0 });
}

/** Turns the mouse wheel at a point. */
export async function turnWheel(page: Page, { x, y }: Point, deltaX: number, deltaY: number): Promise<void> {
  await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX, deltaY });
}

interface Key {
  key: string;
  code: string;
  windowsVirtualKeyCode: number;
  shift?: boolean;
}

/** Keys of a US keyboard for digits and signs: the character without and with Shift. */
const signs: readonly [code: string, keyCode: number, plain: string, shifted: string][] = [
  ['Backquote', 192, '`', '~'],
  ['Minus', 189, '-', '_'],
  ['Equal', 187, '=', '+'],
  ['BracketLeft', 219, '[', '{'],
  ['BracketRight', 221, ']', '}'],
  ['Backslash', 220, '\\', '|'],
  ['Semicolon', 186, ';', ':'],
  ['Quote', 222, "'", '"'],
  ['Comma', 188, ',', '<'],
  ['Period', 190, '.', '>'],
  ['Slash', 191, '/', '?'],
  ['Digit1', 49, '1', '!'],
  ['Digit2', 50, '2', '@'],
  ['Digit3', 51, '3', '#'],
  ['Digit4', 52, '4', '$'],
  ['Digit5', 53, '5', '%'],
  ['Digit6', 54, '6', '^'],
  ['Digit7', 55, '7', '&'],
  ['Digit8', 56, '8', '*'],
  ['Digit9', 57, '9', '('],
  ['Digit0', 48, '0', ')'],
];

const keys = new Map<string, Key>([
  [' ', { key: ' ', code: 'Space', windowsVirtualKeyCode: 32 }],
  ['\n', { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 }],
  ['\t', { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }],
  ['\b', { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 }],
  ...[...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter): [string, Key][] => {
    const upper = letter.toUpperCase();
    const key = { code: `Key${upper}`, windowsVirtualKeyCode: upper.charCodeAt(0) };
    return [
      [letter, { key: letter, ...key }],
      [upper, { key: upper, ...key, shift: true }],
    ];
  }),
  ...signs.flatMap(([code, windowsVirtualKeyCode, plain, shifted]): [string, Key][] => [
    [plain, { key: plain, code, windowsVirtualKeyCode }],
    [shifted, { key: shifted, code, windowsVirtualKeyCode, shift: true }],
  ]),
]);

/** Characters whose keys produce no text. */
const silent = new Set(['\t', '\b']);

/** Presses and releases the key of a character; inserts a character without a key as an input method does. */
export async function pressKey(page: Page, character: string): Promise<void> {
  const key = keys.get(character);
  if (!key) {
    await page.send('Input.insertText', { text: character });
    return;
  }
  const { shift = false, ...rest } = key;
  const event = { ...rest, modifiers: shift ? 8 : 0 };
  const text = character === '\n' ? '\r' : character;
  const down: CommandParams<'Input.dispatchKeyEvent'> = silent.has(character)
    ? { ...event, type: 'rawKeyDown' }
    : { ...event, type: 'keyDown', text, unmodifiedText: text };
  await page.send('Input.dispatchKeyEvent', down);
  await page.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' });
}
