/** Elements that a selector of BrowserQL finds: CSS, a snippet of JavaScript, or CSS within given roots. */
import { isVisible } from './dom.ts';

/** Elements of a CSS selector; null when the text is no CSS. */
export function queryCss(selector: string): Element[] | null {
  try {
    return [...document.querySelectorAll(selector)];
  } catch {
    return null;
  }
}

/** Elements of a list, a node list, one node, or nothing: what a JavaScript selector may give. */
export function toElements(found: unknown): Element[] {
  const isElement = (value: unknown): value is Element =>
    typeof value === 'object' && value !== null && 'nodeType' in value && value.nodeType === 1;
  if (isElement(found)) return [found];
  if (found === document && document.documentElement) return [document.documentElement];
  if (typeof found !== 'object' || found === null) return [];
  if (Symbol.iterator in found) {
    // What is iterable is a list of nodes, or not of our concern: everything else is left out.
    return [...(found as Iterable<unknown>)].filter(isElement);
  }
  return 'length' in found
    ? Array.from({ length: Number(found.length) }, (_, i) => Reflect.get(found, i)).filter(isElement)
    : [];
}

/** How many elements a list has; only those that can be seen when asked for. */
export function countOf(elements: Element[], visible: boolean): number {
  return visible ? elements.filter((element) => isVisible(element)).length : elements.length;
}

/** The first element of a list, or the first that can be seen. */
export function firstOf(elements: Element[], visible: boolean): Element | null {
  return elements.find((element) => !visible || isVisible(element)) ?? null;
}

/** The elements that a snippet of JavaScript gives. */
export async function elementsOf(snippet: () => unknown): Promise<Element[]> {
  return toElements(await snippet());
}

/** Elements of a CSS selector below the roots: a document, and shadow trees that only the DevTools protocol sees. */
export function queryRoots(root: ParentNode, css: string, ...others: ParentNode[]): Element[] {
  return [root, ...others].flatMap((one) => [...one.querySelectorAll(css)]);
}
