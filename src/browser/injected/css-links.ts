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
 * @param toLocal returns the replacement of an absolute URL in the value of a property; the name of a custom property is
 *   `--`, and that of a rule empty
 */
export function rewriteCss(css: string, base: string, toLocal: (url: string, property: string) => string): string {
  const replaced = (raw: string): string | undefined => {
    const text = unescapeCss(raw).trim();
    if (text === '' || text.startsWith('#') || /^data:/i.test(text) || !URL.canParse(text, base)) return undefined;
    return `"${toLocal(new URL(text, base).href, property()).replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;
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
  // Where the declaration begins, and its property once a URL has been found in it.
  let start = 0;
  let known: { start: number; property: string } | undefined;
  const property = (): string => {
    if (known?.start === start) return known.property;
    const [, found = ''] = /^(?:\s|\/\*(?:[^*]|\*(?!\/))*\*\/)*(--|[-\w]+(?=\s*:))/.exec(css.slice(start, at)) ?? [];
    known = { start, property: found.toLowerCase() };
    return known.property;
  };
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
    if (!isImport && open.length === 0 && (found = next(plain))) {
      const [text] = found;
      const last = Math.max(text.lastIndexOf(';'), text.lastIndexOf('{'), text.lastIndexOf('}'));
      if (last !== -1) start = at - text.length + last + 1;
      result += text;
    } else if ((found = next(comment))) result += found[0];
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
        start = at;
      }
      result += char;
    }
  }
  return result;
}

/**
 * Whether a browser loads the URLs in values of this property with CORS, which a page on the disk may not; values of
 * custom properties may be used for such a property.
 */
export function needsCors(property: string): boolean {
  return /^(?:--|(?:-webkit-)?(?:mask|filter|clip-path|shape-outside)|backdrop-filter|-webkit-box-reflect|content$|fill$|stroke$|marker)/.test(
    property,
  );
}
