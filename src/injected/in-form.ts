/** Functions that run in the page on form fields and on its scroll position, in our own world. */
interface Field {
  localName: string;
  type?: string;
  checked?: boolean;
  disabled?: boolean;
  multiple?: boolean;
  options?: Iterable<{ value: string; disabled: boolean; selected: boolean }>;
  isContentEditable?: boolean;
  focus(options?: { preventScroll: boolean }): void;
  contains(other: unknown): boolean;
  getAttribute(name: string): string | null;
  getRootNode(): { activeElement: unknown };
  dispatchEvent(event: unknown): boolean;
  querySelector(selector: string): Field | null;
  scrollIntoView(options: { block: string; inline: string; behavior: string }): void;
}
declare const scrollX: number;
declare const scrollY: number;
declare function scrollTo(options: { left: number; top: number; behavior: string }): void;

/** Whether a checkbox, radio button, switch (or the label of one) is on; null when it is none of these. */
export function isChecked(element: Field): boolean | null {
  const field = element.localName === 'label' ? element.querySelector('input') : element;
  if (field?.localName === 'input' && (field.type === 'checkbox' || field.type === 'radio'))
    return field.checked ?? false;
  const role = element.getAttribute('role');
  if (role === 'checkbox' || role === 'radio' || role === 'switch')
    return element.getAttribute('aria-checked') === 'true';
  return null;
}

/** Chooses options by value and tells the page of it; a problem may pass (`final` false: the option may still come). */
export function chooseOptions(
  element: Field,
  wanted: string[],
): { chosen: string[] } | { problem: string; final: boolean } {
  if (element.localName !== 'select' || !element.options)
    return { problem: `is a ${element.localName}, no select`, final: true };
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
export function takeFocus(element: Field): void {
  const active = element.getRootNode().activeElement;
  if (active !== element && !element.contains(active)) element.focus({ preventScroll: true });
}

/** Scrolls so that the element is in the middle of the window. */
export function scrollToElement(element: Field): void {
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
}

/** Scrolls the page to a place; null keeps that direction. Gives where it is then. */
export function scrollPageTo(x: number | null, y: number | null): { x: number; y: number } {
  scrollTo({ left: x ?? scrollX, top: y ?? scrollY, behavior: 'instant' });
  return { x: scrollX, y: scrollY };
}
