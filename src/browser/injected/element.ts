/** Measures, scrolls to, hit-tests and fills in one element of a page. */
import { type Box, isTag, queryAll } from './dom.ts';

/** Describes the element for messages, such as `div#consent.modal`. */
export function nameOf(element: Element): string {
  const id = element.id === '' ? '' : `#${element.id}`;
  const classes = [...element.classList].slice(0, 3).map((name) => `.${name}`);
  return `${element.localName}${id}${classes.join('')}`.slice(0, 100);
}

/**
 * Box of the element in CSS pixels of its frame's viewport; for text that spans several lines, the box of the largest
 * line.
 */
export function boxOf(element: Element): Box & { connected: boolean } {
  const parts = [...element.getClientRects()].toSorted((a, b) => b.width * b.height - a.width * a.height);
  const { x, y, width, height } = parts[0] ?? element.getBoundingClientRect();
  return { x, y, width, height, connected: element.isConnected };
}

/** Like `boxOf`, with the part of the box that is in the frame's viewport; the whole box when no part is. */
export function visibleBox(element: Element): Box & { connected: boolean; shown: Box } {
  const box = boxOf(element);
  const [x, y] = [Math.max(box.x, 0), Math.max(box.y, 0)];
  const [width, height] = [Math.min(box.x + box.width, innerWidth) - x, Math.min(box.y + box.height, innerHeight) - y];
  return { ...box, shown: width > 0 && height > 0 ? { x, y, width, height } : box };
}

/** Origin of a frame element's content, in CSS pixels of the viewport that contains the element. */
export function contentOrigin(element: Element): { x: number; y: number } {
  const { x, y } = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return {
    x: x + element.clientLeft + Number.parseFloat(style.paddingLeft),
    y: y + element.clientTop + Number.parseFloat(style.paddingTop),
  };
}

/** Scrolls the element to the middle of the viewport. */
export function scrollToElement(element: Element): void {
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
}

/**
 * The scroll position of the page that centers the element in the window; scrolls horizontally only when the element is
 * not fully in view.
 */
export function centeredScrollPosition(element: Element): { x: number; y: number } {
  const { x, y, width, height } = element.getBoundingClientRect();
  const sideways = x < 0 || x + width > innerWidth ? x + (width - innerWidth) / 2 : 0;
  const most = (document.scrollingElement?.scrollHeight ?? innerHeight) - innerHeight;
  return { x: scrollX + sideways, y: Math.min(Math.max(scrollY + y + (height - innerHeight) / 2, 0), most) };
}

/** Scrolls the element to the middle of the viewport; unless `always`, only when it is not fully in view. */
export function bringIntoView(element: Element, always: boolean): void {
  const { x, y, width, height } = element.getBoundingClientRect();
  const inView = x >= 0 && y >= 0 && x + width <= innerWidth && y + height <= innerHeight;
  if (always || !inView) scrollToElement(element);
}

/**
 * Name of a control inside the element that a click at `point` would hit but a click at `middle` would not; otherwise
 * null.
 */
export function controlAt(
  element: Element,
  point: [x: number, y: number],
  middle: [x: number, y: number],
): string | null {
  const controls = 'a,button,input,select,textarea,label,summary,video,audio,[onclick],[role],[contenteditable]';
  // A connected element's root is one of these two.
  const root = element.getRootNode() as Document | ShadowRoot;
  const control = root.elementFromPoint(...point)?.closest(controls) ?? null;
  if (control === null || control.contains(element)) return null;
  return control === root.elementFromPoint(...middle)?.closest(controls) ? null : nameOf(control);
}

/**
 * Hit-tests the element at a point of its frame's viewport. Returns null when a click there reaches the element,
 * otherwise the name of what the click would hit.
 */
export function obstructionAt(element: Element, x: number, y: number): string | null {
  const label = element.closest('label');
  const accepts = (wanted: Element & { labels?: Iterable<Element> | null }, hit: Element): boolean =>
    hit === wanted ||
    wanted.contains(hit) ||
    // A label passes the click on to its field.
    [...(wanted.labels ?? [])].some((one) => one.contains(hit)) ||
    (label !== null && label === hit.closest('label'));
  let wanted = element;
  for (;;) {
    // A connected element's root is one of these two; a removed element's root has no elementFromPoint: this throws.
    const root = wanted.getRootNode() as Document | ShadowRoot;
    const hit = root.elementFromPoint(x, y);
    if (!hit) return 'nothing (the point is outside the viewport)';
    // A shadow root returns an element outside itself when the hit is there.
    if (!accepts(wanted, hit)) return nameOf(hit);
    if (!('host' in root)) return null;
    wanted = root.host;
  }
}

/** Scroll position of the frame in CSS pixels. */
export function scrollOffset(): { x: number; y: number } {
  return { x: scrollX, y: scrollY };
}

/** Scrolls the first match into view and returns its box in CSS pixels of the document. */
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

/** Whether a checkbox, radio button (or a label that contains one) or ARIA switch is on; null for anything else. */
export function isChecked(element: Element): boolean | null {
  const field = isTag(element, 'label') ? element.querySelector('input') : element;
  if (isTag(field, 'input') && (field.type === 'checkbox' || field.type === 'radio')) return field.checked;
  const role = element.getAttribute('role');
  if (role === 'checkbox' || role === 'radio' || role === 'switch')
    return element.getAttribute('aria-checked') === 'true';
  return null;
}

/**
 * Selects options by value and fires input and change events. A problem that is not `final` may resolve itself later.
 */
export function chooseOptions(
  element: Element,
  wanted: string[],
): { chosen: string[] } | { problem: string; final: boolean } {
  if (!isTag(element, 'select')) return { problem: `is a ${element.localName}, not a select`, final: true };
  if (!element.multiple && wanted.length > 1) return { problem: 'accepts only one value', final: true };
  if (element.disabled) return { problem: 'is disabled', final: false };
  const options = [...element.options];
  for (const value of wanted) {
    const option = options.find((one) => one.value === value);
    if (!option) return { problem: `has no option with the value ${JSON.stringify(value)}`, final: false };
    if (option.disabled)
      return { problem: `has the option ${JSON.stringify(value)}, but it is disabled`, final: false };
  }
  element.focus({ preventScroll: true });
  for (const option of options) {
    const chosen = wanted.includes(option.value);
    if (option.selected !== chosen) option.selected = chosen;
  }
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return { chosen: options.filter(({ selected }) => selected).map(({ value }) => value) };
}

/** Focuses the element, unless it, or an element inside it, already has focus. */
export function takeFocus(element: HTMLElement): void {
  // A connected element's root is one of these two.
  const active = (element.getRootNode() as Document | ShadowRoot).activeElement;
  if (active !== element && !element.contains(active)) element.focus({ preventScroll: true });
}
