/** POST /scrape: returns text, markup, attributes, and boxes of the elements that selectors match. */
import { json } from '../../../base/schema/response/responses.ts';
import { type ScrapeResponse, scrapeResponse } from '../../../base/schema/response/rest.ts';
import { scrapeBody } from '../../../base/schema/request/fields.ts';
import { pageRoute } from '../pipeline/route.ts';

export const scrape = pageRoute('rest', 'scrape', {
  summary: 'Data from elements',
  description:
    'Loads a page, waits for every selector, and returns the elements that each one matches. `debugOpts` adds the console messages, network traffic, cookies, HTML, and a screenshot of the page.',
  body: scrapeBody,
  answers: [json(scrapeResponse)],
  example: { url: 'https://example.com/', elements: [{ selector: 'h1' }] },
  async handle(job) {
    const { page, body } = job;
    const [{ loadPage }, { scrapeElements }, { startDebug }] = await Promise.all([
      import('./load-page.ts'),
      import('../../../browser/page/capture/scrape.ts'),
      import('../../../browser/page/capture/debug.ts'),
    ]);
    const debug = body.debugOpts ? await startDebug(page, body.debugOpts) : undefined;
    const headers = await loadPage(job);
    const reading = scrapeElements(page, body.elements, body.bestAttempt ?? false);
    const data = await page.waiting.for("the page's elements", reading);
    // Omit fields that the request did not ask for (compatibility.mdx#scrape).
    const result: ScrapeResponse = { data, ...(debug ? { debug: await debug.collect() } : {}) };
    return { body: JSON.stringify(result, null, 2), contentType: 'application/json; charset=UTF-8', headers };
  },
});
