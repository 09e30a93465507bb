/** Reads the rules of style sheets as they are now: scripts may have changed them, and the text does not show that. */

/** The rules of a style sheet; undefined for one of another origin, which scripts cannot change either. */
export function rulesOf(sheet: CSSStyleSheet): CSSRule[] | undefined {
  try {
    return [...sheet.cssRules];
  } catch {
    return undefined;
  }
}

/** The document, or an open shadow tree in it, and all open shadow trees below. */
export function rootsOf(root: Document | ShadowRoot = document): (Document | ShadowRoot)[] {
  const below = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? rootsOf(shadowRoot) : []));
  return [root, ...below];
}

/** The style sheets that a style sheet with these rules imports. */
export function importedBy(rules: readonly CSSRule[]): CSSStyleSheet[] {
  const found: CSSStyleSheet[] = [];
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) found.push(rule.styleSheet);
      // Only statements of @layer can precede an import.
    } else if (!(rule instanceof CSSLayerStatementRule)) break;
  }
  return found;
}

/**
 * Parses text as a style sheet without loading what it imports. The Content-Security-Policy of the page may forbid the
 * element: the result is then without imports, as that of a constructed style sheet always is.
 */
export function parseSheet(text: string): CSSStyleSheet {
  if (/@import/i.test(text)) {
    const inert = document.implementation.createHTMLDocument('');
    const style = inert.createElement('style');
    style.textContent = text;
    inert.head.append(style);
    if (style.sheet) return style.sheet;
  }
  const constructed = new CSSStyleSheet();
  constructed.replaceSync(text);
  return constructed;
}

/** Whether these are the rules of a style sheet with this text. */
export function areRulesOf(source: string, rules: readonly CSSRule[]): boolean {
  const { cssRules, ownerNode } = parseSheet(source);
  const isComplete = ownerNode !== null || !/@import/i.test(source);
  const compared = isComplete ? rules : rules.filter((rule) => !(rule instanceof CSSImportRule));
  return compared.length === cssRules.length && compared.every(({ cssText }, at) => cssText === cssRules[at]?.cssText);
}

/** URLs of the style sheets that scripts may have changed. */
export function changeableSheets(root: DocumentOrShadowRoot): string[] {
  const urls: string[] = [];
  const add = (sheet: CSSStyleSheet) => {
    const rules = rulesOf(sheet);
    if (!rules) return;
    if (sheet.href !== null) urls.push(sheet.href);
    for (const imported of importedBy(rules)) add(imported);
  };
  for (const sheet of root.styleSheets) add(sheet);
  return urls;
}
