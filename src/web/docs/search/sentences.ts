/** Finds the first sentences of a text. */

/** The first sentences of a text, at most `most`. A sentence ends with a point, a question or an exclamation mark. */
export function firstSentences(text: string, most: number): string {
  return text
    .split(/(?<=[.!?])\s+/)
    .slice(0, most)
    .join(' ');
}
