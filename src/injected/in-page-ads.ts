/**
 * The code of ad blocking that runs inside pages. Each function is sent as its own source text; the parts of the DOM that
 * they touch are declared here, as in in-page.ts.
 */
import type { Marks } from './ad-test.ts';

interface Sheet {
  replaceSync(css: string): void;
}
interface MarkedElement {
  id: string;
  href?: unknown;
  classList: Iterable<string>;
}
declare const location: { href: string };
declare const document: {
  adoptedStyleSheets: Sheet[];
  querySelectorAll(selector: string): Iterable<MarkedElement>;
};
declare const CSSStyleSheet: new () => Sheet;

/** The distinct classes, ids and outgoing links. */
export function collectMarks(limit: number): { url: string; marks: Marks } {
  const classes = new Set<string>();
  const ids = new Set<string>();
  const hrefs = new Set<string>();
  for (const element of document.querySelectorAll('[class], [id], a[href]')) {
    if (classes.size + ids.size + hrefs.size > limit) break;
    for (const name of element.classList) classes.add(name);
    if (typeof element.id === 'string' && element.id !== '') ids.add(element.id);
    // Links of SVG have an object here.
    if (typeof element.href === 'string' && /^https?:/.test(element.href)) hrefs.add(element.href);
  }
  return { url: location.href, marks: { classes: [...classes], ids: [...ids], hrefs: [...hrefs] } };
}

/** Puts our sheet in place of the one before, and behind the page's own. */
export function replaceSheet(css: string): void {
  // The global object of our own world, which nobody else sees.
  const world = globalThis as { browserdAds?: Sheet };
  world.browserdAds ??= new CSSStyleSheet();
  const sheet = world.browserdAds;
  sheet.replaceSync(css);
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
}
