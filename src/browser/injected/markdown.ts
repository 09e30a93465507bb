/** Converts what a page shows to Markdown. Works on a copy, so the page itself stays unchanged. */
import type { Readability } from '@mozilla/readability';
import type TurndownService from 'turndown';
import { isTag, queryAll, unhidden } from './dom.ts';

/** The libraries, each loaded as a browser script. */
export interface MarkdownLibraries {
  TurndownService: typeof TurndownService;
  gfm: TurndownService.Plugin;
  /** Needed only for `onlyMainContent`. */
  Readability?: typeof Readability;
}

export interface MarkdownOptions {
  /** Selector of the elements to convert; the whole page when omitted. */
  selector?: string | undefined;
  /** Convert only the main content, without menus, sidebars and footers; the whole page when none is found. */
  onlyMainContent: boolean;
  /** Whether the page's scripts run; if not, the page shows `noscript` elements. */
  scripting: boolean;
  /** Write the URLs of links and images next to their text, as references at the end, or not at all. */
  links: 'inline' | 'referenced' | 'none';
}

/**
 * The text, or the reason why there is none: no match, an invalid selector, or a library failed (mostly on deep
 * nesting).
 */
export type MarkdownResult = { text: string } | { problem: 'absent' | 'invalid' | 'unfit' };

export function toMarkdown(libraries: MarkdownLibraries, options: MarkdownOptions): MarkdownResult {
  let roots: Element[];
  try {
    const whole = () => [unhidden(Document, 'body', document) ?? unhidden(Document, 'documentElement', document)];
    const found = new Set<Node>(options.selector === undefined ? whole() : queryAll(options.selector));
    const isNested = (node: Node): boolean => {
      for (let above = node.parentNode; above; above = above.parentNode) if (found.has(above)) return true;
      return false;
    };
    roots = [...found].filter((node) => node instanceof Element).filter((node) => !isNested(node));
  } catch {
    return { problem: 'invalid' };
  }
  if (roots.length === 0) return { problem: 'absent' };
  const title = unhidden(Document, 'title', document);
  const inert = unhidden(Document, 'implementation', document).createHTMLDocument(title);
  try {
    const noText = 'iframe,frame,object,embed,applet,video,audio,canvas,svg,select,datalist,textarea,noframes';
    const left = options.scripting ? `${noText},noscript` : noText;
    for (const root of roots) inert.body.append(copyShown(root, inert, left));
    const content =
      (options.onlyMainContent && libraries.Readability && mainContent(inert, libraries.Readability)) || inert.body;
    tidyLinks(content, options.links);
    tidyTables(content);
    const service = new libraries.TurndownService({
      headingStyle: 'atx',
      hr: '---',
      bulletListMarker: '-',
      codeBlockStyle: 'fenced',
      emDelimiter: '*',
      linkStyle: options.links === 'referenced' ? 'referenced' : 'inlined',
    });
    return { text: service.use(libraries.gfm).turndown(content) };
  } catch {
    return { problem: 'unfit' };
  }
}

/** Returns the main content with its title as heading; undefined when there is none. */
export function mainContent(shown: Document, reader: typeof Readability): HTMLElement | undefined {
  // Readability destroys its document even when it finds nothing: give it a clone.
  const given = shown.cloneNode(true) as Document;
  const article = new reader<Node>(given, { serializer: (node) => node, disableJSONLD: true }).parse();
  const [main, another] = shown.querySelectorAll<HTMLElement>('main,[role=main]');
  const lengthOf = (node: Node | null | undefined) => (node?.textContent ?? '').replace(/\s+/g, ' ').length;
  const content = shown.createElement('div');
  if (article?.content) content.append(article.content);
  const headings = 'h2,h3';
  const lost = main && main.querySelectorAll(headings).length > 1 && !content.querySelector(headings);
  // On reference pages, Readability mistakes the longest table for the article: then prefer the `main` element.
  if (main && !another && (lost || lengthOf(content) < lengthOf(main) / 2)) {
    for (const beside of main.querySelectorAll('nav,aside,footer,[role=navigation],[role=complementary]'))
      beside.remove();
    return main;
  }
  if (!article?.content) return undefined;
  if (article.title && !content.querySelector('h1')) {
    const heading = shown.createElement('h1');
    // A document's title often includes the site's name: prefer the h1 that the title contains.
    const titles = Array.from(shown.querySelectorAll('h1'), ({ textContent }) => textContent.trim());
    heading.textContent = titles.find((text) => text !== '' && article.title?.includes(text)) ?? article.title;
    content.prepend(heading);
  }
  return content;
}

