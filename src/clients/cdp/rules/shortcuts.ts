/**
 * Keeps the shortcuts of a browser's window from clients. In a full browser a pressed key goes to the page first and
 * then to the window, where Ctrl+J opens chrome://downloads, Ctrl+U the source of the page and Ctrl+O a file of the
 * server. The window looks at the key code alone: without one it does nothing, and the page still gets `key`, `code` and
 * the modifiers; only its legacy `keyCode` is 0.
 */
import type { Params, RuleContext, Verdict } from './verdict.ts';

/** Bits of the parameter `modifiers`. */
const alt = 1;
const ctrl = 2;
const meta = 4;
const shift = 8;

/** Windows key codes, as https://www.w3.org/TR/uievents/#legacy-key-models names them. */
const key = {
  backspace: 8,
  enter: 13,
  escape: 27,
  space: 32,
  end: 35,
  home: 36,
  insert: 45,
  delete: 46,
  f5: 116,
  plus: 187,
  minus: 189,
} as const;
const arrows = [37, 38, 39, 40];
/** Shift, Ctrl, Alt, Caps Lock and Meta themselves, left and right. */
const modifierKeys = [16, 17, 18, 20, 91, 92, 160, 161, 162, 163, 164, 165];
const moving = [...modifierKeys, ...arrows, key.home, key.end, key.backspace, key.enter, key.space];
/** 0, + and - of both parts of the keyboard. */
const zooming = [48, 96, key.plus, key.minus, 107, 109];
const letters = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));

/**
 * With Ctrl, Alt or Meta only these keep their codes: they edit text, reload, go back or zoom. All others lose them,
 * those without a shortcut too, so that a newer browser adds no way around.
 */
const keptWithModifiers: ReadonlyMap<number, ReadonlySet<number>> = new Map<number, ReadonlySet<number>>([
  [ctrl, new Set([...moving, ...zooming, ...letters('ABCIRVXYZ'), key.insert, key.delete, key.f5])],
  [ctrl | shift, new Set([...moving, ...zooming, ...letters('RVZ')])],
  [alt, new Set([...modifierKeys, ...arrows, key.backspace])],
  [meta, new Set([...moving, ...zooming, ...letters('ABCIRVXYZ')])],
  [meta | shift, new Set([...moving, ...letters('RVZ')])],
]);
const keptWithOtherModifiers: ReadonlySet<number> = new Set([...modifierKeys, ...arrows]);

/** F1, F3, F6, F7, F10, F11 and F12 open help, find, panes, caret browsing, the menu, the full screen and DevTools. */
const functionKeys: ReadonlySet<number> = new Set([112, 114, 117, 118, 121, 122, 123]);

/** Whether a pressed key does nothing in the window, or nothing but what a page may do too. */
function isHarmless(code: number, modifiers: number): boolean {
  if (code < 0 || code > 255 || !Number.isInteger(code)) return false;
  if ((modifiers & (alt | ctrl | meta)) !== 0) {
    return (keptWithModifiers.get(modifiers) ?? keptWithOtherModifiers).has(code);
  }
  // The task manager.
  if (code === key.escape && modifiers === shift) return false;
  // Between letters and signs lie the keys of browsers, media and programs; above the input methods, New and Close.
  const isSpecial = (code >= 166 && code <= 183) || code > 231;
  return !isSpecial && !functionKeys.has(code);
}

/** Takes the key codes from Input.dispatchKeyEvent where they would reach a shortcut of the window. */
export function keyEvent(params: Params, { full }: RuleContext): Verdict {
  if (!full) return { pass: params };
  const { windowsVirtualKeyCode: code = 0, nativeVirtualKeyCode: nativeCode, modifiers = 0, type } = params;
  // These insert text; their code is that of a character, not of a key.
  if (type === 'char') return { pass: params };
  if (typeof code === 'number' && typeof modifiers === 'number' && isHarmless(code, modifiers & 15)) {
    // Some systems name the key by its native code alone.
    if (code !== 0 || nativeCode === undefined) return { pass: params };
  }
  return { pass: { ...params, windowsVirtualKeyCode: 0, nativeVirtualKeyCode: 0 } };
}
