/**
 * The addresses in a style sheet. Runs on the server for files, and inside pages for `style` elements and attributes.
 */

type Group = string | undefined;
/** What the alternatives of a token matched, and where it begins. */
type Groups = [Group, Group, Group, Group, Group, number];

/**
 * Puts another address in place of each that the text loads something from: `url()`, `@import`, `image-set()`.
 * Comments and other strings stay as they are, and so do `data:` addresses and those within the document (`#id`).
 * @param base address that relative ones belong to
 * @param toLocal the new text for an absolute address
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
    /\/\*[^]*?(?:\*\/|$)|\burl\(\s*(?:"((?:\\[^]|[^"\\])*)"|'((?:\\[^]|[^'\\])*)'|((?:\\[0-9a-f]{1,6}\s?|\\[^]|[^\s"'()\\])*))\s*\)|"((?:\\[^]|[^"\\])*)"|'((?:\\[^]|[^'\\])*)'/gi;
  return css.replace(tokens, (whole, ...[double, single, bare, string, otherString, at]: Groups) => {
    const address = double ?? single ?? bare;
    if (address !== undefined) {
      const local = resolve(address);
      return local === undefined ? whole : `url(${quoted(local)})`;
    }
    const text = string ?? otherString;
    if (text === undefined) return whole;
    // A bare string is an address after @import and within image-set() only.
    const before = css.slice(Math.max(0, at - 300), at);
    if (!/@import\s*$/i.test(before) && !/image-set\((?:[^()]|\([^()]*\))*$/i.test(before)) return whole;
    const local = resolve(text);
    return local === undefined ? whole : quoted(local);
  });
}
