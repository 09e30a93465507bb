/** Addresses of the pages of the BrowserQL schema. */

/** A hyphen between a lower-case letter or digit and the upper-case letter after it; then lower case. */
export function schemaSlug(name: string): string {
  return name.replace(/([a-z\d])(?=[A-Z])/g, '$1-').toLowerCase();
}

/** What others guess: capitals that stand together are a word (`http-response`). */
export function guessedSlug(name: string): string {
  return name
    .replace(/([a-z\d])(?=[A-Z])/g, '$1-')
    .replace(/([A-Z]+)(?=[A-Z][a-z])/g, '$1-')
    .toLowerCase();
}
