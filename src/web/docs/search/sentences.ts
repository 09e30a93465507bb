/** Extracts the first sentences from text. */

/**
 * Returns up to the given number of sentences from the start of the text. A sentence ends with a period, question mark
 * or exclamation mark.
 */
export function firstSentences(text: string, max: number): string {
  return text
    .split(/(?<=[.!?])\s+/)
    .slice(0, max)
    .join(' ');
}
