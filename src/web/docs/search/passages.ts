/** Finds the documentation passages that answer a question, for the Ask dialog and for the language model. */
import { type Index, search } from './engine.ts';
import { markTerms } from './snippet.ts';

/** A part of a page that is relevant to a question. */
export interface Passage {
  /** Path with its hash. */
  url: string;
  title: string;
  /** Empty for the beginning of a page. */
  heading: string;
  text: string;
  /** Index terms that matched, to highlight them in the text. */
  terms: string[];
}

/**
 * Returns the best passage of each page, best page first.
 * @param maxPages maximum number of pages
 * @param length approximate length of a passage in characters
 */
export function passagesFor(index: Index, question: string, maxPages: number, length: number): Passage[] {
  const { hits } = search(index, question, 2 * maxPages);
  const byPage = Map.groupBy(hits, ({ title, url }) => `${title} ${url.split('#')[0]}`);
  return [...byPage.values()].slice(0, maxPages).map((rows) => {
    // The beginning of a page is its answer, unless a section covers more of the question.
    const [first, section] = rows;
    const hit = section !== undefined && section.covers > (first?.covers ?? 0) ? section : first;
    const { url = '', title = '', heading = '', content = '', terms = [] } = hit ?? {};
    return { url, title, heading, text: sentencesOf(content, terms, length), terms };
  });
}

/** Returns the run of whole sentences with the most matching terms, up to a length; at least one sentence. */
function sentencesOf(text: string, terms: readonly string[], length: number): string {
  const sentences = text.split(/(?<=[.!?:])\s+(?=[\p{Lu}\p{N}“"(/-])/u);
  const marks = sentences.map(
    (sentence) =>
      new Set(
        markTerms(sentence, terms)
          .filter(({ marked }) => marked)
          .map((part) => part.text.toLowerCase()),
      ).size,
  );
  let best = { from: 0, to: 1, marks: -1 };
  for (let from = 0; from < sentences.length; from++) {
    let [to, size, found] = [from, 0, 0];
    while (to < sentences.length && (to === from || size + (sentences[to]?.length ?? 0) <= length)) {
      size += (sentences[to]?.length ?? 0) + 1;
      found += marks[to] ?? 0;
      to++;
    }
    if (found > best.marks) best = { from, to, marks: found };
  }
  const passage = sentences.slice(best.from, best.to).join(' ');
  return passage.length <= 2 * length ? passage : `${passage.slice(0, 2 * length).replace(/\s\S*$/, '')} …`;
}
