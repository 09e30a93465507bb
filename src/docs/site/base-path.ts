/** Puts the path of the public address (`/browser` in `https://example.com/browser`) in front of the build's addresses. */

/**
 * @param markup of the build, whose own addresses begin with one slash
 * @param base without a slash at its end; empty for none
 */
export function withBasePath(markup: string, base: string): string {
  return base === '' ? markup : markup.replace(/(\s(?:href|src|action))="\/(?!\/)/g, `$1="${base}/`);
}
