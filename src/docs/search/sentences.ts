/** Finds the first sentences of a text. */

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The first sentences of a text, at most `most`; of a text without an end all of it. */
export function firstSentences(text: string, most: number): string {
  return [...segmenter.segment(text)]
    .slice(0, most)
    .map(({ segment }) => segment)
    .join('')
    .trim();
}
