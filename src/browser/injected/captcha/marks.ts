/** Detects a page's captchas, in an isolated world: widgets, their fields and tokens, and image captchas. */
import { isTag, isVisible } from '../dom.ts';

/** Evidence of captchas in a document, other than frames. */
export interface CaptchaMarks {
  /** URLs of the scripts. */
  scripts: string[];
  /** The text of inline JavaScript that contains one of the given words. */
  inline: string;
  /** For each given selector: the site key of the first match, '' when it has no key; null when there is no match. */
  keys: (string | null)[];
  /** Names of the given fields that have a value. */
  filled: string[];
  /** Whether there is an image captcha with its text field. */
  picture: boolean;
}

/** @param words words that identify inline scripts worth reading @param fields the names of token fields */
export function readCaptchaMarks(selectors: string[], words: string[], fields: string[]): CaptchaMarks {
  const all = [...document.querySelectorAll('script')];
  const runs = ({ type }: HTMLScriptElement) => type === '' || /javascript|^module$/.test(type);
  const texts = all
    .filter((one) => !one.hasAttribute('src') && runs(one) && one.textContent.length < 50_000)
    .map((one) => one.textContent)
    .filter((text) => words.some((word) => text.includes(word)));
  const first = (selector: string) => {
    const element = document.querySelector<HTMLElement>(selector);
    return element && (element.dataset['sitekey'] ?? '');
  };
  const hasValue = (name: string) =>
    [...document.querySelectorAll(`[name="${name}"]`)].some((one) => 'value' in one && one.value !== '');
  return {
    scripts: all.flatMap(({ src }) => (src === '' ? [] : [src.slice(0, 2_000)])).slice(0, 500),
    inline: texts.join('\n').slice(0, 50_000),
    keys: selectors.map(first),
    filled: fields.filter(hasValue),
    picture: findCaptchaImage() !== null,
  };
}

/** The image captcha in a form, with its text field; null when there is none. */
export function findCaptchaImage(): { picture: Element; field: HTMLInputElement } | null {
  const mentions = (element: Element, word: RegExp) =>
    ['id', 'class', 'name', 'alt', 'title', 'placeholder', 'aria-label'].some((name) =>
      word.test(element.getAttribute(name) ?? ''),
    );
  const isPicture = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    const path = isTag(element, 'img') && URL.canParse(element.src) ? new URL(element.src).pathname : '';
    // Image captchas are small: a photograph or a chart with such a name is not one.
    const small = width >= 40 && width <= 500 && height >= 15 && height <= 200;
    return small && isVisible(element) && (mentions(element, /captcha/i) || /captcha/i.test(path));
  };
  const isField = (element: HTMLInputElement) =>
    ['text', 'search', 'tel', 'number'].includes(element.type) &&
    isVisible(element) &&
    mentions(element, /captcha|verif|security.?code|^code$|letters|characters/i);
  for (const picture of document.querySelectorAll('img, canvas')) {
    if (!isPicture(picture)) continue;
    const around = picture.closest('form') ?? document;
    const field = [...around.querySelectorAll('input')].find(isField);
    if (field) return { picture, field };
  }
  return null;
}

/** The image of an image captcha. */
export function captchaImage(): Element | null {
  return findCaptchaImage()?.picture ?? null;
}

/** The text field of an image captcha. */
export function captchaImageField(): Element | null {
  return findCaptchaImage()?.field ?? null;
}

/**
 * The nearest enclosing fields with the given name: in the element's own shadow tree, even if closed, and in the trees
 * and documents around it. A page may have several widgets, each with its own field.
 */
export function enclosingFields(element: Element, name: string): HTMLInputElement[] {
  // A longer name belongs to another widget: g-recaptcha-response-1.
  const wanted = `[name^="${name}"], [id^="${name}"]`;
  for (let around: Node | null = element; around; around = around.parentNode ?? hostOf(around)) {
    if (!('querySelectorAll' in around)) continue;
    // Only nodes with children have this method. Any element may have such a name, but only fields have a value.
    const matches = (around as ParentNode).querySelectorAll<HTMLInputElement>(wanted);
    const found = [...matches].filter((one) => 'value' in one);
    if (found.length > 0) return found;
  }
  return [];
}

/** The element to which a shadow tree belongs; null for any other node. */
export function hostOf(node: Node): Element | null {
  // Links have a host too, but it is a string.
  return 'host' in node && typeof node.host === 'object' ? (node as ShadowRoot).host : null;
}

/** The token of the widget that this frame belongs to; '' when it has none. */
export function tokenAround(frame: Element, name: string): string {
  return enclosingFields(frame, name).find(({ value }) => value !== '')?.value ?? '';
}

/** Center of a widget's checkbox, in CSS pixels of its frame; null while the frame shows none. */
export function checkboxPoint(root: Document): { x: number; y: number } | null {
  const box = root.querySelector('[role=checkbox], input[type=checkbox]')?.getBoundingClientRect();
  return box && box.width > 0 ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
}
