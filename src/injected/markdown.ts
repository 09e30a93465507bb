/** What a page shows, as Markdown. It is made of a copy: the page itself stays as it is. */
import type { Readability } from '@mozilla/readability';
import type TurndownService from 'turndown';
import { isTag, queryAll } from './dom.ts';

/** The libraries, each of which is a script for browsers. */
export interface MarkdownLibraries {
  TurndownService: typeof TurndownService;
  gfm: TurndownService.Plugin;
  /** Only needed for the main content. */
  Readability?: typeof Readability;
}

export interface MarkdownOptions {
  /** Elements to convert; the whole page when left out. */
  selector?: string | undefined;
  /** What a reader came for, without menus, sidebars and footers; the whole page where no such part is found. */
  onlyMainContent: boolean;
  /** Whether scripts of the page run; `noscript` is shown where they do not. */
  scripting: boolean;
  /** Whether addresses of links and images stand beside their text, once each at the end, or nowhere. */
  links: 'inline' | 'referenced' | 'none';
}

/** The text, or why there is none: nothing matches, the selector is none, a library gave up (on depth above all). */
export type MarkdownResult = { text: string } | { problem: 'absent' | 'invalid' | 'unfit' };

export function toMarkdown(libraries: MarkdownLibraries, options: MarkdownOptions): MarkdownResult {
  let roots: Element[];
  try {
    const found =
      options.selector === undefined ? [document.body ?? document.documentElement] : queryAll(options.selector);
    roots = found.filter((element) => !found.some((other) => other !== element && other.contains(element)));
  } catch {
    return { problem: 'invalid' };
  }
  if (roots.length === 0) return { problem: 'absent' };
  const inert = document.implementation.createHTMLDocument(document.title);
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

/** The part that a reader came for, headed by its title; undefined where there is none. */
export function mainContent(shown: Document, reader: typeof Readability): HTMLElement | undefined {
  // It takes apart what it is given, also where it finds nothing.
  const given = shown.cloneNode(true) as Document;
  const article = new reader<Node>(given, { serializer: (node) => node, disableJSONLD: true }).parse();
  const [main, another] = shown.querySelectorAll<HTMLElement>('main,[role=main]');
  const lengthOf = (node: Node | null | undefined) => (node?.textContent ?? '').replace(/\s+/g, ' ').length;
  const content = shown.createElement('div');
  if (article?.content) content.append(article.content);
  const headings = 'h2,h3';
  const lost = main && main.querySelectorAll(headings).length > 1 && !content.querySelector(headings);
  // Of a reference it takes the longest table for the article.
  if (main && !another && (lost || lengthOf(content) < lengthOf(main) / 2)) {
    for (const beside of main.querySelectorAll('nav,aside,footer,[role=navigation],[role=complementary]'))
      beside.remove();
    return main;
  }
  if (!article?.content) return undefined;
  if (article.title && !content.querySelector('h1')) {
    const heading = shown.createElement('h1');
    // The title of a document often names the site as well.
    const titles = Array.from(shown.querySelectorAll('h1'), ({ textContent }) => textContent.trim());
    heading.textContent = titles.find((text) => text !== '' && article.title?.includes(text)) ?? article.title;
    content.prepend(heading);
  }
  return content;
}

/**
 * A copy of what is shown: shadow trees and slots where they stand, addresses absolute, code as plain text. What is not
 * displayed is left out.
 * @param left selector of what is left out as well
 */
export function copyShown(element: Element, inert: Document, left: string): Node {
  const { display } = getComputedStyle(element);
  if (element.matches(left) || display === 'none') return inert.createDocumentFragment();
  if (isTag(element, 'pre')) return copyCode(element, inert);
  const assigned = isTag(element, 'slot') ? element.assignedNodes({ flatten: true }) : [];
  const copy = assigned.length > 0 ? inert.createDocumentFragment() : copyAlone(element, inert);
  for (const node of assigned.length > 0 ? assigned : (element.shadowRoot ?? element).childNodes) {
    if (node.nodeType === Node.TEXT_NODE) copy.appendChild(inert.importNode(node, false));
    // The kind of a node tells its type.
    else if (node.nodeType === Node.ELEMENT_NODE) copy.appendChild(copyShown(node as Element, inert, left));
  }
  // Buttons in a row, links in a menu: no blank in the markup keeps their texts apart, but their style does.
  const isApart = element.matches('a,b,button,em,i,label,small,span,strong') && !/^(inline|contents)$/.test(display);
  if (!isApart) return copy;
  const apart = inert.createDocumentFragment();
  apart.append(' ', copy, ' ');
  return apart;
}

/** A copy without what is in it. */
export function copyAlone(element: Element, inert: Document): Node {
  const name = element.localName;
  const copy = inert.importNode(element, false);
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
  // They make a table one that Markdown cannot show, and have Readability look for what is hidden.
  for (const look of ['style', 'bgcolor', 'background', 'hidden']) copy.removeAttribute(look);
  return copy;
}

/** A block of code: its lines as they are shown, whatever elements they are made of, and the language where it is named. */
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

/** Links that Markdown can carry: on one line, with a text, to an address that leads somewhere. */
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
      // A card: the whole of it leads to where its heading does.
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

/** Puts the blanks at both ends of a link beside it: Markdown would show those of `[ text ](address)`. */
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

/** Tables that hold what no row of Markdown can are there for the layout: what is in them stands below one another. */
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
  // What a script or Readability left without its table, and the cells of layout tables.
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
