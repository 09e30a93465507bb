/** Copies text from this machine's clipboard into the watched page, and vice versa. */
import { liveLimits } from '../../../../../base/limits.ts';
import type { Send } from '../watch/connection.ts';
import { isMac } from './modifiers.ts';
import { type Note, showNote } from './notes.ts';

export type Clipboard = ReturnType<typeof createClipboard>;

/** The legacy API also works on pages without TLS, but only inside a click handler. */
function copyInClick(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

/** @param focus moves the keyboard focus to the watched page */
export function createClipboard(send: Send, focus: () => void) {
  // Undefined on pages without TLS, despite its type.
  const system: typeof navigator.clipboard | undefined = navigator.clipboard;
  let note: Note | undefined;

  return {
    async paste() {
      const text = await system?.readText().catch(() => undefined);
      if (text === undefined) {
        const keys = isMac ? '⌘V' : 'Ctrl+V';
        note?.close();
        note = showNote(
          'Paste with the keyboard',
          `Your browser does not let this page read the clipboard. Press ${keys}.`,
        );
      } else if (text !== '') send({ t: 'paste', text: text.slice(0, liveLimits.pasteCharacters) });
      focus();
    },
    /** Called with text that the watched page has copied. */
    async copied(text: string) {
      note?.close();
      const isWritten = await system?.writeText(text).then(
        () => true,
        () => false,
      );
      if (isWritten === true) return;
      const start = text.length > 80 ? `${text.slice(0, 80)}…` : text;
      const act = () => void copyInClick(text);
      note = showNote('The page copied text', start, [{ label: 'Copy', isPrimary: true, act }]);
    },
  };
}
