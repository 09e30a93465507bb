/**
 * Prepares a document for printing on one sheet: without page rules and forced breaks, with heights that do not follow
 * the paper.
 */

/** What the functions of this module share, as a global variable of the isolated world. */
export interface PrintState {
  /** The `style` attributes before they were changed. */
  styles: Map<Element, string | null>;
  heights: Map<Element, number>;
  /** The sheet that disables breaks, in every tree of the document. */
  breaks?: CSSStyleSheet;
  /** The element that disables page rules. */
  pageRules?: HTMLElement;
}

export function printState(): PrintState {
  // Only this function writes the variable.
  const world = globalThis as { printState?: PrintState };
  return (world.printState ??= { styles: new Map(), heights: new Map() });
}

/** Returns the elements of the document and of its open shadow trees. */
export function everyElement(root: ParentNode = document): Element[] {
  return [...root.querySelectorAll('*')].flatMap((element) =>
    element.shadowRoot ? [element, ...everyElement(element.shadowRoot)] : [element],
  );
}

/** Changes the style attribute of an element, which `undoPrintRules` restores. */
export function changeStyle(element: Element, change: (style: CSSStyleDeclaration) => void): void {
  if (!(element instanceof HTMLElement || element instanceof SVGElement)) return;
  const { styles } = printState();
  if (!styles.has(element)) styles.set(element, element.getAttribute('style'));
  change(element.style);
}

/**
 * Disables the page rules and forced breaks of the document.
 * @param margins of the sheet in inches: top, right, bottom, left
 */
export function setPrintRules(margins: readonly number[]): void {
  const state = printState();
  const paper = `{ size: auto !important; margin: ${margins.map((inches) => `${inches}in`).join(' ')} !important }`;
  // Chromium lets the first of several important page rules win, so this one has to be before those of the document.
  state.pageRules = document.createElementNS('http://www.w3.org/1999/xhtml', 'style');
  state.pageRules.textContent = ['', ':first', ':left', ':right'].map((kind) => `@page ${kind} ${paper}`).join('\n');
  (document.head ?? document.documentElement).prepend(state.pageRules);
  // In a layer, !important wins over every rule outside layers, whatever its selector.
  const breaks = '{ break-before: auto !important; break-after: auto !important; page: auto !important }';
  const sheet = (state.breaks = new CSSStyleSheet());
  sheet.replaceSync(`@layer browserd { *, ::before, ::after ${breaks} }`);
  const elements = everyElement();
  for (const root of [document, ...elements.flatMap(({ shadowRoot }) => shadowRoot ?? [])]) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }
  for (const element of elements) {
    // Only a style attribute wins over the layer.
    if (/break|page/i.test(element.getAttribute('style') ?? '')) {
      changeStyle(element, (style) => {
        for (const name of ['break-before', 'break-after', 'page']) style.removeProperty(name);
      });
    }
  }
}

/** Remembers the height of each element. */
export function noteHeights(): void {
  printState().heights = new Map(everyElement().map((element) => [element, heightOf(element)]));
}

/** Fixes the present height of each element whose height has changed since `noteHeights`. */
export function freezeHeights(): void {
  const { heights } = printState();
  const changed = everyElement().flatMap((element) => {
    const height = heightOf(element);
    return Math.abs(height - (heights.get(element) ?? height)) > 0.5 ? [{ element, height }] : [];
  });
  for (const { element, height } of changed) {
    changeStyle(element, (style) => {
      const fixed = { 'box-sizing': 'border-box', height: `${height}px`, 'min-height': '0', 'max-height': 'none' };
      for (const [name, value] of Object.entries(fixed)) style.setProperty(name, value, 'important');
    });
  }
}

export function heightOf(element: Element): number {
  return element instanceof HTMLElement ? element.offsetHeight : element.getBoundingClientRect().height;
}

/** Undoes `setPrintRules` and `freezeHeights`. */
export function undoPrintRules(): void {
  const { styles, breaks, pageRules } = printState();
  pageRules?.remove();
  for (const root of [document, ...everyElement().flatMap(({ shadowRoot }) => shadowRoot ?? [])]) {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((sheet) => sheet !== breaks);
  }
  for (const [element, style] of styles) {
    element.setAttribute('style', style ?? '');
    if (style === null) element.removeAttribute('style');
  }
  styles.clear();
}
