/** Collects the page data that the ad rules need, and hides ads; runs inside pages, in an isolated world. */

/** The keys that the blocker uses to look up generic rules. */
export interface Marks {
  classes: string[];
  ids: string[];
  hrefs: string[];
}

/** Collects the distinct classes, ids and http(s) links of the document, up to about `limit` in total. */
export function collectMarks(limit: number): { url: string; marks: Marks } {
  const classes = new Set<string>();
  const ids = new Set<string>();
  const hrefs = new Set<string>();
  const marked: Iterable<Element & { href?: unknown }> = document.querySelectorAll('[class], [id], a[href]');
  for (const element of marked) {
    if (classes.size + ids.size + hrefs.size > limit) break;
    for (const name of element.classList) classes.add(name);
    // In a form, `id` is the field named "id" if there is one.
    if (typeof element.id === 'string' && element.id !== '') ids.add(element.id);
    // In an SVG link, `href` is an object.
    if (typeof element.href === 'string' && /^https?:/.test(element.href)) hrefs.add(element.href);
  }
  return { url: location.href, marks: { classes: [...classes], ids: [...ids], hrefs: [...hrefs] } };
}

/** Replaces the text of our constructed style sheet, which follows the page's own sheets. */
export function replaceSheet(css: string): void {
  // The global object of our isolated world, which the page cannot see.
  const world = globalThis as { browserdAds?: CSSStyleSheet };
  world.browserdAds ??= new CSSStyleSheet();
  const sheet = world.browserdAds;
  sheet.replaceSync(css);
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
}
