/** Starts the Ask buttons, which fetch the dialog on the first click. */
import { all, base, lazy } from '../shell/page-context.ts';

export function startAsk(): void {
  for (const button of all<HTMLButtonElement>('[data-ask]')) {
    button.addEventListener('click', () => {
      lazy('ask-dialog').then(
        ({ openAsk }: typeof import('./ask-dialog.tsx')) => openAsk(button),
        () => location.assign(`${base}/search`),
      );
    });
  }
}
