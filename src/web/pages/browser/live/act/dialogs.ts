/** Shows the dialogs of the watched page, which block it until someone answers. */
import { liveLimits } from '../../../../../base/limits.ts';
import type { ServerMessage } from '../../../../../sessions/live/protocol/messages.ts';
import type { Send } from '../watch/connection.ts';
import { button, part, setText } from '../../dom/parts.ts';

type DialogMessage = Extract<ServerMessage, { t: 'dialog' }>;

export function createDialogs(send: Send) {
  const dialog = part('dialog', HTMLDialogElement);
  const form = part('dialog-form', HTMLFormElement);
  const field = part('dialog-text', HTMLInputElement);
  const cancel = button('dialog-cancel');
  let shown: number | undefined;
  let kind: DialogMessage['kind'] = 'alert';

  const close = () => {
    shown = undefined;
    dialog.close();
  };
  const answer = (accept: boolean) => {
    if (shown === undefined) return;
    send({ t: 'answer', id: shown, accept, text: field.value.slice(0, liveLimits.typedCharacters) });
    close();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    answer(true);
  });
  cancel.addEventListener('click', () => answer(false));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    // Escape accepts an alert, which has only one answer.
    answer(kind === 'alert');
  });

  return {
    /** @param host host of the page that opened the dialog; empty if unknown */
    show({ id, kind: newKind, message, value }: DialogMessage, host: string) {
      close();
      kind = newKind;
      const isLeaving = kind === 'beforeunload';
      const title = isLeaving ? 'Leave this page?' : `${host || 'The page'} says`;
      const text = message || (isLeaving ? 'Your changes may be lost.' : '');
      shown = id;
      setText(part('dialog-title', HTMLElement), title);
      setText(part('dialog-message', HTMLElement), text);
      field.hidden = kind !== 'prompt';
      field.value = value;
      cancel.hidden = kind === 'alert';
      setText(cancel, isLeaving ? 'Stay' : 'Cancel');
      setText(button('dialog-ok'), isLeaving ? 'Leave' : 'OK');
      dialog.showModal();
      if (kind === 'prompt') field.select();
      else button('dialog-ok').focus();
    },
    /** Closes the dialog, because someone has answered; without an id, closes any open dialog. */
    close(id?: number) {
      if (id === undefined || shown === id) close();
    },
  };
}
