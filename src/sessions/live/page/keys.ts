/**
 * Converts a viewer's key into a key event for the page. Full browsers have their own shortcuts, and a person with a
 * link must not use them to open the browser's settings, the source of a page or a new window: with Ctrl or Meta, only
 * keys that edit or move within a page are forwarded.
 */
import type { CommandParams } from '../../../browser/cdp/connection.ts';
import type { ViewerMessageOf } from '../protocol/messages.ts';

export type KeyEvent = CommandParams<'Input.dispatchKeyEvent'>;

/** Effect of a key: an event for the page, a step in its history, or nothing. */
export type KeyEffect = { event: KeyEvent } | { go: 'back' | 'forward' } | undefined;

const alt = 1;
const ctrl = 2;
const meta = 4;
const shift = 8;

/** Keys that are forwarded with Ctrl or Meta in a browser that has its own shortcuts. */
const editing = new Set('acvxzybik'.split(''));
const moving = new Set([
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
  'Backspace',
  'Delete',
  'Enter',
  // The modifiers themselves.
  'Control',
  'Shift',
  'Alt',
  'Meta',
]);

/** Chromium's editing commands (Input.dispatchKeyEvent, `commands`), because no keyboard layout maps keys to them. */
const commands: Readonly<Record<string, string>> = { a: 'selectAll', z: 'undo', y: 'redo' };

/** @param full whether the browser has its own shortcuts: true for all except the headless shell */
export function keyEffect(message: ViewerMessageOf<'key'>, full: boolean): KeyEffect {
  const { d, key, code, kc, r, l, m } = withCtrlForMeta(message);
  const combined = (m & (ctrl | meta)) !== 0;
  if ((m & alt) !== 0 && !combined && (key === 'ArrowLeft' || key === 'ArrowRight')) {
    return d ? { go: key === 'ArrowLeft' ? 'back' : 'forward' } : undefined;
  }
  if (full && !passesFull(key, m)) return undefined;
  const text = combined ? undefined : textOf(key);
  const command = d && combined ? commandOf(key, m) : undefined;
  return {
    event: {
      type: d ? (text === undefined ? 'rawKeyDown' : 'keyDown') : 'keyUp',
      modifiers: m,
      key,
      code,
      windowsVirtualKeyCode: kc,
      autoRepeat: r,
      location: l,
      isKeypad: l === 3,
      ...(d && text !== undefined ? { text, unmodifiedText: text } : {}),
      commands: command === undefined ? undefined : [command],
    },
  };
}

/** The browser runs on Linux, where Ctrl does what the command key does on a Mac. */
function withCtrlForMeta(message: ViewerMessageOf<'key'>): ViewerMessageOf<'key'> {
  const { m, key } = message;
  if ((m & meta) === 0 || key === 'Meta') return message;
  return { ...message, m: (m & ~meta) | ctrl };
}

function passesFull(key: string, m: number): boolean {
  if (/^F\d+$/.test(key)) return false;
  const letter = key.toLowerCase();
  // Alt and a letter open menus. Characters typed with Option on a Mac are not ASCII letters.
  if ((m & (ctrl | meta)) === 0) return (m & alt) === 0 || !/^[a-z\d]$/.test(letter);
  return moving.has(key) || ((m & shift) === 0 ? editing.has(letter) : letter === 'z');
}

/** The text that a key types; undefined for keys that type nothing. */
function textOf(key: string): string | undefined {
  if (key === 'Enter') return '\r';
  return [...key].length === 1 ? key : undefined;
}

function commandOf(key: string, m: number): string | undefined {
  const letter = key.toLowerCase();
  return letter === 'z' && (m & shift) !== 0 ? 'redo' : commands[letter];
}
