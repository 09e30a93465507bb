/** Completes the rules that rrweb reads: their text lacks values of shorthands with `var()`. */
import { rootsOf } from '../../../browser/injected/style-rules.ts';
import { hasPending, ruleSources, ruleText } from '../../../browser/injected/pending-css.ts';

/** Sources beyond this many characters are not parsed; the values come from elements of the page. */
const sourceCharacters = 200_000;

const known = new WeakMap<CSSStyleSheet, { source: string; rules: Map<string, string[]> }>();

function sourcesOf(sheet: CSSStyleSheet | null): Map<string, string[]> {
  const source = sheet?.ownerNode instanceof HTMLStyleElement ? sheet.ownerNode.textContent : '';
  if (sheet === null || source === '' || source.length > sourceCharacters) return new Map();
  const last = known.get(sheet);
  if (last?.source === source) return last.rules;
  const rules = ruleSources(source);
  known.set(sheet, { source, rules });
  return rules;
}

const adopters = new WeakMap<CSSStyleSheet, ShadowRoot>();

/** The document or the shadow tree that the style sheet belongs to; the first one for one that several have adopted. */
function treeOf(sheet: CSSStyleSheet | null): Document | ShadowRoot {
  const root = sheet?.ownerNode?.getRootNode();
  if (root instanceof ShadowRoot) return root;
  if (!sheet || root || document.adoptedStyleSheets.includes(sheet)) return document;
  let adopter = adopters.get(sheet);
  if (!adopter?.isConnected || !adopter.adoptedStyleSheets.includes(sheet)) {
    adopter = rootsOf().find((each) => each instanceof ShadowRoot && each.adoptedStyleSheets.includes(sheet)) as
      ShadowRoot | undefined; // As `find` has tested.
    if (adopter) adopters.set(sheet, adopter);
  }
  return adopter ?? document;
}

/** From now on, rules of this document read completely. */
export function completeRules(): void {
  const native = Object.getOwnPropertyDescriptor(CSSRule.prototype, 'cssText');
  let isCompleting = false;
  Object.defineProperty(CSSRule.prototype, 'cssText', {
    ...native,
    get(this: CSSRule): string {
      const text = String(native?.get?.call(this));
      if (isCompleting || !hasPending(text)) return text;
      isCompleting = true;
      try {
        return ruleText(this, sourcesOf(this.parentStyleSheet), treeOf(this.parentStyleSheet));
      } finally {
        isCompleting = false;
      }
    },
  });
}
