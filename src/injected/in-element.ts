/**
 * Functions that run in the page on elements, in our own world: reading, finding and placing. They are sent as their
 * own source text, so they use each other only when the caller names them in `uses`.
 */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface DomNode {
  nodeType: number;
  isConnected: boolean;
  textContent: string | null;
  parentNode: DomNode | null;
  getRootNode(): DomRoot;
}
interface DomRoot extends DomNode {
  host?: DomElement;
  querySelectorAll(selector: string): Iterable<DomElement>;
  elementFromPoint(x: number, y: number): DomElement | null;
}
export interface DomElement extends DomNode {
  id: string;
  localName: string;
  classList: Iterable<string>;
  className: unknown;
  childElementCount: number;
  innerHTML: string;
  innerText?: string;
  outerHTML: string;
  shadowRoot: DomRoot | null;
  clientLeft: number;
  clientTop: number;
  labels?: Iterable<DomElement> | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  contains(other: DomNode | null): boolean;
  closest(selector: string): DomElement | null;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): Box;
  getClientRects(): Iterable<Box>;
  scrollIntoView(options: { block: string; inline: string; behavior: string }): void;
}
declare const document: DomRoot & { documentElement: DomElement | null; body: DomElement | null; title: string };
declare const innerWidth: number;
declare const innerHeight: number;
declare const scrollX: number;
declare const scrollY: number;
declare function getComputedStyle(element: DomElement): {
  visibility: string;
  borderLeftWidth: string;
  borderTopWidth: string;
  paddingLeft: string;
  paddingTop: string;
};

/** Elements of a CSS selector; null when the text is no CSS. */
export function queryCss(selector: string): DomElement[] | null {
  try {
    return [...document.querySelectorAll(selector)];
  } catch {
    return null;
  }
}

/** Elements of a list, a node list, one node, or nothing: what a JavaScript selector may give. */
export function toElements(found: unknown): DomElement[] {
  const isElement = (value: unknown): value is DomElement =>
    typeof value === 'object' && value !== null && 'nodeType' in value && value.nodeType === 1;
  if (isElement(found)) return [found];
  if (found === document && document.documentElement) return [document.documentElement];
  if (typeof found !== 'object' || found === null) return [];
  if (Symbol.iterator in found) {
    // What is iterable is a list of nodes, or not of our concern: everything else is left out.
    return [...(found as Iterable<unknown>)].filter(isElement);
  }
  return 'length' in found
    ? Array.from({ length: Number(found.length) }, (_, i) => Reflect.get(found, i)).filter(isElement)
    : [];
}

/** Whether a person could see the element. */
export function canBeSeen(element: DomElement): boolean {
  const { visibility } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return visibility !== 'hidden' && visibility !== 'collapse' && box.width > 0 && box.height > 0;
}

/** How many elements a list has; only those that can be seen when asked for. Uses canBeSeen. */
export function countOf(elements: DomElement[], visible: boolean): number {
  return visible ? elements.filter((element) => canBeSeen(element)).length : elements.length;
}

/** The first element of a list, or the first that can be seen. Uses canBeSeen. */
export function firstOf(elements: DomElement[], visible: boolean): DomElement | null {
  return elements.find((element) => !visible || canBeSeen(element)) ?? null;
}

/** The element's name for messages: `div#consent.modal`. */
export function nameOf(element: DomElement): string {
  const id = element.id === '' ? '' : `#${element.id}`;
  const classes = [...element.classList].slice(0, 3).map((name) => `.${name}`);
  return `${element.localName}${id}${classes.join('')}`.slice(0, 100);
}

/** The element's box in CSS pixels of its frame's window; of text over several lines the largest part. */
export function boxOf(element: DomElement): Box & { connected: boolean } {
  const parts = [...element.getClientRects()].toSorted((a, b) => b.width * b.height - a.width * a.height);
  const { x, y, width, height } = parts[0] ?? element.getBoundingClientRect();
  return { x, y, width, height, connected: element.isConnected };
}

/** Where the content of a frame element begins, in CSS pixels of the window around it. */
export function contentOrigin(element: DomElement): { x: number; y: number } {
  const { x, y } = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return {
    x: x + element.clientLeft + Number.parseFloat(style.paddingLeft),
    y: y + element.clientTop + Number.parseFloat(style.paddingTop),
  };
}

