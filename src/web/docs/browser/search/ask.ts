/** Starts the Ask buttons, which fetch the dialog on the first click. */
import { all, base, lazy } from '../shell/page-context.ts';

/** URL of the page that the server fills with the results for a query. */
export const resultsUrl = (query: string): string => `${base}/search?q=${encodeURIComponent(query)}`;

/** Opens the Ask dialog, or the search page if the dialog cannot be fetched. */
export function ask(opener: HTMLElement, question = ''): void {
  lazy('ask-dialog').then(
    ({ openAsk }: typeof import('./ask-dialog.tsx')) => openAsk(opener, question),
    () => location.assign(question === '' ? `${base}/search` : resultsUrl(question)),
  );
}

export function startAsk(): void {
  for (const button of all('[data-ask]')) button.addEventListener('click', () => ask(button));
}
