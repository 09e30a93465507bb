/** What several functions inside pages need of the DOM: which elements a selector finds, and how they are shown. */

/** In CSS pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** All elements that a selector finds: CSS, or Puppeteer's `xpath/`, `text/`, `pierce/` and `>>>` forms. Throws for text that is none. */
export function queryAll(selector: string): Element[] {
  const prefixed = /^(xpath|text|pierce)\/([^]*)$/.exec(selector) ?? /^::-p-(xpath|text)\(([^]*)\)$/.exec(selector);
  const [, kind, rest = ''] = prefixed ?? (selector.startsWith('>>>') ? ['', 'pierce', selector.slice(3).trim()] : []);
  if (kind === 'xpath') {
    const found = document.evaluate(rest, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    // A path may lead to text as well: whatever reads an element of it throws, as for text that is no selector.
    return Array.from({ length: found.snapshotLength }, (_, index) => found.snapshotItem(index) as Element);
  }
  if (kind === 'text') {
    // The innermost elements that hold the text, as Puppeteer has it.
    const holds = (element: Element) => element.textContent.includes(rest);
    return [...document.querySelectorAll('body *')].filter(
      (element) => holds(element) && ![...element.children].some(holds),
    );
  }
  return kind === 'pierce' ? queryDeep(document, rest) : [...document.querySelectorAll(selector)];
}

/** Elements below a node, its own shadow tree and all open ones below it included. */
export function queryDeep(root: Document | ShadowRoot | Element, css: string): Element[] {
  const found = [...root.querySelectorAll(css)];
  const own = 'shadowRoot' in root ? [root] : [];
  for (const { shadowRoot } of [...own, ...root.querySelectorAll('*')]) {
    if (shadowRoot) found.push(...queryDeep(shadowRoot, css));
  }
  return found;
}

/** Whether the element has this name. Not `instanceof`: an element of another frame's document has other classes. */
export function isTag<Name extends keyof HTMLElementTagNameMap>(
  element: Element | null,
  name: Name,
): element is HTMLElementTagNameMap[Name] {
  return element?.localName === name;
}

/** Whether a person could see the element: it takes up room and is not hidden by style. */
export function isVisible(element: Element): boolean {
  const { visibility } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return visibility !== 'hidden' && visibility !== 'collapse' && box.width > 0 && box.height > 0;
}

/** Text of an element as it is shown; what is no HTML has only the text of its nodes. */
export function textOf(element: Element): string {
  const { innerText, textContent }: Element & { innerText?: string } = element;
  return innerText ?? textContent;
}
