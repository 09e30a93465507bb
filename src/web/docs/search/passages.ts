/** Finds the passages of the documentation that answer a question, for the Ask dialog and for a model that it asks. */
import { type Index, search } from './engine.ts';
import { markTerms } from './snippet.ts';

/** A piece of a page that says something about a question. */
export interface Passage {
  /** Path with its hash. */
  url: string;
  title: string;
  /** Empty for the beginning of a page. */
  heading: string;
  text: string;
  /** Index terms that matched, to mark them in the text. */
  terms: string[];
}

/**
 * The best passage of each page, that of the best page first.
 * @param most how many pages
 * @param length of a passage in characters, about
 */
export function passagesFor(index: Index, question: string, most: number, length: number): Passage[] {
  const { hits } = search(index, question, 2 * most);
  const byPage = Map.groupBy(hits, ({ title, url }) => `${title} ${url.split('#')[0]}`);
  return [...byPage.values()].slice(0, most).map((rows) => {
    // What the beginning of a page says is its answer, unless a section says more of what was asked.
    const [first, section] = rows;
    const hit = section !== undefined && section.covers > (first?.covers ?? 0) ? section : first;
    const { url = '', title = '', heading = '', content = '', terms = [] } = hit ?? {};
    return { url, title, heading, text: sentencesOf(content, terms, length), terms };
  });
}

/** The run of whole sentences that has most of the terms, up to a length; at least one sentence. */
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
