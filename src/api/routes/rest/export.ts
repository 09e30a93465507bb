/**
 * POST /export: returns a page as HTML or as an archive that opens offline, and the file at any other URL unchanged.
 */
import { exportBody } from '../../../base/schema/request/address-bodies.ts';
import { pageRoute } from '../pipeline/route.ts';

export const exportPage = pageRoute('rest', 'export', {
  summary: 'A page or file',
  description:
    'Returns the HTML of a page after its scripts have run. With `includeResources`, the response is a zip archive with style sheets, scripts, images, fonts, and frames, linked to each other so that it opens offline. A URL that is not a page (a PDF, an image, a download) is returned unchanged, with its type and name.',
  body: exportBody,
  answers: ['text/html', 'application/zip', 'application/octet-stream', '*/*'],
  example: { url: 'https://example.com/', includeResources: true },
  handle: async (job) => (await import('./export-page.ts')).answerExport(job),
});
