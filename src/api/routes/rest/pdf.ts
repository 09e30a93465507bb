/** POST /pdf: returns the page as a PDF document. */
import { pdfBody } from '../../../base/schema/request/fields.ts';
import { pageRoute } from '../pipeline/route.ts';

export const pdf = pageRoute('rest', 'pdf', {
  summary: 'PDF of a page',
  description: 'Loads a page and prints it to PDF. Large documents are streamed as the browser generates them.',
  body: pdfBody,
  answers: ['application/pdf'],
  example: { url: 'https://example.com/', options: { format: 'A4', printBackground: true } },
  async handle(job) {
    const [{ loadPage }, { printToPdf }] = await Promise.all([
      import('./load-page.ts'),
      import('../../../browser/page/capture/pdf.ts'),
    ]);
    const headers = await loadPage(job);
    const printing = printToPdf(job.page, job.body.options ?? {});
    return {
      body: await job.page.waiting.for('the page to be printed', printing),
      contentType: 'application/pdf',
      headers,
    };
  },
});
