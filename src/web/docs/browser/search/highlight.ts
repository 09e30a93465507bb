/** Highlights the search terms on a page that was opened from a search: `?_highlight=word`. */
import { all, lazy } from '../shell/page-context.ts';

/** Clears earlier highlights and highlights the words in the page's URL, which the search field then displays. */
export function highlightWords(): void {
  for (const mark of all('mark.found')) {
    const { parentNode } = mark;
    mark.replaceWith(document.createTextNode(mark.textContent ?? ''));
    parentNode?.normalize();
  }
  const words = new URLSearchParams(location.search)
    .getAll('_highlight')
    .slice(0, 12)
    .filter((word) => word !== '');
  if (words.length === 0) return;
  const field = document.querySelector<HTMLInputElement>('#docs-search');
  if (field !== null && field.value === '') field.value = words.join(' ');
  lazy('mark-words').then(
    ({ markWords }: typeof import('./mark-words.ts')) => markWords(words),
    // The page is still usable without highlights.
    () => undefined,
  );
}

/** Removes the words from the URL and their highlights from the page, without a reload. */
export function clearHighlights(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has('_highlight')) return;
  url.searchParams.delete('_highlight');
  history.replaceState(history.state, '', url);
  highlightWords();
}
