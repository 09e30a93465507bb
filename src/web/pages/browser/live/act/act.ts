/** Handles the person's actions in the watched browser. Only interactive views load this module. */
import type { ServerMessage } from '../../../../../sessions/live/protocol/messages.ts';
import { createAsk } from './ask.ts';
import { createClipboard } from './clipboard.ts';
import type { Send } from '../watch/connection.ts';
import { createDialogs } from './dialogs.ts';
import { createFiles } from './files.ts';
import { createKeyboard, type Keyboard } from './keyboard.ts';
import { button, part } from '../../dom/parts.ts';
import { createPickers } from './pickers.ts';
import { listenToPointer } from './pointer.ts';
import { listenToTouch } from './touch.ts';
import type { View } from '../watch/view.ts';

export type Acting = ReturnType<typeof startActing>;

interface Parts {
  canvas: HTMLCanvasElement;
  view: View;
  send: Send;
  /** URL prefix of uploads and downloads. */
  address: string;
}

export function startActing({ canvas, view, send, address }: Parts) {
  const textarea = part('keys', HTMLTextAreaElement);
  const focus = () => textarea.focus({ preventScroll: true });
  const clipboard = createClipboard(send, focus);
  const keyboard = createKeyboard({ textarea, view, send, clipboard, used: () => hold(false) });
  const pickers = createPickers(view, send, focus);
  const dialogs = createDialogs(send);
  const files = createFiles(address);
  const ask = createAsk(send);
  const hold = listenToKeyRow(keyboard);

  listenToPointer(canvas, view, send, focus);
  listenToTouch(canvas, view, send, focus);
  canvas.tabIndex = 0;
  canvas.addEventListener('focus', focus);
  button('paste').addEventListener('click', () => void clipboard.paste());

  return {
    /** @param host host of the watched page; empty if unknown */
    take(message: ServerMessage, host: string) {
      switch (message.t) {
        case 'hello':
          return ask.again();
        case 'cursor':
          canvas.style.cursor = message.cursor;
          return;
        case 'focus':
          return keyboard.field(message);
        case 'select':
          return pickers.select(message);
        case 'picker':
          return pickers.picker(message);
        case 'dialog':
          return dialogs.show(message, host);
        case 'dialogGone':
          return dialogs.close(message.id);
        case 'files':
          return files.ask(message);
        case 'download':
          return files.download(message);
        case 'copied':
          return void clipboard.copied(message.text);
        case 'end':
          textarea.disabled = true;
          canvas.removeAttribute('tabindex');
          return ask.close();
      }
    },
    /** Closes everything that waits for an answer, because the connection is lost or the view has ended. */
    close() {
      pickers.close();
      dialogs.close();
    },
  };
}

/** @returns a function that shows whether Ctrl is held */
function listenToKeyRow(keyboard: Keyboard): (on: boolean) => void {
  const ctrlKey = button('hold-ctrl');
  const hold = (on: boolean) => ctrlKey.setAttribute('aria-pressed', String(on));
  const row = part('key-row', HTMLElement);
  // A phone's keyboard closes when its field loses the focus.
  row.addEventListener('pointerdown', (event) => event.preventDefault());
  row.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    const { key, code } = target.dataset;
    if (key !== undefined) keyboard.press({ key, code: key, kc: Number(code) });
    else {
      const on = ctrlKey.getAttribute('aria-pressed') !== 'true';
      hold(on);
      keyboard.hold(on);
    }
    keyboard.focus();
  });
  const opener = button('open-keyboard');
  opener.addEventListener('click', () => {
    opener.setAttribute('aria-pressed', String(document.body.classList.toggle('with-keys')));
    keyboard.open();
  });
  return hold;
}
