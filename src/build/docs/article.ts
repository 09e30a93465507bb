/** Extracts headings, search sections, Markdown and links from a rendered article. */
import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import { toString as hastToString } from 'hast-util-to-string';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { SKIP, visit } from 'unist-util-visit';
import type { Heading, PageMeta, SampleCount, Section } from '../../web/docs/site/model.ts';

export interface ReadArticle {
  headings: Heading[];
  sections: Section[];
  markdown: string;
  /** The `href` of each link of the article, as written. */
  links: string[];
  /** Every id of the article. */
  ids: string[];
  words: number;
}

const classes = (node: Element): string[] => {
  const given = node.properties['className'];
  return Array.isArray(given) ? given.map(String) : [];
};

/**
 * Whether an element is not text of the page: the live panel, heading links, buttons, boxes that need scripts, code
 * labels, and charts, whose numbers are also in tables.
 */
const isNotContent = (node: Element): boolean =>
  node.tagName === 'button' ||
  (node.tagName === 'form' && classes(node).includes('panel')) ||
  // Parts of samples that only appear with a credential: the server adds them where one is needed.
  'dataCred' in node.properties ||
  classes(node).some((name) =>
    ['hash', 'code-bar', 'hidden', 'needs-script', 'code-verified', 'code-unverified', 'charts'].includes(name),
  );

export function readArticle(page: PageMeta, html: string): ReadArticle {
  const tree = fromHtml(html, { fragment: true });
  const links: string[] = [];
  const ids: string[] = [];
  visit(tree, 'element', (node) => {
    if (typeof node.properties['id'] === 'string') ids.push(node.properties['id']);
    if (node.tagName === 'a' && typeof node.properties['href'] === 'string') links.push(node.properties['href']);
  });
  const plain = onlyContent(tree);
  const sections = sectionsOf(plain);
  const headings = sections
    .filter(({ level }) => level === 2 || level === 3)
    .map(({ level, id, heading }) => ({ level, id, text: heading }));
  return {
    headings,
    sections: sections.map(({ id, heading, text, code }) => ({
      id,
      heading,
      text: tidy(text),
      code: namesIn(code, text),
    })),
    markdown: markdownOf(page, plain),
    links,
    ids,
    words: tidy(sections.map(({ text, code }) => `${text} ${code}`).join(' ')).split(' ').length,
  };
}

function onlyContent(tree: Root): Root {
  const copy = structuredClone(tree);
  visit(copy, 'element', (node, index, parent) => {
    if (parent === undefined || index === undefined || !isNotContent(node)) return undefined;
    parent.children.splice(index, 1);
    return [SKIP, index];
  });
  return copy;
}

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();

interface OpenSection extends Section {
  level: number;
}

/** Consecutive code elements in a table cell are displayed one below the other. */
const isCode = (node: Nodes | undefined): boolean => node?.type === 'element' && node.tagName === 'code';

/** Elements excluded from the search: tab names, and elements that their component marks as unsearched. */
const isUnsearched = (node: Element): boolean =>
  'dataUnsearched' in node.properties || node.properties['role'] === 'tablist' || classes(node).includes('panel-label');

/**
 * Returns the text for the search, or the code of code blocks. A space ends each block, so that words of adjacent
 * blocks do not run together.
 */
function spaced(node: Nodes, part: 'text' | 'code', inCode = false): string {
  if (node.type === 'text') return inCode === (part === 'code') ? node.value : '';
  if (!('children' in node)) return '';
  if (node.type === 'element' && isUnsearched(node)) return '';
  const below = inCode || (node.type === 'element' && node.tagName === 'pre');
  const inner = node.children
    .map((child, at) => (isCode(child) && isCode(node.children[at - 1]) ? ' ' : '') + spaced(child, part, below))
    .join('');
  const inline = node.type === 'element' && /^(a|code|span|em|strong|b|i|kbd|sup|sub)$/.test(node.tagName);
  return inline ? inner : `${inner} `;
}

/**
 * Returns the names in code that a reader may search for (`connectOverCDP`, `proxy_read_timeout`, `--proxy-server`),
 * without those in the text.
 */
function namesIn(code: string, text: string): string {
  const names = code.match(/--[a-z][\w-]+|[A-Za-z_]\w{2,}/g) ?? [];
  // Skip names such as `_000`, which is the end of a number.
  const telling = names.filter(
    (name) => /^--|_|[a-z][A-Z]/.test(name) && !/^[_\d]+$/.test(name) && !text.includes(name),
  );
  return [...new Set(telling)].join(' ');
}

function sectionsOf(tree: Root): OpenSection[] {
  const sections: OpenSection[] = [{ level: 1, id: '', heading: '', text: '', code: '' }];
  const walk = (nodes: readonly (ElementContent | Root['children'][number])[]) => {
    for (const node of nodes) {
      const level = node.type === 'element' ? /^h([234])$/.exec(node.tagName)?.[1] : undefined;
      if (node.type === 'element' && level !== undefined && typeof node.properties['id'] === 'string') {
        sections.push({
          level: Number(level),
          id: node.properties['id'],
          heading: tidy(hastToString(node)),
          text: '',
          code: '',
        });
        continue;
      }
      const holdsHeadings = node.type === 'element' && /<h[234] /.test(outline(node));
      const last = sections.at(-1);
      if (holdsHeadings && node.type === 'element' && !isUnsearched(node)) walk(node.children);
      else if (last !== undefined) {
        last.text += spaced(node, 'text');
        last.code += spaced(node, 'code');
      }
    }
  };
  walk(tree.children);
  return sections;
}

/** Returns the start tags of the headings inside an element, which show whether it contains sections. */
function outline(node: Element): string {
  let found = '';
  visit(node, 'element', (inner) => {
    if (/^h[234]$/.test(inner.tagName)) found += `<${inner.tagName} `;
  });
  return found;
}

/** Converts the page to Markdown, with the panels of all tabs, starting with a link to the list of all pages. */
function markdownOf(page: PageMeta, tree: Root): string {
  const mdast = toMdast(tree, { document: true });
  const body = toMarkdown(mdast, {
    extensions: [gfmToMarkdown({ tablePipeAlign: false, tableCellPadding: true })],
    bullet: '-',
    fences: true,
    rule: '-',
  });
  const header = `---\ntitle: ${JSON.stringify(page.title)}\ndescription: ${JSON.stringify(page.description)}\nurl: ${page.path}\n---\n`;
  return `${header}\n> All pages: /llms.txt\n\n# ${page.title}\n\n${body}`;
}

/** Counts the samples in a page's source by how the test suite handles them. */
export function countSamples(source: string): SampleCount {
  const count: SampleCount = { executed: 0, checked: 0, never: 0 };
  for (const [, meta = ''] of source.matchAll(/^```\w+(.*)$/gm)) {
    if (/mode="ci"/.test(meta)) count.executed++;
    else if (/mode="(?:syntax|installed)"/.test(meta)) count.checked++;
    else if (/mode="never"/.test(meta)) count.never++;
  }
  return count;
}

/** Adds up the sample counts of several pages. */
export const sumOf = (counts: readonly SampleCount[]): SampleCount =>
  counts.reduce(
    (sum, { executed, checked, never }) => ({
      executed: sum.executed + executed,
      checked: sum.checked + checked,
      never: sum.never + never,
    }),
    { executed: 0, checked: 0, never: 0 },
  );
