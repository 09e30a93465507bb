/** Extracts the first sentences from text. */

/** Returns the first `most` sentences of the text. A sentence ends with a period, question mark or exclamation mark. */
export function firstSentences(text: string, most: number): string {
  return text
    .split(/(?<=[.!?])\s+/)
    .slice(0, most)
    .join(' ');
}
