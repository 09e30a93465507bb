/** Generates the files for language models: /llms.txt, all pages in one file, and one file per guide. */
import type { Page, Sidebar } from '../../web/docs/site/model.ts';
import { pagesOf } from '../../web/docs/site/sidebars.ts';
import { site } from '../../web/docs/site/site.ts';
import type { OutputFile } from '../output.ts';

const plain = 'text/plain; charset=utf-8';
/**
 * Limit of /llms.txt, which must fit into a model's context along with other text; a longer list omits descriptions.
 */
const maxCharacters = 50_000;

export function llmsFiles(pages: readonly Page[], sidebars: readonly Sidebar[]): OutputFile[] {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const inside = new Map(
    sidebars.map((sidebar) => [
      sidebar,
      pagesOf(sidebar.items).flatMap(({ path }) => {
        const page = byPath.get(path);
        return page === undefined ? [] : [page];
      }),
    ]),
  );
  const taken = new Set([...inside.values()].flat());
  const others = pages.filter((page) => !taken.has(page) && !page.path.startsWith('/components/'));
  const list = (title: string, members: readonly Page[], withText: boolean) =>
    `## ${title}\n\n${members
      .map(({ path, title: name, description }) => `- [${name}](${twinOf(path)})${withText ? `: ${description}` : ''}`)
      .join('\n')}\n`;
  const head = `# ${site.name}\n\n> ${site.summary}\n\nEvery page is also available as Markdown: append .md to its URL.\n\n`;
  const full = (withText: boolean) =>
    head +
    [
      list('Start', others, withText),
      ...[...inside].map(([{ label }, members]) => list(label, members, withText)),
    ].join('\n');
  const text = full(true).length < maxCharacters ? full(true) : full(false);
  return [
    { path: '/llms.txt', type: plain, text, lasting: false },
    {
      path: '/llms-full.txt',
      type: plain,
      text: pages
        .filter(({ path }) => !path.startsWith('/components/'))
        .map(({ markdown }) => markdown)
        .join('\n\n'),
      lasting: false,
    },
    ...[...inside].map(([{ id }, members]) => ({
      path: `/llms-${id}.txt`,
      type: plain,
      text: members.map(({ markdown }) => markdown).join('\n\n'),
      lasting: false,
    })),
  ];
}

const twinOf = (path: string): string => (path === '/' ? '/index.md' : `${path}.md`);
