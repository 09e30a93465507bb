/** Adds style sheets that only lazy scripts need, as constructed sheets, which the Content-Security-Policy allows. */

const added = new Set<string>();

/** Adds a style sheet to the page; adding it again does nothing. */
export function addStyles(text: string): void {
  if (added.has(text)) return;
  added.add(text);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets.push(sheet);
}
