/** Maps characters to the keys of a US keyboard. */

/** A key as Input.dispatchKeyEvent names it. */
export interface Key {
  key: string;
  code: string;
  windowsVirtualKeyCode: number;
  /** The text that the key types; undefined for a key that produces none. */
  text?: string;
  /** Whether Shift is down while it is pressed. */
  shift?: boolean;
  /** 1 for the left one of two keys. */
  location?: number;
}

export const shiftKey: Key = { key: 'Shift', code: 'ShiftLeft', windowsVirtualKeyCode: 16, shift: true, location: 1 };

/** Keys of a US keyboard for digits and symbols, with their characters without and with Shift. */
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
  [' ', { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' }],
  ['\n', { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' }],
  ['\t', { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }],
  ['\b', { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 }],
  ...[...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter): [string, Key][] => {
    const upper = letter.toUpperCase();
    const key = { code: `Key${upper}`, windowsVirtualKeyCode: upper.charCodeAt(0) };
    return [
      [letter, { key: letter, text: letter, ...key }],
      [upper, { key: upper, text: upper, ...key, shift: true }],
    ];
  }),
  ...signs.flatMap(([code, windowsVirtualKeyCode, plain, shifted]): [string, Key][] => [
    [plain, { key: plain, text: plain, code, windowsVirtualKeyCode }],
    [shifted, { key: shifted, text: shifted, code, windowsVirtualKeyCode, shift: true }],
  ]),
]);

/** The key that types a character, which may need Shift; undefined for a character that is on no key. */
export function keyOf(character: string): Key | undefined {
  return keys.get(character);
}
