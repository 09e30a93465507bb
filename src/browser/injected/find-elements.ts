/** Finds elements for BrowserQL: by CSS, by a JavaScript snippet, or by CSS within given roots. */
import { isVisible, queryTrees } from './dom.ts';

/** Returns the elements that match a CSS selector; null when the selector is invalid. */
export function queryCss(selector: string): Element[] | null {
  try {
    return [...document.querySelectorAll(selector)];
  } catch {
    return null;
  }
}

/** Converts the value of a JavaScript selector (one node, a list, a NodeList, or nothing) to a list of elements. */
export function toElements(found: unknown): Element[] {
  const isElement = (value: unknown): value is Element =>
    typeof value === 'object' && value !== null && 'nodeType' in value && value.nodeType === 1;
  if (isElement(found)) return [found];
  if (found === document && document.documentElement) return [document.documentElement];
  if (typeof found !== 'object' || found === null) return [];
  if (Symbol.iterator in found) {
    // Any iterable will do: the filter drops items that are not elements.
    return [...(found as Iterable<unknown>)].filter(isElement);
  }
  return 'length' in found
    ? Array.from({ length: Number(found.length) }, (_, i) => Reflect.get(found, i)).filter(isElement)
    : [];
}

/** Counts the elements of a list; with `visible` only the visible ones. */
export function countOf(elements: Element[], visible: boolean): number {
  return visible ? elements.filter((element) => isVisible(element)).length : elements.length;
}

/** Returns the first element of a list; with `visible` the first visible one. */
export function firstOf(elements: Element[], visible: boolean): Element | null {
  return elements.find((element) => !visible || isVisible(element)) ?? null;
}

/** Runs a JavaScript selector and returns its elements. */
export async function elementsOf(snippet: () => unknown): Promise<Element[]> {
  return toElements(await snippet());
}

/**
 * Returns matches of a CSS selector in a document and in shadow trees found over CDP, including closed ones, in
 * document order.
 */
export function queryRoots(root: Document, css: string, ...shadows: ShadowRoot[]): Element[] {
  const byHost = new Map(shadows.map((shadow) => [shadow.host, shadow]));
  return byHost.size === 0 ? [...root.querySelectorAll(css)] : queryTrees(root, css, (element) => byHost.get(element));
}
