/** Cleaning a page for readers and language models. Contract section 2.2, CleanInput. It changes the page itself. */
import type { DomElement } from './in-element.ts';

export interface CleanOptions {
  removeNonTextNodes?: boolean | null;
  removeAttributes?: boolean | null;
  removeRegex?: boolean | null;
  selectors?: string[] | null;
  attributes?: (string | null)[] | null;
  mode?: 'ALLOW' | 'DENY' | null;
  regexes?: string[] | null;
}

interface Cleanable extends DomElement {
  attributes: Iterable<{ name: string }>;
  removeAttribute(name: string): void;
  remove(): void;
  querySelectorAll(selector: string): Iterable<Cleanable>;
}

/** Runs in the page: cleans the element and all below it, then gives its markup or text. */
export function cleanUp(root: DomElement, options: CleanOptions, kind: 'html' | 'text'): string {
  // Whatever is an element can be cleaned.
  const element = root as Cleanable;
  const builtIn =
    'script,style,link,meta,noscript,template,iframe,frame,object,embed,applet,video,audio,source,track,canvas,svg,picture,img,map,area';
  if (options.removeNonTextNodes ?? true) {
    const selectors = options.selectors ?? [builtIn];
    for (const selector of selectors) for (const node of element.querySelectorAll(selector)) node.remove();
  }
  if (options.removeAttributes ?? false) {
    const listed = options.attributes?.filter((name) => name !== null).map((name) => name.toLowerCase());
    const keeps = (name: string): boolean => {
      if (!listed) return false;
      return listed.includes(name.toLowerCase()) === (options.mode === 'ALLOW');
    };
    for (const node of [element, ...element.querySelectorAll('*')]) {
      for (const { name } of [...node.attributes]) if (!keeps(name)) node.removeAttribute(name);
    }
  }
  let result = kind === 'html' ? element.outerHTML : (element.innerText ?? element.textContent ?? '');
  if (options.removeRegex ?? true) {
    const patterns = [/\n/g, /\r/g, /\t/g, / {2,}/g, /<!--[^]*?-->/g];
    for (const pattern of patterns) result = result.replace(pattern, ' ');
  }
  for (const source of options.regexes ?? []) result = result.replace(new RegExp(source, 'g'), ' ');
  return result;
}
