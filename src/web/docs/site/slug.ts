/** Converts names to path segments of the BrowserQL schema pages. */

/** Inserts a hyphen between a lowercase letter or digit and a following uppercase letter, then lowercases it all. */
export function schemaSlug(name: string): string {
  return name.replace(/([a-z\d])(?=[A-Z])/g, '$1-').toLowerCase();
}

/** Returns the slug that readers may guess, with a run of capitals as a word (`http-response`); it redirects. */
export const guessedSlug = (name: string): string => schemaSlug(name.replace(/([A-Z]+)(?=[A-Z][a-z])/g, '$1-'));
