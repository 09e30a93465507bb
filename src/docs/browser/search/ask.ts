/** The Ask buttons: each fetches the dialog on its first click. */
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
