/** POST /markdown: returns the page as Markdown. */
import { markdownBody } from '../../../base/schema/request/fields.ts';
import { pageRoute } from '../pipeline/route.ts';

export const markdown = pageRoute('rest', 'markdown', {
  summary: 'Markdown of a page',
  description:
    'Loads a page and returns its visible content as Markdown (CommonMark with the tables, task lists, and strikethrough of GitHub). `onlyMainContent` leaves out menus, sidebars, and footers.',
  body: markdownBody,
  answers: ['text/markdown'],
  example: { url: 'https://example.com/', onlyMainContent: true },
  async handle(job) {
    const [{ loadPage }, { readMarkdown }] = await Promise.all([
      import('./load-page.ts'),
      import('../../../browser/page/capture/markdown.ts'),
    ]);
    const headers = await loadPage(job);
    const { selector, onlyMainContent, links } = job.body;
    const reading = readMarkdown(job.page, { selector, onlyMainContent: onlyMainContent ?? false, links });
    const text = await job.page.waiting.for("the page's Markdown", reading);
    return { body: `${text}\n`, contentType: 'text/markdown; charset=UTF-8', headers };
  },
});
