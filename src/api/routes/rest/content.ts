/** POST /content: returns the page's HTML after its scripts have run. */
import { contentBody } from '../../../base/schema/request/fields.ts';
import { pageRoute } from '../pipeline/route.ts';

export const content = pageRoute('rest', 'content', {
  summary: 'HTML of a page',
  description: 'Loads a page and returns its HTML after its scripts have run and all waits have ended.',
  body: contentBody,
  answers: ['text/html'],
  example: { url: 'https://example.com/' },
  async handle(job) {
    const [{ loadPage }, { readContent }] = await Promise.all([
      import('./load-page.ts'),
      import('../../../browser/page/capture/content.ts'),
    ]);
    const headers = await loadPage(job);
    const html = await job.page.waiting.for("the page's HTML", readContent(job.page));
    return { body: `${html}\n`, contentType: 'text/html; charset=UTF-8', headers };
  },
});
