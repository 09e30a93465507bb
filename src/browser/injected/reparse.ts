/**
 * Changes a copy of a document so that the parser of HTML makes the same tree of its markup: scripts and XML put
 * elements where the parser does not leave them, such as a link in a link.
 */
import { isTag, unhidden } from './dom.ts';
import { rootsOf } from './style-rules.ts';

/** Whether the parser puts each of these elements (`<div><p>`) into the one before it, the last with this name. */
export function parsesAsNested(tags: string, name: string, template: HTMLTemplateElement): boolean {
  try {
    template.innerHTML = tags;
  } catch {
    // The Trusted Types of the page.
    return true;
  }
  let depth = 0;
  let last: DocumentFragment | Element = template.content;
  for (; last.childElementCount === 1 && last.firstElementChild; depth++) last = last.firstElementChild;
  const isLast =
    last.childElementCount === 0 && 'localName' in last && last.localName.toLowerCase() === name.toLowerCase();
  return isLast && depth === tags.split('<').length - 1;
}

/**
 * Puts each element that the parser would move into a template, out of which `unwrapAll` takes it in the parsed document.
 * @returns whether there was any
 */
export function wrapMisplaced(root: Element): boolean {
  const template = root.ownerDocument.createElement('template');
  const known = new Map<string, boolean>();
  const html = template.namespaceURI;
  const head = root.querySelector(':scope > head');
  // Chromium nests no deeper than 512.
  const maxTags = 5_000;
  const isKept = (parent: ParentNode, child: Element, tags: string): boolean => {
    const { localName } = child;
    if (parent === head) return /^(?:base|link|meta|title|noscript|noframes|style|script|template)$/.test(localName);
    // Depends on the mode of the document.
    if (localName === 'table' && document.compatMode === 'BackCompat') return true;
    const kept = known.get(tags) ?? (tags.length > maxTags || parsesAsNested(tags, localName, template));
    known.set(tags, kept);
    return kept;
  };
  let isChanged = false;
  const walk = (parent: Element | DocumentFragment, outer: string): void => {
    const children = parent instanceof DocumentFragment ? parent.children : unhidden(Element, 'children', parent);
    for (const child of Array.from(children)) {
      let tags = `${outer}<${child.localName}>`;
      if (!isKept(parent, child, tags)) {
        // Elements of SVG and MathML cannot contain a template.
        if ('namespaceURI' in parent && parent.namespaceURI !== html) continue;
        const wrapper = root.ownerDocument.createElement('template');
        wrapper.setAttribute('data-archive-content', '');
        child.replaceWith(wrapper);
        wrapper.content.append(child);
        tags = `<${child.localName}>`;
        isChanged = true;
      }
      if (!isTag(child, 'template')) walk(child, tags);
      else if (child.hasAttribute('shadowrootmode')) walk(child.content, '');
    }
  };
  for (const part of root.children) if (/^(?:head|body)$/.test(part.localName)) walk(part, '<div>');
  return isChanged;
}

/** Takes elements out of the templates of `wrapMisplaced`. */
export function unwrapAll(): void {
  const wrappers = () =>
    rootsOf().flatMap((root) => [...root.querySelectorAll<HTMLTemplateElement>('template[data-archive-content]')]);
  for (let found = wrappers(); found.length > 0; found = wrappers()) {
    for (const wrapper of found) wrapper.replaceWith(wrapper.content);
  }
}

/** Doubles the line break at the beginning of an element: the parser drops the first one. */
export function keepLineBreak(copy: Element): void {
  const text = copy.firstChild?.nodeType === Node.TEXT_NODE ? copy.firstChild : undefined;
  if (/^(?:pre|listing|textarea)$/.test(copy.localName) && text?.nodeValue?.startsWith('\n'))
    text.nodeValue = `\n${text.nodeValue}`;
}
