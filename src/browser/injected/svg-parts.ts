/** Copies what `use` elements show from other files: a page on the disk may not read another file. */
import { parseSheet } from './style-rules.ts';

/** URL of the other file that a `use` element shows a part of, with the part's id as fragment. */
export function usedUrl(element: Element): string | undefined {
  if (element.localName !== 'use') return undefined;
  const text = (element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? '').trim();
  if (text === '' || text.startsWith('#') || !URL.canParse(text, document.baseURI)) return undefined;
  return new URL(text, document.baseURI).href;
}

/** The id that a fragment names; what is not encoded correctly stays as it is. */
export function decodeId(fragment: string): string {
  return fragment.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/** URLs of the files that `use` elements in this tree show parts of. */
export function usedFiles(root: ParentNode): string[] {
  return [...root.querySelectorAll('use')].flatMap((element) => usedUrl(element)?.split('#', 1) ?? []);
}

/** Parses an SVG file; undefined if it has another format, or if the Trusted Types of the page forbid it. */
export function parseSvg(text: string): Document | undefined {
  try {
    const file = new DOMParser().parseFromString(text, 'image/svg+xml');
    return file.documentElement.localName === 'svg' ? file : undefined;
  } catch {
    return undefined;
  }
}

/** An element for copies from SVG files, which takes no space in the page. */
export function partsHolder(id: string): Element {
  const holder = document.implementation.createDocument('http://www.w3.org/2000/svg', 'svg').documentElement;
  holder.setAttribute('id', id);
  holder.setAttribute('aria-hidden', 'true');
  const rest = ['width', 'height', 'left', 'top', 'margin', 'padding', 'border'].map((name) => `${name}:0!important`);
  holder.setAttribute('style', `position:absolute!important;overflow:hidden!important;${rest.join(';')}`);
  return holder;
}

/** The style sheet for elements with this mark alone; an ancestor cannot limit it, for `use` shows them without any. */
export function cssOnly(css: string, mark: string): string {
  const limit = (rules: Iterable<CSSRule>) => {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) rule.selectorText = `:is(${rule.selectorText}):where([data-${mark}])`;
      else if (rule instanceof CSSGroupingRule) limit(rule.cssRules);
    }
  };
  const { cssRules } = parseSheet(css);
  limit(cssRules);
  return Array.from(cssRules, ({ cssText }) => cssText).join('\n');
}

/**
 * Copies an element of an SVG file, all that it refers to and the styles of the file into the holder, where their ids
 * have the holder's id in front.
 * @returns id of the copy; undefined if the file has no such element
 */
export function copyPart(file: Document, id: string, holder: Element): string | undefined {
  const target = id === '' ? file.documentElement : file.getElementById(id);
  if (!target) return undefined;
  const prefix = `${holder.id}-`;
  const waiting = new Set([target]);
  const renamed = (text: string): string =>
    text.replace(/#([-\w.]+)/g, (whole, name: string) => {
      const found = file.getElementById(name);
      if (!found) return whole;
      waiting.add(found);
      return `#${prefix}${name}`;
    });
  const rename = (element: Element) => {
    if (element.id !== '') element.id = prefix + element.id;
    for (const attribute of element.attributes) {
      if (attribute.value.includes('#')) attribute.value = renamed(attribute.value);
    }
    element.setAttribute(`data-${holder.id}`, '');
    if (/^(?:script|style)$/.test(element.localName)) element.remove();
  };
  if (!holder.querySelector(':scope > style')) {
    for (const style of file.querySelectorAll('style')) {
      const copy = holder.ownerDocument.importNode(style, true);
      copy.textContent = renamed(cssOnly(style.textContent, holder.id));
      holder.append(copy);
    }
  }
  // The set grows in the loop.
  for (const element of waiting) {
    const name = element.id === '' ? 'file' : element.id;
    if (holder.ownerDocument.getElementById(prefix + name)) continue;
    const copy = holder.ownerDocument.importNode(element, true);
    copy.id = name;
    for (const one of [copy, ...copy.querySelectorAll('*')]) rename(one);
    holder.append(copy);
  }
  return prefix + (target.id === '' ? 'file' : target.id);
}
