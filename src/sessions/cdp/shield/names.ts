/**
 * Replaces the names that client libraries put into pages, by which pages could detect them, with random names of the
 * same length for each connection. Removes comments that name the source of a script, because stack traces show them.
 */
import type { Params } from './limits.ts';

const known = ['puppeteer_', '__ariaQuerySelector', '__playwright__binding__', 'UtilityScript'] as const;
const sourceComment = /\n?\/\/# sourceURL=(?:pptr:|__p)[^\n]*/g;
const sourceMark = '//# sourceURL=';
/**
 * Matches an argument that contains a name: Puppeteer's alone, or Playwright's inside its own code, which is passed as
 * an argument. Other arguments are the user's values.
 */
const ofLibrary = /^(?:puppeteer_|__ariaQuerySelector(?:All)?)$|__playwright__binding__/;

/** The parameters that contain code or names, by command. */
const members: Readonly<Record<string, readonly string[]>> = {
  'Runtime.evaluate': ['expression'],
  'Runtime.callFunctionOn': ['functionDeclaration', 'arguments'],
  'Runtime.compileScript': ['expression'],
  'Runtime.addBinding': ['name'],
  'Runtime.removeBinding': ['name'],
  'Page.addScriptToEvaluateOnNewDocument': ['source'],
};

export class Names {
  readonly #renamed: ReadonlyMap<string, string>;
  readonly #find = new RegExp(`(?<![A-Za-z0-9$])(?:${known.join('|')})`, 'g');

  constructor() {
    this.#renamed = new Map(known.map((name) => [name, randomName(name.length)]));
  }

  /** Returns a command's parameters as sent to the browser; the same object when nothing is renamed. */
  toBrowser(method: string, params: Params): Params {
    const named = Object.hasOwn(members, method) ? members[method] : undefined;
    if (!named) return params;
    let changed: Record<string, unknown> | undefined;
    for (const name of named) {
      const before = params[name];
      const after = typeof before === 'string' ? this.#inText(before) : this.#inArguments(before);
      if (after !== before) changed = { ...(changed ?? params), [name]: after };
    }
    return changed ?? params;
  }

  /** Returns the text of a binding message as delivered to the client. */
  toClient(text: string): string {
    let translated = text;
    for (const [name, random] of this.#renamed) translated = translated.replaceAll(random, name);
    return translated;
  }

  #inText(text: string): string {
    // Searching for fixed text is much faster than the regular expressions, and most code contains none of the names.
    const bare = text.includes(sourceMark) ? text.replace(sourceComment, '\n') : text;
    if (!known.some((name) => bare.includes(name))) return bare;
    return bare.replace(this.#find, (name) => this.#renamed.get(name) ?? name);
  }

  #inArguments(values: unknown): unknown {
    if (!Array.isArray(values)) return values;
    const holdsName = (each: unknown): each is { value: string } =>
      typeof each === 'object' &&
      each !== null &&
      'value' in each &&
      typeof each.value === 'string' &&
      ofLibrary.test(each.value);
    if (!values.some(holdsName)) return values;
    return values.map((each) => (holdsName(each) ? { ...each, value: this.#inText(each.value) } : each));
  }
}

/**
 * Returns letters after an underscore. No other word of a page contains them, so they can be translated back anywhere.
 */
function randomName(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length - 1));
  return `_${Array.from(bytes, (byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
}
