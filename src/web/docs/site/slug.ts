/** Makes the path segments of the BrowserQL schema pages. */

/** Puts a hyphen between a lower-case letter or digit and the upper-case letter after it; then makes all lower case. */
export function schemaSlug(name: string): string {
  return name.replace(/([a-z\d])(?=[A-Z])/g, '$1-').toLowerCase();
}

/** The slug that readers may guess, in which a run of capitals is a word (`http-response`); it redirects. */
export function guessedSlug(name: string): string {
  return name
    .replace(/([a-z\d])(?=[A-Z])/g, '$1-')
    .replace(/([A-Z]+)(?=[A-Z][a-z])/g, '$1-')
    .toLowerCase();
}