/**
 * Copies the visible content: flattens shadow trees and slots, makes URLs absolute and turns code into plain text.
 * Leaves out elements with `display: none`.
 * @param left selector of further elements to leave out
 */
export function copyShown(element: Element, inert: Document, left: string): Node {
  const { display } = getComputedStyle(element);
  const isOneOf = (selector: string) => Element.prototype.matches.call(element, selector);
  if (isOneOf(left) || display === 'none') return inert.createDocumentFragment();
  if (isTag(element, 'pre')) return copyCode(element, inert);
  const assigned = isTag(element, 'slot') ? element.assignedNodes({ flatten: true }) : [];
  const copy = assigned.length > 0 ? inert.createDocumentFragment() : copyAlone(element, inert);
  const own = unhidden(Node, 'childNodes', unhidden(Element, 'shadowRoot', element) ?? element);
  for (const node of assigned.length > 0 ? assigned : own) {
    if (node.nodeType === Node.TEXT_NODE) copy.appendChild(inert.importNode(node, false));
    // The nodeType shows that it is an Element.
    else if (node.nodeType === Node.ELEMENT_NODE) copy.appendChild(copyShown(node as Element, inert, left));
  }
  // Only CSS separates buttons in a row or links in a menu, with no space in the markup: put spaces around them.
  const isApart = isOneOf('a,b,button,em,i,label,small,span,strong') && !/^(inline|contents)$/.test(display);
  if (!isApart) return copy;
  const apart = inert.createDocumentFragment();
  apart.append(' ', copy, ' ');
  return apart;
}

/** Copies an element without its children. */
export function copyAlone(element: Element, inert: Document): Node {
  const name = element.localName;
  // A form's own properties are hidden by fields with the same names; those of a block are not.
  const copy = element instanceof HTMLFormElement ? inert.createElement('div') : inert.importNode(element, false);
  const absolute = (text: string | null) => {
    const base = /^https?:/.test(document.baseURI) ? document.baseURI : undefined;
    return text !== null && URL.canParse(text, base) ? new URL(text, base).href : (text ?? '');
  };
  if (name === 'a') copy.setAttribute('href', absolute(element.getAttribute('href')));
  if (isTag(element, 'img')) copy.setAttribute('src', element.currentSrc || absolute(element.getAttribute('src')));
  if (isTag(element, 'input')) copy.toggleAttribute('checked', element.checked);
  if ((isTag(element, 'td') || isTag(element, 'th')) && element.style.textAlign !== '') {
    copy.setAttribute('align', element.style.textAlign);
  }
  // These make the libraries keep a table as HTML, or make Readability drop the element as hidden.
  for (const look of ['style', 'bgcolor', 'background', 'hidden']) copy.removeAttribute(look);
  return copy;
}

