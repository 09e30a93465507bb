/**
 * Words the reasons of close frames. Playwright shows such a reason as its error, and code that retries looks for "has
 * been closed" in it (compatibility.mdx#close-codes).
 */

/** The reason with the words that clients look for; a close frame holds 123 bytes of it. */
export function closedBecause(what: 'browser' | 'connection', why: string): string {
  return `The ${what} has been closed: ${why}`;
}
