/** The code of ad blocking that runs inside pages, in a world of ours. */

/** What the generic rules of ad blocking are looked up by. */
export interface Marks {
  classes: string[];
  ids: string[];
  hrefs: string[];
}

/** The distinct classes, ids and outgoing links. */
export function collectMarks(limit: number): { url: string; marks: Marks } {
  const classes = new Set<string>();
  const ids = new Set<string>();
  const hrefs = new Set<string>();
  const marked: Iterable<Element & { href?: unknown }> = document.querySelectorAll('[class], [id], a[href]');
  for (const element of marked) {
    if (classes.size + ids.size + hrefs.size > limit) break;
    for (const name of element.classList) classes.add(name);
    // A form has its own field here when that is called "id".
    if (typeof element.id === 'string' && element.id !== '') ids.add(element.id);
    // Links of SVG have an object here.
    if (typeof element.href === 'string' && /^https?:/.test(element.href)) hrefs.add(element.href);
  }
  return { url: location.href, marks: { classes: [...classes], ids: [...ids], hrefs: [...hrefs] } };
}

/** Puts our sheet in place of the one before, and behind the page's own. */
export function replaceSheet(css: string): void {
  // The global object of our own world, which nobody else sees.
  const world = globalThis as { browserdAds?: CSSStyleSheet };
  world.browserdAds ??= new CSSStyleSheet();
  const sheet = world.browserdAds;
  sheet.replaceSync(css);
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
}
