/**
 * Sends keyboard input. A hidden textarea has the focus: physical keys are sent as key events, and the output of an
 * input method or a phone's keyboard as text.
 */
import { liveLimits } from '../../../../../base/limits.ts';
import type { ServerMessage } from '../../../../../sessions/live/protocol/messages.ts';
import type { Clipboard } from './clipboard.ts';
import type { Send } from '../watch/connection.ts';
import { ctrl, isMac, modifiersOf } from './modifiers.ts';
import type { View } from '../watch/view.ts';

/** The keyCode of keys that an input method handles. */
const withInputMethod = 229;
/** Keys left to this browser: F6 leaves the image, the others are full screen and developer tools. */
const ownKeys = ['F6', 'F11', 'F12'];
/** Text to delete: in an empty field, phones do not report Backspace. */
const filling = ' ';

interface Key {
  key: string;
  code: string;
  /** KeyboardEvent.keyCode. */
  kc: number;
}

export type Keyboard = ReturnType<typeof createKeyboard>;

interface Parts {
  textarea: HTMLTextAreaElement;
  view: View;
  send: Send;
  clipboard: Clipboard;
  /** Called when the held Ctrl was used. */
  used: () => void;
}

const cut = (text: string) => text.slice(0, liveLimits.typedCharacters);

export function createKeyboard({ textarea, view, send, clipboard, used }: Parts) {
  const pressed = new Map<string, Key & { l: number }>();
  let isHeld = false;
  let isDropped = false;
  const isTouched = matchMedia('(pointer: coarse)').matches;

  const reset = () => {
    textarea.value = filling;
    textarea.setSelectionRange(1, 1);
  };
  const release = () => {
    isHeld = false;
    used();
  };

  const press = ({ key, code, kc }: Key) => {
    const m = isHeld ? ctrl : 0;
    if (isHeld) release();
    if (m === ctrl && shortcut(key)) return;
    for (const d of [true, false]) send({ t: 'key', d, key, code, kc, r: false, l: 0, m });
  };

  /** Copy, cut and paste use this machine's clipboard. */
  const shortcut = (key: string): boolean => {
    const letter = key.toLowerCase();
    if (letter === 'c' || letter === 'x') send({ t: 'copy', cut: letter === 'x' });
    else if (letter === 'v') void clipboard.paste();
    else return false;
    return true;
  };

  const type = (text: string) => {
    if (!isHeld || text.length !== 1) return send({ t: 'text', text: cut(text) });
    const letter = text.toUpperCase();
    press({ key: text, code: /[A-Z]/.test(letter) ? `Key${letter}` : '', kc: (letter.codePointAt(0) ?? 0) & 255 });
  };

  textarea.addEventListener('keydown', (event) => {
    if (event.isComposing || event.keyCode === withInputMethod || event.key === 'Dead') return;
    if (ownKeys.includes(event.key)) {
      if (event.key === 'F6') textarea.blur();
      return;
    }
    let m = modifiersOf(event) | (isHeld ? ctrl : 0);
    const isCharacter = event.key.length === 1;
    // AltGr, and Option on a Mac, only choose the character.
    if (isCharacter && event.getModifierState('AltGraph')) m &= ~(1 | ctrl);
    if (isCharacter && isMac) m &= ~1;
    if ((m & (ctrl | 4)) !== 0 && (m & 1) === 0) {
      // The paste event that follows has the text.
      if (event.key.toLowerCase() === 'v' && !isHeld) return;
      if ((m & 8) === 0 && shortcut(event.key)) {
        event.preventDefault();
        if (isHeld) release();
        return;
      }
    }
    event.preventDefault();
    const isCommand = isMac && event.key === 'Meta';
    const key = {
      key: isCommand ? 'Control' : event.key.slice(0, 32),
      code: (isCommand ? 'ControlLeft' : event.code).slice(0, 32),
      kc: isCommand ? 17 : event.keyCode & 255,
      l: Math.min(event.location, 3),
    };
    pressed.set(event.code, key);
    send({ t: 'key', d: true, ...key, r: event.repeat, m });
    if (isHeld && !['Control', 'Shift', 'Alt'].includes(key.key)) release();
  });

  textarea.addEventListener('keyup', (event) => {
    // While Command is held, a Mac does not report other keys being released.
    const codes = isMac && event.key === 'Meta' ? [...pressed.keys()] : [event.code];
    for (const code of codes) {
      const key = pressed.get(code);
      pressed.delete(code);
      if (key !== undefined) send({ t: 'key', d: false, ...key, r: false, m: modifiersOf(event) });
    }
  });

  textarea.addEventListener('compositionupdate', ({ data }) => {
    if (!isHeld || data.length !== 1) return send({ t: 'compose', text: cut(data) });
    isDropped = true;
    type(data);
    textarea.blur();
    textarea.focus({ preventScroll: true });
  });
  textarea.addEventListener('compositionend', ({ data }) => {
    if (isDropped || data === '') send({ t: 'compose', text: '' });
    else send({ t: 'text', text: cut(data) });
    isDropped = false;
    reset();
  });
  textarea.addEventListener('input', (event) => {
    if (!(event instanceof InputEvent) || event.isComposing) return;
    const { inputType, data } = event;
    if (inputType.startsWith('deleteContentBackward') || inputType === 'deleteWordBackward') {
      press({ key: 'Backspace', code: 'Backspace', kc: 8 });
    } else if (inputType === 'insertLineBreak') {
      press({ key: 'Enter', code: 'Enter', kc: 13 });
    } else if (data !== null && !/Composition/.test(inputType)) {
      // compositionend has already sent the text of a composition.
      type(data);
    }
    reset();
  });
  textarea.addEventListener('paste', (event) => {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text !== '') send({ t: 'paste', text: text.slice(0, liveLimits.pasteCharacters) });
  });
  const blur = () => {
    pressed.clear();
    send({ t: 'blur' });
  };
  addEventListener('blur', blur);
  document.addEventListener('visibilitychange', () => document.hidden && blur());

  const focus = () => textarea.focus({ preventScroll: true });
  reset();
  textarea.inputMode = 'none';

  return {
    focus,
    /** Opens a phone's keyboard, even when no field of the watched page has the focus. */
    open() {
      if (textarea.inputMode === 'none') textarea.inputMode = 'text';
      // Phones read the mode when the field gets the focus.
      textarea.blur();
      focus();
    },
    field({ editable, rect, mode, hint }: Extract<ServerMessage, { t: 'focus' }>) {
      view.place(textarea, editable ? rect : [0, 0, 1, 1]);
      const next = editable ? mode || 'text' : 'none';
      const isNew = next !== textarea.inputMode;
      textarea.inputMode = next;
      textarea.enterKeyHint = hint;
      if (isNew && editable && isTouched && document.activeElement === textarea) {
        textarea.blur();
        focus();
      }
    },
    press,
    /** Holds Ctrl for the next key. */
    hold(on: boolean) {
      isHeld = on;
    },
  };
}
