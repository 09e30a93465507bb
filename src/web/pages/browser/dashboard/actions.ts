/** Sends actions to the server, asks for confirmation of irreversible ones, and shows errors. */
import { button, part, setText } from '../dom/parts.ts';

export interface Confirmation {
  title: string;
  text: string;
  yes: string;
}

const dialog = part('question', HTMLDialogElement);
/** Answers the open question. */
let decide = (_isYes: boolean) => {};
dialog.addEventListener('submit', ({ submitter }) => decide(submitter === button('question-yes')));
// The event fires after the dialog has closed: the next question may be open by then.
dialog.addEventListener('close', () => dialog.open || decide(false));

/** Asks in a dialog. @returns whether the answer was yes */
export function ask({ title, text, yes }: Confirmation): Promise<boolean> {
  decide(false);
  setText(part('question-title', HTMLElement), title);
  setText(part('question-text', HTMLElement), text);
  setText(button('question-yes'), yes);
  dialog.showModal();
  return new Promise((resolve) => (decide = resolve));
}

/** Sends a POST, and shows the server's error message above the metrics. */
export async function post(address: string): Promise<void> {
  const problem = await fetch(address, { method: 'POST', headers: { Accept: 'text/plain' } }).then(
    async (answer) => (answer.ok ? '' : (await answer.text()).trim()),
    () => 'The server is not responding. Try again.',
  );
  const line = part('failure', HTMLElement);
  setText(line, problem);
  line.hidden = problem === '';
}
