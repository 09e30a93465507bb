/** Form fields and the scroll position of a page. */
import { isTag } from './dom.ts';

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

/** Scrolls the page to a place; null keeps that direction. Gives where it is then. */
export function scrollPageTo(x: number | null, y: number | null): { x: number; y: number } {
  scrollTo({ left: x ?? scrollX, top: y ?? scrollY, behavior: 'instant' });
  return { x: scrollX, y: scrollY };
}
