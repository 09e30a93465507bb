/**
 * Functions that run inside pages. They are sent as their own source text, so they may only use each other when the
 * caller names them in `uses`, and a bundler must keep their names. The parts of the DOM that they touch are declared
 * here: TypeScript's DOM library would make `document` known to the whole server.
 */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
interface PageNode {
  nodeType: number;
  textContent: string | null;
}
interface PageElement extends PageNode {
  attributes: Iterable<{ name: string; value: string }>;
  children: Iterable<PageElement>;
  innerHTML: string;
  innerText?: string;
  shadowRoot: PageRoot | null;
  complete?: boolean;
  loading?: string;
  clientHeight: number;
  scrollHeight: number;
  getBoundingClientRect(): Box;
  scrollIntoView(options: { block: string; inline: string; behavior: string }): void;
  setAttribute(name: string, value: string): void;
  addEventListener(name: string, listener: () => void, options?: { once: boolean }): void;
  append(...nodes: (PageElement | string)[]): void;
}
interface PageRoot {
  querySelectorAll(selector: string): Iterable<PageElement>;
}
interface PageDocument extends PageRoot, PageNode {
  documentElement: PageElement | null;
  head: PageElement | null;
  body: PageElement | null;
  scrollingElement: PageElement | null;
  images: Iterable<PageElement>;
  fonts: { status: string; ready: Promise<unknown> };
  createElement(name: string): PageElement;
  addEventListener(name: string, listener: () => void, options?: { once: boolean }): void;
  evaluate(
    path: string,
    node: PageNode,
    resolver: null,
    kind: number,
  ): { snapshotLength: number; snapshotItem(index: number): PageElement };
}
declare const document: PageDocument;
declare const innerHeight: number;
declare const location: { href: string };
declare const performance: {
  now(): number;
  getEntriesByType(type: 'navigation'): { responseStatus?: number }[];
};
declare const scrollX: number;
declare const scrollY: number;
declare function scrollTo(options: { left: number; top: number; behavior: string }): void;
declare function getComputedStyle(element: PageElement): { visibility: string };
declare function requestAnimationFrame(step: () => void): void;
declare function addEventListener(name: string, listener: () => void, options?: { once: boolean }): void;
declare class MutationObserver {
  constructor(listener: () => void);
  observe(node: PageNode, options: object): void;
  disconnect(): void;
}

/** All elements that a selector finds: CSS, or Puppeteer's `xpath/`, `text/`, `pierce/` and `>>>` forms. */
export function queryAll(selector: string): PageElement[] {
  const prefixed = /^(xpath|text|pierce)\/([^]*)$/.exec(selector) ?? /^::-p-(xpath|text)\(([^]*)\)$/.exec(selector);
  const [, kind, rest = ''] = prefixed ?? (selector.startsWith('>>>') ? ['', 'pierce', selector.slice(3).trim()] : []);
  if (kind === 'xpath') {
    const found = document.evaluate(rest, document, null, 7);
    return Array.from({ length: found.snapshotLength }, (_, index) => found.snapshotItem(index));
  }
  if (kind === 'text') {
    // The innermost elements that hold the text, as Puppeteer has it.
    const holds = (element: PageElement) => (element.textContent ?? '').includes(rest);
    return [...document.querySelectorAll('body *')].filter(
      (element) => holds(element) && ![...element.children].some(holds),
    );
  }
  if (kind !== 'pierce') return [...document.querySelectorAll(selector)];
  const found: PageElement[] = [];
  const search = (root: PageRoot): void => {
    found.push(...root.querySelectorAll(rest));
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) search(element.shadowRoot);
  };
  search(document);
  return found;
}

/** Whether a person could see the element: it takes up room and is not hidden by style. */
export function isVisible(element: PageElement): boolean {
  const { visibility } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return visibility !== 'hidden' && visibility !== 'collapse' && box.width > 0 && box.height > 0;
}

