/** Shows small cards over the image with a request or an offer. */
import { cloneTemplate, part, setText, within } from '../../dom/parts.ts';

const maxCards = 3;

interface Action {
  label: string;
  isPrimary?: boolean;
  /** The card closes unless this returns true. */
  act: () => boolean | void;
}

export type Note = ReturnType<typeof showNote>;

export function showNote(title: string, text: string, actions: readonly Action[] = []) {
  const list = part('notes', HTMLElement);
  const card = cloneTemplate('note');
  const line = within(card, 'p', HTMLElement);
  setText(within(card, 'b', HTMLElement), title);
  setText(line, text);
  const close = () => card.remove();
  within(card, '.icon', HTMLButtonElement).addEventListener('click', close);
  for (const { label, isPrimary, act } of actions) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = isPrimary === true ? 'small primary' : 'small';
    button.textContent = label;
    button.addEventListener('click', () => {
      if (act() !== true) close();
    });
    within(card, '.acts', HTMLElement).append(button);
  }
  list.append(card);
  while (list.childElementCount > maxCards) list.firstElementChild?.remove();
  return { say: (words: string) => setText(line, words), close };
}
