/** Reports whether the person has done the requested task or cannot do it. */
import { liveLimits } from '../../../../../base/limits.ts';
import type { Send } from '../watch/connection.ts';
import { button, part } from '../../dom/parts.ts';

export function createAsk(send: Send) {
  const dialog = part('cannot', HTMLDialogElement);
  const note = part('cannot-note', HTMLTextAreaElement);
  const buttons = [button('done'), button('say-cannot')];
  const answer = (failed: boolean) => {
    for (const each of buttons) each.disabled = true;
    send({ t: 'done', failed, note: failed ? note.value.slice(0, liveLimits.noteCharacters) : '' });
    dialog.close();
  };
  note.maxLength = liveLimits.noteCharacters;
  button('done').addEventListener('click', () => answer(false));
  button('say-cannot').addEventListener('click', () => dialog.showModal());
  button('cannot-cancel').addEventListener('click', () => dialog.close());
  part('cannot-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    answer(true);
  });
  return {
    /** Enables the buttons again after a lost connection, because the answer may not have arrived. */
    again() {
      for (const each of buttons) each.disabled = false;
    },
    close: () => dialog.close(),
  };
}