/** Brings the element into the middle of the window, unless it is in view already. */
export function bringIntoView(element: DomElement, always: boolean): void {
  const { x, y, width, height } = element.getBoundingClientRect();
  const inView = x >= 0 && y >= 0 && x + width <= innerWidth && y + height <= innerHeight;
  if (inView && !always) return;
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
}

/**
 * What lies over the element at a point of its frame's window: null when a click there reaches it, otherwise the name
 * of what is hit. Uses nameOf.
 */
export function coverAt(element: DomElement, x: number, y: number): string | null {
  const label = element.closest('label');
  const accepts = (wanted: DomElement, hit: DomElement): boolean =>
    hit === wanted ||
    wanted.contains(hit) ||
    // A label hands the click on to its field.
    [...(wanted.labels ?? [])].some((one) => one.contains(hit)) ||
    (label !== null && label === hit.closest('label'));
  let wanted = element;
  for (;;) {
    const root = wanted.getRootNode();
    const hit = root.elementFromPoint(x, y);
    if (!hit) return 'nothing: the point lies outside of the window';
    // A shadow root answers with its host's surroundings when the hit is outside of it.
    if (!accepts(wanted, hit)) return nameOf(hit);
    if (!root.host) return null;
    wanted = root.host;
  }
}

/** Scroll position of the frame's window in CSS pixels. */
export function scrollOffset(): { x: number; y: number } {
  return { x: scrollX, y: scrollY };
}

/** What querySelector reads of each element. */
export function describeElements(elements: DomElement[], visible: boolean) {
  return elements
    .filter((element) => !visible || canBeSeen(element))
    .map((element) => ({
      childElementCount: element.childElementCount,
      className: element.getAttribute('class') ?? '',
      id: element.id,
      innerHTML: element.innerHTML,
      innerText: element.innerText ?? element.textContent ?? '',
      localName: element.localName,
      outerHTML: element.outerHTML,
    }));
}

/** Markup of an element. */
export function markupOf(element: DomElement): string {
  return element.outerHTML;
}

/** Text of an element as it is shown. */
export function textOf(element: DomElement): string {
  return element.innerText ?? element.textContent ?? '';
}

/** What to read of each row of mapSelector, by the keys of the answer. */
export interface RowPlan {
  fields: { key: string; name: 'innerHTML' | 'innerText' | 'id' | 'class' }[];
  attributes: { key: string; name: string }[];
  rows: { key: string; selector: string; deep: boolean; waits: boolean; plan: RowPlan }[];
}

/**
 * Rows of mapSelector with everything that the document selects. `missing` is true when a nested selector that may be
 * waited for found nothing in any row.
 */
export function readRows(elements: DomElement[], wanted: RowPlan): { rows: unknown[]; missing: boolean } {
  let missing = false;
  const within = (element: DomElement, selector: string, deep: boolean): DomElement[] => {
    const found = [...element.querySelectorAll(selector)];
    if (!deep) return found;
    const descend = (root: { querySelectorAll(selector: string): Iterable<DomElement> }): void => {
      for (const host of root.querySelectorAll('*')) {
        if (!host.shadowRoot) continue;
        found.push(...host.shadowRoot.querySelectorAll(selector));
        descend(host.shadowRoot);
      }
    };
    if (element.shadowRoot) {
      found.push(...element.shadowRoot.querySelectorAll(selector));
      descend(element.shadowRoot);
    }
    descend(element);
    return found;
  };
  const read = (list: DomElement[], plan: RowPlan): Record<string, unknown>[] => {
    const rows = list.map((element) => {
      const row: Record<string, unknown> = {};
      for (const { key, name } of plan.fields) {
        if (name === 'id') row[key] = element.id;
        else if (name === 'class') row[key] = [...element.classList];
        else if (name === 'innerHTML') row[key] = element.innerHTML;
        else row[key] = element.innerText ?? element.textContent ?? '';
      }
      for (const { key, name } of plan.attributes) {
        const value = element.getAttribute(name);
        row[key] = value === null ? null : { name, value };
      }
      return row;
    });
    for (const nested of plan.rows) {
      let any = false;
      for (const [index, element] of list.entries()) {
        const inside = within(element, nested.selector, nested.deep);
        any ||= inside.length > 0;
        const row = rows[index];
        if (row) row[nested.key] = inside.length === 0 ? null : read(inside, nested.plan);
      }
      if (!any && nested.waits) missing = true;
    }
    return rows;
  };
  return { rows: read(elements, wanted), missing };
}
