/** Brings texts from the clipboard of this machine into the watched page, and the other way. */
import { liveLimits } from '../../../limits.ts';
import type { Send } from './connection.ts';
import { isMac } from './modifiers.ts';
import { type Note, showNote } from './notes.ts';

export interface Clipboard {
  paste(): Promise<void>;
  /** The watched page has copied this. */
  copied(text: string): Promise<void>;
}

/** The old way works on pages without TLS as well, but only inside of a click. */
function copyInClick(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

/** @param focus gives the keyboard to the watched page */
export function createClipboard(send: Send, focus: () => void): Clipboard {
  // Undefined on pages without TLS, whatever its type says.
  const system: typeof navigator.clipboard | undefined = navigator.clipboard;
  let note: Note | undefined;

  return {
    async paste() {
      try {
        const text = await system?.readText();
        if (text === undefined) throw new Error('This page may not read the clipboard');
        if (text !== '') send({ t: 'paste', text: text.slice(0, liveLimits.pasteCharacters) });
      } catch {
        const keys = isMac ? '⌘V' : 'Ctrl+V';
        note?.close();
        note = showNote('Paste with the keyboard', `This browser lets the page read no clipboard: press ${keys}.`);
      }
      focus();
    },
    async copied(text) {
      note?.close();
      try {
        if (system === undefined) throw new Error('This page may not write to the clipboard');
        await system.writeText(text);
      } catch {
        const start = text.length > 80 ? `${text.slice(0, 80)}…` : text;
        const act = () => void copyInClick(text);
        note = showNote('The page has copied a text', start, [{ label: 'Copy', isMain: true, act }]);
      }
    },
  };
}
