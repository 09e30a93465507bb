/** Strips elements, attributes and text from a page for readers and language models. Modifies the live document. */
import { textOf } from './dom.ts';

export interface CleanOptions {
  removeNonTextNodes?: boolean | null;
  removeAttributes?: boolean | null;
  removeRegex?: boolean | null;
  selectors?: string[] | null;
  attributes?: (string | null)[] | null;
  mode?: 'ALLOW' | 'DENY' | null;
  regexes?: string[] | null;
}

/** Cleans the element and its descendants, then returns its markup or text. */
export function cleanUp(element: Element, options: CleanOptions, kind: 'html' | 'text'): string {
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
      for (const name of node.getAttributeNames()) if (!keeps(name)) node.removeAttribute(name);
    }
  }
  let result = kind === 'html' ? element.outerHTML : textOf(element);
  if (options.removeRegex ?? true) {
    const patterns = [/\n/g, /\r/g, /\t/g, / {2,}/g, /<!--[^]*?-->/g];
    for (const pattern of patterns) result = result.replace(pattern, ' ');
  }
  for (const source of options.regexes ?? []) result = result.replace(new RegExp(source, 'g'), ' ');
  return result;
}
