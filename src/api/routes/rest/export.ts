/** POST /export: a page as HTML or as an archive that opens offline, any other address as the file that it is. */
import { exportBody } from '../../../base/schema/request/address-bodies.ts';
import { pageRoute } from '../pipeline/route.ts';

export const exportPage = pageRoute({
  name: 'export',
  summary: 'A page or file',
  description:
    'Answers with the HTML of a page as it stands after scripts ran. With `includeResources` it is a zip archive with style sheets, scripts, images, fonts and frames, whose links lead to each other, so that it opens offline. An address that is no page (a PDF, an image, a download) comes back as it is, with its type and its name.',
  body: exportBody,
  answers: ['text/html', 'application/zip', 'application/octet-stream', '*/*'],
  example: { url: 'https://example.com/', includeResources: true },
  handle: async (job) => (await import('./export-page.ts')).answerExport(job),
});
