/** Parses a selector: CSS, JavaScript, or a deep selector (compatibility.mdx#browserql-selectors). */
import { StepError } from '../run/step-error.ts';

export type Selector =
  | { kind: 'css'; css: string }
  | { kind: 'script'; code: string }
  /** `frames` is a glob for frame URLs, with `*` for any text; undefined searches all frames. */
  | { kind: 'deep'; css: string; frames: string | undefined };

/** Matches text that starts as only JavaScript can; the dots distinguish a list such as `[...x]` from CSS. */
// `document.body` is also CSS (an element "document" with class "body"), but no page has such an element.
const startsAsScript =
  /^(?:(?:document|window|globalThis|self|Array)\s*(?:\.|\[|\?\.)|\(|\[\s*\.\.\.|function\b|async\b|new\s|Array\()/;
const deepMark = '<';

/** @throws StepError `INVALID_SELECTOR` for an empty selector, or characters that a deep selector cannot contain */
export function parseSelector(text: string): Selector {
  const given = text.trim();
  if (given === '') throw new StepError('INVALID_SELECTOR', 'The selector is empty. Use CSS to select an element.');
  if (!given.startsWith(deepMark)) {
    return startsAsScript.test(given) ? { kind: 'script', code: given } : { kind: 'css', css: given };
  }
  const rest = given.slice(1).trim();
  const [first = '', ...others] = rest.split(/\s+/);
  const glob = others.length > 0 && isAddressPattern(first) ? first : undefined;
  const css = glob === undefined ? rest : rest.slice(first.length).trim();
  if (css === '') {
    throw new StepError('INVALID_SELECTOR', `The deep selector ${quoted(text)} has no CSS: write < [url-glob ]css.`);
  }
  if (/[{}<;\\`]/.test(css)) {
    throw new StepError(
      'INVALID_SELECTOR',
      `The deep selector ${quoted(text)} contains a character that is not allowed ({ } < ; \\ or a backtick).`,
    );
  }
  return { kind: 'deep', css, frames: glob };
}

/** Whether the first word is a URL glob and not CSS: it has a slash, or a star where CSS allows none. */
function isAddressPattern(word: string): boolean {
  if (/[[\]"'(]/.test(word)) return false;
  if (word.includes('/')) return true;
  return word.includes('*') && !/^\*(?:[.#:][^*]*)?$/.test(word);
}

/** Quotes a selector for messages, shortened to 200 characters. */
export function quoted(selector: string): string {
  return JSON.stringify(selector.length > 200 ? `${selector.slice(0, 200)}…` : selector);
}
