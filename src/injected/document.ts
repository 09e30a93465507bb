/** Functions on the whole document that a page shows: its address and answer, tags, fonts, images, height and scrolling. */

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

/** What the document itself knows of the answer it came with. */
export function ownResponse(): { status: number; url: string } {
  const [entry] = performance.getEntriesByType('navigation');
  const status = entry instanceof PerformanceNavigationTiming ? entry.responseStatus : 0;
  return { status, url: location.href };
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

/** Scrolls the page to a place; null keeps that direction. Gives where it is then. */
export function scrollPageTo(x: number | null, y: number | null): { x: number; y: number } {
  scrollTo({ left: x ?? scrollX, top: y ?? scrollY, behavior: 'instant' });
  return { x: scrollX, y: scrollY };
}

/** Back to the top; then true when every image is complete. */
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

/** What a script gives, as text; null for nothing. */
export async function resultOf(script: () => unknown): Promise<string | null> {
  const value = await script();
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
