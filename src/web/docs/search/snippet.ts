/** Cuts the passage around the first match out of text, as highlighted and other parts of plain text. */
import type { Hit } from './engine.ts';
import { camelCase, fold, termOf } from './terms.ts';

export interface SnippetPart {
  text: string;
  marked: boolean;
}

type Marker = (text: string) => SnippetPart[];

/** Splits text into matched and unmatched parts. Whole words match, and words within an identifier. */
export function markTerms(text: string, terms: readonly string[]): SnippetPart[] {
  return markerOf(terms)(text);
}

function markerOf(terms: readonly string[]): Marker {
  if (terms.length === 0) return (text) => (text === '' ? [] : [{ text, marked: false }]);
  const wanted = new Set(terms);
  // A stem starts with the same letters as its word, so words with other first letters need not be stemmed.
  const beginnings = new Set(terms.map((term) => term.slice(0, 2)));
  const isWanted = (word: string): boolean => {
    const folded = fold(word);
    return beginnings.has(folded.slice(0, 2)) && (wanted.has(folded) || wanted.has(termOf(word)));
  };
  const inner = (piece: string): string[] => (isWanted(piece) ? [piece] : piece.split(camelCase));
  return (text) => {
    const parts: SnippetPart[] = [];
    const add = (part: string, marked: boolean) => {
      const last = parts.at(-1);
      if (part === '') return;
      if (last?.marked === marked) last.text += part;
      else parts.push({ text: part, marked });
    };
    for (const [at, word] of text.split(/([\p{L}\p{N}_#@$./:-]+)/u).entries()) {
      if (at % 2 === 0) add(word, false);
      else if (isWanted(word)) add(word, true);
      else {
        // bounded: a word in the documentation
        const [, before = '', core = '', after = ''] = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su.exec(word) ?? [];
        add(before, false);
        if (isWanted(core)) add(core, true);
        else for (const piece of core.split(/([^\p{L}\p{N}]+)/u).flatMap(inner)) add(piece, isWanted(piece));
        add(after, false);
      }
    }
    return parts;
  };
}

/**
 * Adds words on both sides of the first match until the length is reached, with an ellipsis at each cut.
 * @param length length in characters
 */
export function snippet(text: string, terms: readonly string[], length: number): SnippetPart[] {
  const mark = markerOf(terms);
  const words = text.split(' ').filter((word) => word !== '');
  const matches = (word: string) => mark(word).some(({ marked }) => marked);
  const at = terms.length === 0 ? 0 : Math.max(0, words.findIndex(matches));
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
    ...mark(cut),
    ...(to < words.length ? [{ text: '…', marked: false }] : []),
  ];
}

/** Returns the heading of a hit: its section, or its page. */
export const headingOf = ({ heading, title, terms }: Hit): SnippetPart[] =>
  markTerms(heading === '' ? title : heading, terms);

/** Returns the labels of the guide and the groups above a hit, and of its page. */
export const trailOf = ({ trail, title }: Hit): string => [trail, title].filter((part) => part !== '').join(' › ');

export const describeCount = (hits: readonly Hit[]): string =>
  hits.length === 0 ? 'No results' : hits.length === 1 ? '1 document found' : `${hits.length} documents found`;

/** Returns the URL of a hit, with the words that its page highlights. */
export function addressOf(url: string, words: readonly string[]): string {
  const [path = '', hash] = url.split('#');
  const query = [...new Set(words)].slice(0, 6).map((word) => `_highlight=${encodeURIComponent(word)}`);
  return `${path}${query.length === 0 ? '' : `?${query.join('&')}`}${hash === undefined ? '' : `#${hash}`}`;
}