/** Waits until an element is there, visible or hidden. Uses queryAll, isVisible. */
export function pollSelector(
  selector: string,
  state: 'present' | 'visible' | 'hidden',
  limitMs: number,
): Promise<'found' | 'late'> | 'found' | 'invalid' {
  const holds = (): boolean => {
    const [first] = queryAll(selector);
    if (state === 'present') return first !== undefined;
    return (first !== undefined && isVisible(first)) === (state === 'visible');
  };
  try {
    if (holds()) return 'found';
  } catch {
    return 'invalid';
  }
  const start = performance.now();
  return new Promise((resolve) => {
    let done = false;
    const check = (): void => {
      if (done || (!holds() && (limitMs <= 0 || performance.now() - start < limitMs))) return;
      done = true;
      observer.disconnect();
      resolve(holds() ? 'found' : 'late');
    };
    const observer = new MutationObserver(check);
    observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    // Shadow trees and styles change without a mutation that the document sees.
    if (state === 'present' && !/^(pierce\/|>>>)/.test(selector)) return;
    const step = (): void => {
      check();
      if (!done) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

/** Calls a predicate until it gives something truthy. A number polls each so many milliseconds; `once` does not wait. */
export function pollFunction(
  predicate: () => unknown,
  polling: 'raf' | 'mutation' | 'once' | number,
  limitMs: number,
): Promise<{ state: 'found' | 'late' | 'threw'; message?: string }> {
  const start = performance.now();
  return new Promise((resolve) => {
    let observer: MutationObserver | undefined;
    let running = false;
    const again = (step: () => void): void => {
      if (polling === 'raf') requestAnimationFrame(step);
      else if (typeof polling === 'number') setTimeout(step, polling);
    };
    const end = (state: 'found' | 'late' | 'threw', message?: string): void => {
      observer?.disconnect();
      resolve(message === undefined ? { state } : { state, message });
    };
    const step = async (): Promise<void> => {
      if (running) return;
      running = true;
      try {
        if (await predicate()) return end('found');
      } catch (error) {
        return end('threw', String(error));
      }
      running = false;
      if (polling === 'once' || (limitMs > 0 && performance.now() - start >= limitMs)) return end('late');
      again(step);
    };
    if (polling === 'mutation') {
      observer = new MutationObserver(step);
      observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    }
    step();
  });
}

/** Waits for one event on document or window. */
export function awaitEvent(name: string): Promise<true> {
  return new Promise((resolve) => {
    document.addEventListener(name, () => resolve(true), { once: true });
    addEventListener(name, () => resolve(true), { once: true });
  });
}

/** Appends a script or style element and waits until it has loaded; false when it could not. */
export function addTag(
  name: 'script' | 'style' | 'link',
  attributes: Record<string, string>,
  content: string | undefined,
): Promise<boolean> | boolean {
  const tag = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) tag.setAttribute(attribute, value);
  if (content !== undefined) tag.append(content);
  // Only what comes from an address tells of its load; a module in the text does not.
  const external = name === 'link' || 'src' in attributes;
  const loaded = new Promise<boolean>((resolve) => {
    tag.addEventListener('load', () => resolve(true), { once: true });
    tag.addEventListener('error', () => resolve(false), { once: true });
  });
  (document.head ?? document.documentElement ?? document.body)?.append(tag);
  return external ? loaded : true;
}

/** What each selector finds: markup, text, attributes and place; null for text that is no selector. Uses queryAll. */
export function readElements(selectors: string[]): (Scraped[] | null)[] {
  const read = (element: PageElement): Scraped => {
    const box = element.getBoundingClientRect();
    return {
      attributes: [...element.attributes].map(({ name, value }) => ({ name, value })),
      height: box.height,
      html: element.innerHTML,
      left: box.x,
      text: element.innerText ?? element.textContent ?? '',
      top: box.y,
      width: box.width,
    };
  };
  return selectors.map((selector) => {
    try {
      return queryAll(selector).map(read);
    } catch {
      return null;
    }
  });
}

export interface Scraped {
  attributes: { name: string; value: string }[];
  height: number;
  html: string;
  left: number;
  text: string;
  top: number;
  width: number;
}

/** Brings the first match into view and gives its box in CSS pixels of the document. Uses queryAll. */
export function locateElement(selector: string): Box | 'absent' | 'invalid' {
  let element: PageElement | undefined;
  try {
    [element] = queryAll(selector);
  } catch {
    return 'invalid';
  }
  if (!element) return 'absent';
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x: x + scrollX, y: y + scrollY, width, height };
}

/** What the document itself knows of the answer it came with. */
export function ownResponse(): { status: number; url: string } {
  const entry = performance.getEntriesByType('navigation')[0];
  return { status: entry?.responseStatus ?? 0, url: location.href };
}

/** True at once when no font is on its way. Measuring forces the layout, which is what starts the loading of fonts. */
export function fontsReady(): Promise<boolean> | boolean {
  document.documentElement?.getBoundingClientRect();
  return document.fonts.status !== 'loading' || document.fonts.ready.then(() => false);
}

/** Scrolls on by most of a window; tells whether the end of the page is reached. */
export async function scrollStep(): Promise<boolean> {
  const page = document.scrollingElement ?? document.documentElement;
  if (!page) return true;
  scrollTo({ left: 0, top: scrollY + innerHeight * 0.8, behavior: 'instant' });
  // Observers of the viewport are told at the end of a frame, and then begin to load.
  await new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
  return scrollY + innerHeight >= page.scrollHeight - 1;
}

/** Back to the top; then true when every image is complete. Uses imagesComplete. */
export async function scrollBack(): Promise<boolean> {
  scrollTo({ left: 0, top: 0, behavior: 'instant' });
  await new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
  return imagesComplete();
}

/** Height of the whole document in CSS pixels; of its content when that is lower than the window. */
export function documentHeight(): number {
  const root = document.documentElement;
  if (!root) return innerHeight;
  const whole = Math.max(root.scrollHeight, document.body?.scrollHeight ?? 0);
  return Math.ceil(whole > innerHeight ? whole : root.getBoundingClientRect().height);
}

export function imagesComplete(): boolean {
  return [...document.images].every((image) => image.complete === true);
}
