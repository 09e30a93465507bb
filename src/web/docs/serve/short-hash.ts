/** Computes a short hash to distinguish strings; it is not cryptographic. */
export function shortHash(text: string): string {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 2_147_483_647;
  return hash.toString(36);
}
