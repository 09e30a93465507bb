/** Rewrites the URLs in a style sheet. Runs on the server for files, in pages for `style` elements and attributes. */

/** Resolves the escapes of CSS: a backslash with up to six hexadecimal digits and a space, or with any other character. */
export function unescapeCss(text: string): string {
  return text.replace(/\\(?:([0-9a-f]{1,6})(?:\r\n|\s)?|(\r\n|[^]))/gi, (_, code?: string, char = '') => {
    if (code === undefined) return /[\r\n\f]/.test(char) ? '' : char;
    const point = parseInt(code, 16);
    return String.fromCodePoint(point === 0 || point > 0x10ffff ? 0xfffd : point);
  });
}

/**
 * Replaces each URL from which the style sheet loads something: in `url()`, `src()`, `@import` and `image-set()`. Keeps
 * comments, other strings, `data:` URLs and fragments (`#id`).
 * @param base the base of relative URLs
 * @param toLocal returns the replacement of an absolute URL
 */
export function rewriteCss(css: string, base: string, toLocal: (url: string) => string): string {
  const replaced = (raw: string): string | undefined => {
    const text = unescapeCss(raw).trim();
    if (text === '' || text.startsWith('#') || /^data:/i.test(text) || !URL.canParse(text, base)) return undefined;
    return `"${toLocal(new URL(text, base).href).replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;
  };
  // A comment; a string; a name, with its at sign and its parenthesis; the inside of an unquoted url(); punctuation.
  const comment = /\/\*[^]*?(?:\*\/|$)/y;
  const string = /"((?:\\[^]|[^"\\\n])*)"?|'((?:\\[^]|[^'\\\n])*)'?/y;
  const name = /@?(?:[-\w\u0080-\uffff]|\\(?:[0-9a-f]{1,6}\s?|[^\n]))+\(?/iy;
  const bare = /(?:\s*((?:\\(?:[0-9a-f]{1,6}\s?|[^])|[^\s"'()\\])+))?\s*\)/iy;
  // What cannot begin or end any of these; most of a style sheet.
  const plain = /(?:[^-\w\u0080-\uffff"'\\/@()]+|[-\w\u0080-\uffff]+(?![-\w\u0080-\uffff\\(]))+/y;
  // The open functions, innermost last; an empty string for other brackets.
  const open: string[] = [];
  let isImport = false;
  let result = '';
  let at = 0;
  const next = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const found = token.exec(css);
    if (found) at = token.lastIndex;
    return found;
  };
  while (at < css.length) {
    let found;
    if (!isImport && open.length === 0 && (found = next(plain))) result += found[0];
    else if ((found = next(comment))) result += found[0];
    else if ((found = next(string))) {
      const [whole, double, single] = found;
      const loads = isImport || ['url', 'src', 'image-set', '-webkit-image-set'].includes(open.at(-1) ?? '');
      isImport = false;
      result += (loads ? replaced(double ?? single ?? '') : undefined) ?? whole;
    } else if ((found = next(name))) {
      const [whole] = found;
      const word = unescapeCss(whole).toLowerCase();
      if (word === '@import') isImport = true;
      else if (word.endsWith('(')) open.push(word.slice(0, -1));
      const address = word === 'url(' ? next(bare) : null;
      if (address) {
        open.pop();
        isImport = false;
        const local = replaced(address[1] ?? '');
        result += local === undefined ? whole + address[0] : `url(${local})`;
      } else result += whole;
    } else {
      const char = css.charAt(at++);
      if (char === '(') open.push('');
      else if (char === ')') open.pop();
      else if (/[;{}]/.test(char)) {
        isImport = false;
        open.length = 0;
      }
      result += char;
    }
  }
  return result;
}
