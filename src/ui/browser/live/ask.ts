/** Shows what the person is asked to do, and sends that it is done or cannot be. */
import { liveLimits } from '../../../limits.ts';
import type { Send } from './connection.ts';
import { button, part, setText } from './parts.ts';

export interface Ask {
  /** @param instructions empty when nothing is asked */
  show(instructions: string): void;
}

export function createAsk(send: Send): Ask {
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
    show(instructions) {
      // After a cut connection the answer may not have arrived.
      for (const each of buttons) each.disabled = false;
      dialog.close();
      setText(part('instructions', HTMLElement), instructions);
      part('ask', HTMLElement).hidden = instructions === '';
    },
  };
}
