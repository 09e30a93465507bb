/** Highlights words in the prose of the page; fetched only when a page is opened from a search. */
import { markTerms } from '../../search/snippet.ts';
import { fold, readQuery } from '../../search/terms.ts';
import { marked } from './suggestion.ts';

/** Elements where a highlight would be in the way, or would be copied along with a sample. */
const notProse = 'pre, button, script, style, .hash, .hidden, mark';

/** Highlights words and their other forms; for a word that is not on the page, the words that start with it. */
export function markWords(words: readonly string[]): void {
  const article = document.querySelector('article');
  if (article === null) return;
  const texts: Text[] = [];
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (node instanceof Text && node.parentElement?.closest(notProse) === null) texts.push(node);
  const terms = readQuery(words.join(' ')).flatMap(({ word, choices }) => {
    const typed = choices.filter(({ weight }) => weight === 1).map(({ term }) => term);
    const isThere = texts.some(({ data }) => markTerms(data, typed).some((part) => part.marked));
    return isThere ? typed : beginningWith(fold(word), texts);
  });
  for (const text of texts) {
    const parts = markTerms(text.data, terms);
    if (!parts.some((part) => part.marked)) continue;
    text.replaceWith(...marked(parts, { className: 'found' }));
  }
}

function beginningWith(start: string, texts: readonly Text[]): string[] {
  const words = texts.flatMap(({ data }) => data.match(/[\p{L}\p{N}]+/gu) ?? []).map(fold);
  return [...new Set(words.filter((word) => word.startsWith(start)))].flatMap((word) =>
    readQuery(word).flatMap(({ choices }) => choices[0]?.term ?? []),
  );
}
