/** Cuts the passage around the first match out of a text, as marked and unmarked parts of plain text. */
import { fold } from './terms.ts';

export interface SnippetPart {
  text: string;
  marked: boolean;
}

/** Splits a text into matched and unmatched parts; terms match at the beginning of words. */
export function markTerms(text: string, terms: readonly string[]): SnippetPart[] {
  const wanted = [...new Set(terms.map(fold))]
    .filter((term) => term.length > 1)
    .toSorted((a, b) => b.length - a.length);
  if (wanted.length === 0) return [{ text, marked: false }];
  const escaped = wanted.map((term) => term.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
  return text
    .split(new RegExp(`(${escaped.join('|')})`, 'iu'))
    .map((part, index) => ({ text: part, marked: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}

/**
 * Adds words on both sides of the first match until the length is reached, with an ellipsis at each cut.
 * @param length in characters
 */
export function snippet(text: string, terms: readonly string[], length: number): SnippetPart[] {
  const words = text.split(' ').filter((word) => word !== '');
  const matches = (word: string) => markTerms(word, terms).some(({ marked }) => marked);
  const at = Math.max(0, words.findIndex(matches));
  let [from, to] = [at, at + 1];
  let size = words[at]?.length ?? 0;
  let left = true;
  while (size < length && (from > 0 || to < words.length)) {
    if ((left && from > 0) || to >= words.length) size += (words[--from]?.length ?? 0) + 1;
    else size += (words[to++]?.length ?? 0) + 1;
    left = !left;
  }
  const cut = words.slice(from, to).join(' ');
  return [
    ...(from > 0 ? [{ text: '…', marked: false }] : []),
    ...markTerms(cut, terms),
    ...(to < words.length ? [{ text: '…', marked: false }] : []),
  ];
}

/** The URL of a hit, with the terms that its page highlights. */
export function addressOf(url: string, terms: readonly string[]): string {
  const [path = '', hash] = url.split('#');
  const query = [...new Set(terms)].slice(0, 6).map((term) => `_highlight=${encodeURIComponent(term)}`);
  return `${path}${query.length === 0 ? '' : `?${query.join('&')}`}${hash === undefined ? '' : `#${hash}`}`;
}
