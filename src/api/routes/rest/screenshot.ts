/** POST /screenshot: returns the page, a region of it, or one element as an image. */
import { screenshotBody } from '../../../base/schema/request/fields.ts';
import { namedType } from '../../../base/runtime/http/accept.ts';
import { pageRoute } from '../pipeline/route.ts';

/** Text for the timeout message: what a screenshot waits for once the page is loaded. */
const image = 'the screenshot';

const answers = ['image/png', 'image/jpeg', 'image/webp', 'text/plain'] as const;

export const screenshot = pageRoute('rest', 'screenshot', {
  summary: 'Screenshot of a page',
  description:
    'Loads a page and captures the viewport, the full page, a region, or the element that a selector matches. The response has the type of the image; `encoding: "base64"` returns its base64 text.',
  body: screenshotBody,
  answers,
  example: { url: 'https://example.com/', options: { fullPage: true, type: 'png' } },
  async handle(job) {
    const { call, page, body } = job;
    const [{ loadPage }, { captureBase64, captureScreenshot }] = await Promise.all([
      import('./load-page.ts'),
      import('../../../browser/page/capture/capture.ts'),
    ]);
    const headers = await loadPage(job);
    const options = body.options ?? {};
    const type = options.type ?? imageType(namedType(call.request.headers.get('accept'), answers));
    if (options.encoding === 'base64') {
      const text = await page.waiting.for(image, captureBase64(page, { ...options, type }, body.selector));
      return { body: text, contentType: 'text/plain; charset=UTF-8', headers };
    }
    const bytes = await page.waiting.for(image, captureScreenshot(page, { ...options, type }, body.selector));
    return { body: bytes, contentType: `image/${type}`, headers };
  },
});

/** The image type that a client requests in Accept; used if its options do not specify one. */
function imageType(accepted: string | undefined): 'png' | 'jpeg' | 'webp' {
  return accepted === 'image/jpeg' ? 'jpeg' : accepted === 'image/webp' ? 'webp' : 'png';
}
