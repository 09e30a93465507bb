/** POST /content: the page's HTML after its scripts ran. */
import { readContent } from '../../page/capture/content.ts';
import { contentBody } from '../../schema/request/fields.ts';
import { pageRoute } from '../pipeline/route.ts';
import { loadPage } from './load-page.ts';

export const content = pageRoute({
  name: 'content',
  summary: 'HTML of a page',
  description:
    'Loads a page and answers with its HTML as it stands after scripts ran and the waits of the request ended.',
  body: contentBody,
  answers: ['text/html'],
  example: { url: 'https://example.com/' },
  async handle(job) {
    const headers = await loadPage(job);
    const html = await job.page.waiting.for('the HTML of the page', readContent(job.page));
    return { body: `${html}\n`, contentType: 'text/html; charset=UTF-8', headers };
  },
});
