/** Reads and changes the page's document as a whole: URL, response, added tags, fonts, images, height and scrolling. */

/** Appends a script, style or link element; waits until an external one has loaded, and returns false if it fails. */
export function addTag(
  name: 'script' | 'style' | 'link',
  attributes: Record<string, string>,
  content: string | undefined,
): Promise<boolean> | boolean {
  const tag = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) tag.setAttribute(attribute, value);
  if (content !== undefined) tag.append(content);
  // Only external elements have a load event to wait for; an inline module has none.
  const external = name === 'link' || 'src' in attributes;
  const loaded = new Promise<boolean>((resolve) => {
    tag.addEventListener('load', () => resolve(true), { once: true });
    tag.addEventListener('error', () => resolve(false), { once: true });
  });
  (document.head ?? document.documentElement ?? document.body)?.append(tag);
  return external ? loaded : true;
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