/** Copies a code block as its rendered text, without inner elements, with the language if the markup names it. */
export function copyCode(pre: HTMLPreElement, inert: Document): Node {
  const named = [pre.querySelector('code'), pre, pre.parentElement];
  const language = named
    .map(
      (element) =>
        element?.getAttribute('data-lang') ??
        element?.getAttribute('data-language') ??
        /\b(?:lang|language|highlight-source)-([\w+#-]+)/.exec(element?.className ?? '')?.[1],
    )
    .find((found) => found !== undefined);
  const block = inert.createElement('pre');
  const code = block.appendChild(inert.createElement('code'));
  if (language !== undefined) code.className = `language-${language}`;
  code.textContent = pre.innerText;
  return block;
}

/** Reduces links to what Markdown can express: a single line, with text and a usable URL. */
export function tidyLinks(content: HTMLElement, links: MarkdownOptions['links']): void {
  const leads = (address: string | null) =>
    links !== 'none' && address !== null && !/^(?:data|blob|javascript):|^$/i.test(address);
  for (const image of content.querySelectorAll('img')) {
    if (!leads(image.getAttribute('src'))) image.replaceWith(image.alt);
  }
  for (const link of content.querySelectorAll('a')) {
    const hasText = link.textContent.trim() !== '' || link.querySelector('img') !== null;
    if (!hasText) link.textContent = link.getAttribute('aria-label') ?? '';
    if (!leads(link.getAttribute('href')) || link.childNodes.length === 0) {
      link.replaceWith(...link.childNodes);
      continue;
    }
    const heading = link.querySelector('h1,h2,h3,h4,h5,h6');
    if (heading) {
      // A card that is one large link: keep the link on its heading only.
      const inner = link.cloneNode(false) as HTMLAnchorElement;
      inner.append(...heading.childNodes);
      heading.append(inner);
      link.replaceWith(...link.childNodes);
      continue;
    }
    const blocks =
      'address,article,aside,blockquote,br,div,dd,dl,dt,figure,figcaption,footer,header,hr,li,main,ol,p,section,ul';
    for (const block of link.querySelectorAll(blocks)) block.replaceWith(' ', ...block.childNodes, ' ');
    trimEnds(link);
  }
}

/** Moves spaces at both ends of a link out of it: Markdown would show them in `[ text ](url)`. */
export function trimEnds(link: HTMLElement): void {
  link.normalize();
  const [first, last] = [link.firstChild, link.lastChild];
  if (first?.nodeType === Node.TEXT_NODE && /^\s/.test(first.textContent ?? '')) {
    first.textContent = (first.textContent ?? '').trimStart();
    link.before(' ');
  }
  if (last?.nodeType === Node.TEXT_NODE && /\s$/.test(last.textContent ?? '')) {
    last.textContent = (last.textContent ?? '').trimEnd();
    link.after(' ');
  }
}

/**
 * Turns layout tables, whose cells contain more than a Markdown row can, into blocks; flattens lists in other tables.
 */
export function tidyTables(content: HTMLElement): void {
  const inert = content.ownerDocument;
  const unwrap = (part: Element): void => {
    const block = inert.createElement('div');
    block.append(...part.childNodes);
    part.replaceWith(block);
  };
  for (const table of content.querySelectorAll('table')) {
    const isLayout = table.matches('[role=presentation],[role=none]');
    if (isLayout || table.querySelector('table,h1,h2,h3,h4,h5,h6,hr,blockquote,pre')) {
      const parts = [table, ...table.querySelectorAll('caption,colgroup,thead,tbody,tfoot,tr,th,td')];
      for (const part of parts.filter((one) => one.closest('table') === table)) unwrap(part);
      continue;
    }
    for (const item of table.querySelectorAll('li')) {
      item.replaceWith('• ', ...item.childNodes, inert.createElement('br'));
    }
    for (const list of table.querySelectorAll('ul,ol')) list.replaceWith(...list.childNodes);
  }
  // Rows that a script or Readability left without a table get a new one; cells without a table become blocks.
  const made = new Set<Element>();
  for (const rows of content.querySelectorAll('thead,tbody,tfoot,tr')) {
    if (rows.closest('table')) continue;
    const before = rows.previousElementSibling;
    const table = before && made.has(before) ? before : inert.createElement('table');
    if (table !== before) rows.before(table);
    table.append(rows);
    made.add(table);
  }
  for (const cell of content.querySelectorAll('caption,colgroup,th,td')) if (!cell.closest('table')) unwrap(cell);
}
