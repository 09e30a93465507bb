/** Extracts the first sentences of a text. */

/** Returns the first `most` sentences of a text. A sentence ends with a period, question mark or exclamation mark. */
export function firstSentences(text: string, most: number): string {
  return text
    .split(/(?<=[.!?])\s+/)
    .slice(0, most)
    .join(' ');
}
