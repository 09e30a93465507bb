/**
 * Writes the rules that Chromium cannot: when a shorthand contains `var()` and another declaration overrides a part of
 * it, `cssText` has the other parts without a value (`padding-top: ; padding-bottom: 24px`).
 */
import { parseSheet } from './style-rules.ts';

/** Whether a declaration of a property, not of a custom property, has no value. */
export function hasPending(css: string): boolean {
  return /(?:^|[{;\s])(?!--)[a-z-]+: (?: !important)?;/.test(css);
}

/** The rules of a style sheet as text, and what the braces of each contain. */
export function splitCss(css: string): { text: string; inside: string }[] {
  const tokens =
    /\/\*[^]*?(?:\*\/|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|url\((?:\\[^]|[^"'()\\])*\)|\\[^]|[{};]/gi;
  const found: { text: string; inside: string }[] = [];
  let depth = 0;
  let start = 0;
  let open = 0;
  for (const { 0: token, index } of css.matchAll(tokens)) {
    if (token === '{' && depth++ === 0) open = index + 1;
    const ends = token === '}' ? --depth <= 0 : token === ';' && depth === 0;
    if (!ends) continue;
    depth = 0;
    found.push({ text: css.slice(start, index + 1).trim(), inside: token === '}' ? css.slice(open, index) : '' });
    start = index + 1;
  }
  return found;
}

/** The source of each rule that may have such declarations, by its `cssText`; in blocks too, down to this depth. */
export function ruleSources(source: string, depth = 8, found = new Map<string, string[]>()): Map<string, string[]> {
  for (const { text, inside } of splitCss(source)) {
    // Functions that are replaced when the value is computed.
    if (!/(?:\b(?:var|env|attr|if|inherit|random-item)|--[-\w]+)\(/i.test(text)) continue;
    const [rule, ...others] = parseSheet(text).cssRules;
    if (!rule || others.length > 0) continue;
    const known = found.get(rule.cssText);
    if (known) known.push(text);
    else found.set(rule.cssText, [text]);
    if (rule instanceof CSSGroupingRule && depth > 0) ruleSources(inside, depth - 1, found);
  }
  return found;
}

/** Declarations with the values of an element where their own are missing. */
export function withComputed(declarations: string, element: Element, pseudo = ''): string {
  const computed = (name: string): string =>
    pseudo === ''
      ? element.computedStyleMap().getAll(name).map(String).join(', ')
      : getComputedStyle(element, pseudo).getPropertyValue(name);
  return declarations.replace(
    /"(?:\\[^]|[^"\\])*"|(?<=^|[;\s])((?!--)[a-z-]+): ( !important)?;/g,
    (whole, name?: string, important = '') => (name === undefined ? whole : `${name}: ${computed(name)}${important};`),
  );
}

/** The first element that a selector matches, and the pseudo-element that it names. */
export function matchOf(selector: string, root: ParentNode): [Element, pseudo: string] | undefined {
  if (root instanceof ShadowRoot && /^:host(?:\(|$)/.test(selector)) return [root.host, ''];
  const [pseudo = ''] = /::[-\w]+(?:\([^()]*\))?/.exec(selector) ?? [];
  const plain = selector.replace(/::[-\w]+(?:\([^()]*\))?/g, '');
  try {
    const element = root.querySelector(plain === '' ? '*' : plain);
    return element ? [element, pseudo] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The rule as text: as in its source, or with the values of an element that it matches.
 * @param sources of the style sheet's rules; those with the same text take turns
 * @param outer the selector that the rule is nested in
 */
export function ruleText(rule: CSSRule, sources: Map<string, string[]>, root: ParentNode, outer = ':scope'): string {
  const { cssText } = rule;
  if (!hasPending(cssText)) return cssText;
  const list = sources.get(cssText);
  const source = list?.shift();
  if (source !== undefined) {
    list?.push(source);
    return source;
  }
  const declarations = (style: CSSStyleDeclaration, selector: string): string => {
    const match = matchOf(selector, root);
    return match ? withComputed(style.cssText, ...match) : style.cssText;
  };
  if (rule instanceof CSSStyleRule) {
    const selector = outer === ':scope' ? rule.selectorText : rule.selectorText.replaceAll('&', `:is(${outer})`);
    const inside = Array.from(rule.cssRules, (one) => ruleText(one, sources, root, selector));
    return `${rule.selectorText} { ${[declarations(rule.style, selector), ...inside].join('\n')} }`;
  }
  if (rule instanceof CSSNestedDeclarations) return declarations(rule.style, outer);
  if (!(rule instanceof CSSGroupingRule) || rule instanceof CSSPageRule) return cssText;
  const inside = Array.from(rule.cssRules, (one) => ruleText(one, sources, root, outer));
  return `${cssText.slice(0, cssText.indexOf('{'))}{ ${inside.join('\n')} }`;
}

/** The rules of a style sheet as text. */
export function rulesText(rules: readonly CSSRule[], source: string, root: ParentNode): string {
  const isPending = rules.some(({ cssText }) => hasPending(cssText));
  const sources = ruleSources(isPending ? source : '');
  return rules.map((rule) => ruleText(rule, sources, root)).join('\n');
}
