/** Highlights the searched terms on a page that was opened from a search: `?_highlight=term`. */
import { all } from '../shell/page-context.ts';

/** Clears earlier highlights, highlights the terms in the page's URL and returns them. */
export function highlightTerms(): string[] {
  for (const mark of all('mark.found')) mark.replaceWith(document.createTextNode(mark.textContent ?? ''));
  const terms = new URLSearchParams(location.search)
    .getAll('_highlight')
    .slice(0, 12)
    .filter((term) => term !== '');
  if (terms.length === 0) return terms;
  const article = document.querySelector('article');
  if (article === null) return terms;
  article.normalize();
  const pattern = new RegExp(`(${terms.map((term) => term.replace(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`, 'giu');
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (node instanceof Text) texts.push(node);
  for (const text of texts) {
    const parts = text.data.split(pattern);
    if (parts.length === 1) continue;
    text.replaceWith(
      ...parts.map((part, index) => {
        if (index % 2 === 0) return document.createTextNode(part);
        const mark = document.createElement('mark');
        mark.className = 'found';
        mark.textContent = part;
        return mark;
      }),
    );
  }
  return terms;
}

/** Removes the terms from the URL and their marks from the page, without a reload. */
export function clearHighlights(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has('_highlight')) return;
  url.searchParams.delete('_highlight');
  history.replaceState(history.state, '', url);
  highlightTerms();
}
