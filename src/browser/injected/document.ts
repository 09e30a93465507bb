/** Reads and changes the page's document as a whole: URL, response, added tags, fonts, images, height and scrolling. */

/**
 * What became of an added element; `loading` where the page has no events because its scripts are off, `syntax-error`
 * also for a script that threw one while it ran.
 */
export type TagOutcome = 'added' | 'failed' | 'blocked' | 'scripts-off' | 'loading' | 'syntax-error';

/**
 * Appends a script, style or link element, and waits until an external one has loaded. An element that the page does
 * not let take effect is not left in the document.
 */
export function addTag(
  name: 'script' | 'style' | 'link',
  attributes: Record<string, string>,
  content: string | undefined,
): Promise<TagOutcome> | TagOutcome {
  const create = () => {
    // In an XML document, createElement creates an element without a namespace, which does nothing.
    const element = document.createElementNS('http://www.w3.org/1999/xhtml', name);
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    return element as HTMLScriptElement | HTMLStyleElement | HTMLLinkElement;
  };
  const append = (element: Element) => (document.head ?? document.documentElement ?? document).append(element);
  const tag = create();
  let hasEvents = false;
  const target = new EventTarget();
  target.addEventListener('probe', () => (hasEvents = true));
  target.dispatchEvent(new Event('probe'));
  const runs = /^(?:module|importmap|speculationrules|(?:text|application)\/(?:java|ecma)script)?$/i;
  if (name === 'script' && runs.test(attributes['type'] ?? '')) {
    if (!hasEvents) return 'scripts-off';
    if (content !== undefined) {
      // A policy that blocks the script blocks every inline script.
      const probe = create();
      probe.removeAttribute('type');
      probe.append('document.currentScript.title = "ran"');
      append(probe);
      probe.remove();
      if (probe.title !== 'ran') return 'blocked';
    }
  }
  if (content !== undefined) {
    tag.append(content);
    let isInvalid = false;
    const onError = ({ error }: ErrorEvent) => (isInvalid ||= error instanceof SyntaxError);
    addEventListener('error', onError);
    append(tag);
    removeEventListener('error', onError);
    if (isInvalid) return 'syntax-error';
    // A style element without a sheet is blocked by a policy.
    if (!('sheet' in tag) || tag.sheet !== null) return 'added';
    tag.remove();
    return 'blocked';
  }
  const loaded = new Promise<TagOutcome>((resolve) => {
    tag.addEventListener('load', () => resolve('added'), { once: true });
    tag.addEventListener('error', () => resolve('failed'), { once: true });
  });
  append(tag);
  return hasEvents ? loaded : 'loading';
}

/** True once the last link element has loaded its sheet. */
export function lastSheetLoaded(): boolean {
  return [...document.querySelectorAll<HTMLLinkElement>('link')].at(-1)?.sheet !== null;
}

/** Reads the status of the document's response from navigation timing (0 if there is none), and its URL. */
export function ownResponse(): { status: number; url: string } {
  const [entry] = performance.getEntriesByType('navigation');
  const status = entry instanceof PerformanceNavigationTiming ? entry.responseStatus : 0;
  return { status, url: location.href };
}

/** True for an empty blank document and for the browser's own error page. */
export function showsNothing(): boolean {
  if (location.protocol === 'chrome-error:') return true;
  return location.href === 'about:blank' && !document.body?.hasChildNodes();
}

/**
 * True immediately if no font is loading, otherwise false once all have loaded. Forces layout, which starts the loads.
 */
export function fontsReady(): Promise<boolean> | boolean {
  document.documentElement?.getBoundingClientRect();
  return document.fonts.status !== 'loading' || document.fonts.ready.then(() => false);
}

/**
 * Hides the scroll bar of the window, or shows it again. Emulation.setScrollbarsHidden does not: documents that are
 * already laid out keep theirs.
 */
export function hideScrollbar(hidden: boolean): void {
  const world = globalThis as { hiddenScrollbar?: CSSStyleSheet };
  const sheet = (world.hiddenScrollbar ??= new CSSStyleSheet());
  sheet.replaceSync(':root { scrollbar-width: none !important }');
  const others = document.adoptedStyleSheets.filter((each) => each !== sheet);
  document.adoptedStyleSheets = hidden ? [...others, sheet] : others;
}

/** Scrolls down by 0.8 of the window's height; returns whether the end of the page has been reached. */
export async function scrollStep(): Promise<boolean> {
  const page = document.scrollingElement ?? document.documentElement;
  if (!page) return true;
  scrollTo({ left: 0, top: scrollY + innerHeight * 0.8, behavior: 'instant' });
  // Intersection observers run at the end of a frame, and then start lazy loads.
  await new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
  return scrollY + innerHeight >= page.scrollHeight - 1;
}

/** Scrolls the page to a position; null keeps that coordinate. Returns the resulting position. */
export function scrollPageTo(x: number | null, y: number | null): { x: number; y: number } {
  scrollTo({ left: x ?? scrollX, top: y ?? scrollY, behavior: 'instant' });
  return { x: scrollX, y: scrollY };
}

/** Scrolls back to the top; returns whether every image is complete. */
export async function scrollBack(): Promise<boolean> {
  scrollTo({ left: 0, top: 0, behavior: 'instant' });
  await new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
  return imagesComplete();
}

/** How far the window is scrolled, in CSS pixels from the left and from the top. */
export function scrollPosition(): [number, number] {
  return [scrollX, scrollY];
}

export function scrollToPosition(left: number, top: number): void {
  scrollTo({ left, top, behavior: 'instant' });
}

/** Height of the whole document in CSS pixels; if the content is shorter than the window, the height of the content. */
export function documentHeight(): number {
  const root = document.documentElement;
  if (!root) return innerHeight;
  const whole = Math.max(root.scrollHeight, document.body?.scrollHeight ?? 0);
  return Math.ceil(whole > innerHeight ? whole : root.getBoundingClientRect().height);
}

export function imagesComplete(): boolean {
  return [...document.images].every((image) => image.complete);
}

export function readAddress(): string {
  return location.href;
}

export function readTitle(): string {
  return document.title;
}

export function readTitleAndAddress(): { title: string; url: string } {
  return { title: document.title, url: location.href };
}

/** Runs a script and returns its value as text; null for undefined and null. */
export async function resultOf(script: () => unknown): Promise<string | null> {
  const value = await script();
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
