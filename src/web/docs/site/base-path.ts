/** Prefixes the build's links with the path of the public URL (`/browser` of `https://example.com/browser`). */

/**
 * @param markup markup from the build, in which internal links start with a single slash
 * @param base path without a trailing slash; empty for none
 */
export function withBasePath(markup: string, base: string): string {
  return base === '' ? markup : markup.replace(/(\s(?:href|src|action))="\/(?!\/)/g, `$1="${base}/`);
}
