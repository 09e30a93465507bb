/** Rewrites the URLs in a style sheet. Runs on the server for files, in pages for `style` elements and attributes. */

type Group = string | undefined;
/** Capture groups of a token (url() in double quotes, single quotes or bare; two kinds of strings) and its offset. */
type Groups = [Group, Group, Group, Group, Group, number];

/**
 * Replaces each URL from which the style sheet loads something: in `url()`, `@import` and `image-set()`. Keeps
 * comments, other strings, `data:` URLs and fragments (`#id`).
 * @param base the base of relative URLs
 * @param toLocal returns the replacement of an absolute URL
 */
export function rewriteCss(css: string, base: string, toLocal: (url: string) => string): string {
  const resolve = (raw: string): string | undefined => {
    // CSS escapes: a backslash with up to six hexadecimal digits and a space, or with any other character.
    const text = raw
      .replace(/\\(?:([0-9a-f]{1,6})\s?|([^]))/gi, (_, code: string | undefined, char: string | undefined) =>
        code === undefined
          ? char === '\n'
            ? ''
            : (char ?? '')
          : String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)),
      )
      .trim();
    if (text === '' || text.startsWith('#') || /^data:/i.test(text) || !URL.canParse(text, base)) return undefined;
    return toLocal(new URL(text, base).href);
  };
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;
  const tokens =
    /\/\*[^]*?(?:\*\/|$)|\burl\(\s*(?:(?:"((?:\\[^]|[^"\\\n])*)"|'((?:\\[^]|[^'\\\n])*)'|((?:\\(?:[0-9a-f]{1,6}\s|[^])|[^\s"'()\\])+))\s*)?\)|"((?:\\[^]|[^"\\\n])*)"?|'((?:\\[^]|[^'\\\n])*)'?/gi;
  return css.replace(tokens, (whole, ...[double, single, bare, string, otherString, at]: Groups) => {
    const address = double ?? single ?? bare;
    if (address !== undefined) {
      const local = resolve(address);
      return local === undefined ? whole : `url(${quoted(local)})`;
    }
    const text = string ?? otherString;
    if (text === undefined) return whole;
    // A bare string is a URL only after @import and within image-set().
    const before = css.slice(Math.max(0, at - 300), at);
    if (!before.trimEnd().toLowerCase().endsWith('@import') && !/image-set\((?:[^()]|\([^()]*\))*$/i.test(before))
      return whole;
    const local = resolve(text);
    return local === undefined ? whole : quoted(local);
  });
}
