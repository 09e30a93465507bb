/** One element: where it is, what lies over it, and what a form field of it holds. */
import { type Box, isTag, queryAll } from './dom.ts';

/** The element's name for messages: `div#consent.modal`. */
export function nameOf(element: Element): string {
  const id = element.id === '' ? '' : `#${element.id}`;
  const classes = [...element.classList].slice(0, 3).map((name) => `.${name}`);
  return `${element.localName}${id}${classes.join('')}`.slice(0, 100);
}

/** The element's box in CSS pixels of its frame's window; of text over several lines the largest part. */
export function boxOf(element: Element): Box & { connected: boolean } {
  const parts = [...element.getClientRects()].toSorted((a, b) => b.width * b.height - a.width * a.height);
  const { x, y, width, height } = parts[0] ?? element.getBoundingClientRect();
  return { x, y, width, height, connected: element.isConnected };
}

/** Where the content of a frame element begins, in CSS pixels of the window around it. */
export function contentOrigin(element: Element): { x: number; y: number } {
  const { x, y } = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return {
    x: x + element.clientLeft + Number.parseFloat(style.paddingLeft),
    y: y + element.clientTop + Number.parseFloat(style.paddingTop),
  };
}

/** Scrolls so that the element is in the middle of the window. */
export function scrollToElement(element: Element): void {
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
}

/** Brings the element into the middle of the window, unless it is in view already. */
export function bringIntoView(element: Element, always: boolean): void {
  const { x, y, width, height } = element.getBoundingClientRect();
  const inView = x >= 0 && y >= 0 && x + width <= innerWidth && y + height <= innerHeight;
  if (always || !inView) scrollToElement(element);
}

/**
 * What lies over the element at a point of its frame's window: null when a click there reaches it, otherwise the name
 * of what is hit.
 */
export function coverAt(element: Element, x: number, y: number): string | null {
  const label = element.closest('label');
  const accepts = (wanted: Element & { labels?: Iterable<Element> | null }, hit: Element): boolean =>
    hit === wanted ||
    wanted.contains(hit) ||
    // A label hands the click on to its field.
    [...(wanted.labels ?? [])].some((one) => one.contains(hit)) ||
    (label !== null && label === hit.closest('label'));
  let wanted = element;
  for (;;) {
    // The root of whatever is in a page; of an element that was taken out nothing is hit, and this throws.
    const root = wanted.getRootNode() as Document | ShadowRoot;
    const hit = root.elementFromPoint(x, y);
    if (!hit) return 'nothing: the point lies outside of the window';
    // A shadow root answers with its host's surroundings when the hit is outside of it.
    if (!accepts(wanted, hit)) return nameOf(hit);
    if (!('host' in root)) return null;
    wanted = root.host;
  }
}

/** Scroll position of the frame's window in CSS pixels. */
export function scrollOffset(): { x: number; y: number } {
  return { x: scrollX, y: scrollY };
}

/** Brings the first match into view and gives its box in CSS pixels of the document. */
export function locateElement(selector: string): Box | 'absent' | 'invalid' {
  let element: Element | undefined;
  try {
    [element] = queryAll(selector);
  } catch {
    return 'invalid';
  }
  if (!element) return 'absent';
  scrollToElement(element);
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x: x + scrollX, y: y + scrollY, width, height };
}

/** Whether a checkbox, radio button, switch (or the label of one) is on; null when it is none of these. */
export function isChecked(element: Element): boolean | null {
  const field = isTag(element, 'label') ? element.querySelector('input') : element;
  if (isTag(field, 'input') && (field.type === 'checkbox' || field.type === 'radio')) return field.checked;
  const role = element.getAttribute('role');
  if (role === 'checkbox' || role === 'radio' || role === 'switch')
    return element.getAttribute('aria-checked') === 'true';
  return null;
}

/** Chooses options by value and tells the page of it; a problem may pass (`final` false: the option may still come). */
export function chooseOptions(
  element: Element,
  wanted: string[],
): { chosen: string[] } | { problem: string; final: boolean } {
  if (!isTag(element, 'select')) return { problem: `is a ${element.localName}, no select`, final: true };
  if (!element.multiple && wanted.length > 1) return { problem: 'takes one value only', final: true };
  if (element.disabled) return { problem: 'is disabled', final: false };
  const options = [...element.options];
  for (const value of wanted) {
    const option = options.find((one) => one.value === value);
    if (!option) return { problem: `has no option of value ${JSON.stringify(value)}`, final: false };
    if (option.disabled) return { problem: `has the option ${JSON.stringify(value)} disabled`, final: false };
  }
  element.focus();
  for (const option of options) {
    const chosen = wanted.includes(option.value);
    if (option.selected !== chosen) option.selected = chosen;
  }
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return { chosen: options.filter(({ selected }) => selected).map(({ value }) => value) };
}

/** Puts the cursor into the element unless it, or something in it, has the cursor already. */
export function takeFocus(element: HTMLElement): void {
  // The root of whatever is in a page.
  const active = (element.getRootNode() as Document | ShadowRoot).activeElement;
  if (active !== element && !element.contains(active)) element.focus({ preventScroll: true });
}
