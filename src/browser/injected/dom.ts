/** Finds elements by selector and reads their visibility and text; shared by other functions inside pages. */

/** A rectangle in CSS pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Returns all elements that match a selector: CSS, or Puppeteer's `xpath/`, `text/`, `pierce/` and `>>>` forms. Throws
 * for an invalid selector.
 */
export function queryAll(selector: string): Element[] {
  const prefixed = /^(xpath|text|pierce)\/([^]*)$/.exec(selector) ?? /^::-p-(xpath|text)\(([^]*)\)$/.exec(selector);
  const [, kind, rest = ''] = prefixed ?? (selector.startsWith('>>>') ? ['', 'pierce', selector.slice(3).trim()] : []);
  if (kind === 'xpath') {
    const found = document.evaluate(rest, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    // An XPath may also select other nodes: code that reads them as elements throws, as for an invalid selector.
    return Array.from({ length: found.snapshotLength }, (_, index) => found.snapshotItem(index) as Element);
  }
  if (kind === 'text') {
    // As in Puppeteer: the innermost elements that contain the text.
    const holds = (element: Element) => element.textContent.includes(rest);
    return [...document.querySelectorAll('body *')].filter(
      (element) => holds(element) && ![...element.children].some(holds),
    );
  }
  return kind === 'pierce' ? queryDeep(document, rest) : [...document.querySelectorAll(selector)];
}

/** Returns matching elements below a node, including its own shadow tree and all open shadow trees below it. */
export function queryDeep(root: Document | ShadowRoot | Element, css: string): Element[] {
  return queryTrees(root, css, (element) => unhidden(Element, 'shadowRoot', element));
}

/** Returns matching elements in document order: those of a shadow tree after its host and before the host's children. */
export function queryTrees(
  root: Document | ShadowRoot | Element,
  css: string,
  shadowOf: (element: Element) => ShadowRoot | null | undefined,
): Element[] {
  const found: Element[] = [];
  const search = (tree: Document | ShadowRoot | Element): void => {
    const matches = new Set(tree.querySelectorAll(css));
    const own = 'shadowRoot' in tree ? [tree] : [];
    for (const element of [...own, ...tree.querySelectorAll('*')]) {
      if (matches.has(element)) found.push(element);
      const shadow = shadowOf(element);
      if (shadow) search(shadow);
    }
  };
  search(root);
  return found;
}

/**
 * Reads a property of a document or element that an element inside may hide, because documents and forms also have
 * properties named after their children: `<form name=title>`, `<form><input name=childNodes></form>`.
 */
export function unhidden<Of extends object, Name extends keyof Of>(
  type: { prototype: Of },
  name: Name,
  node: Of,
): Of[Name] {
  return Reflect.get(type.prototype, name, node);
}

/** Whether this is the HTML element with this name. Not `instanceof`, which fails for an element of another frame's document. */
export function isTag<Name extends keyof HTMLElementTagNameMap>(
  element: Element | null,
  name: Name,
): element is HTMLElementTagNameMap[Name] {
  return element?.localName === name && element.namespaceURI === 'http://www.w3.org/1999/xhtml';
}

/** Whether the element is visible: it has a size and is not hidden by CSS visibility. */
export function isVisible(element: Element): boolean {
  const { visibility } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return visibility !== 'hidden' && visibility !== 'collapse' && box.width > 0 && box.height > 0;
}

/** Rendered text of an element (innerText); textContent for an element that is not HTML. */
export function textOf(element: Element): string {
  const { innerText, textContent }: Element & { innerText?: string } = element;
  return innerText ?? textContent;
}
