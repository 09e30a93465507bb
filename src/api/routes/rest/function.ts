/** POST /function: runs the client's code in a browser, with a Puppeteer page (compatibility.mdx#code-in-requests). */
import { ServiceError } from '../../../base/errors.ts';
import type { Page } from '../../../browser/page/page.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { anyJson } from '../../../base/schema/response/rest.ts';
import { codeBody } from '../../../base/schema/request/code.ts';
import type { CodeResult } from './run-code.ts';
import { mediaTypeText } from '../http/header-text.ts';
import { type RouteResult, pageRoute } from '../pipeline/route.ts';
import { fromBase64 } from '../../../base/runtime/bytes.ts';

export const functionRoute = pageRoute('rest', 'function', {
  summary: 'Your code in a browser',
  description:
    'Runs an ES module in the browser. Its default export is a function that receives `{ page, context }`, a Puppeteer page and the context of the request. Its result is the response: text, JSON, or bytes with their type. `{ data, type }` returns `data` with that content type when `type` is a known media type other than JSON. Send the module as application/javascript, or as `code` in JSON. `?debug=true` adds the console output of the code to an error.',
  body: codeBody,
  readsCode: true,
  callKind: 'code',
  answers: [json(anyJson), 'text/html', 'text/plain', 'application/pdf', 'image/png', 'image/jpeg', '*/*'],
  example: {
    code: 'export default async function ({ page, context }) {\n  await page.goto(context.url);\n  return { title: await page.title() };\n}',
    context: { url: 'https://example.com/' },
  },
  async handle(job) {
    const { runCode } = await import('./run-code.ts');
    return toAnswer(await runCode(job), job.page);
  },
});

const textTypes = {
  plain: 'text/plain; charset=UTF-8',
  html: 'text/html; charset=UTF-8',
  json: 'application/json; charset=UTF-8',
} as const;

/** @throws ServiceError `code-failed` for bytes of an unknown type, or with a `type` that is not valid in a header */
export async function toAnswer({ outcome, host }: CodeResult, page: Page): Promise<RouteResult> {
  if ('body' in outcome) {
    return { body: outcome.body, contentType: outcome.kind === 'bytes' ? textTypes.plain : textTypes[outcome.kind] };
  }
  const first = fromBase64(outcome.data);
  const contentType = outcome.kind === 'bytes' ? await typeOf(first, outcome.type) : textTypes[outcome.kind];
  if (outcome.done) return { body: first, contentType };
  let pending: Uint8Array | undefined = first;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next: { bytes: Uint8Array; done: boolean } = pending
          ? { bytes: pending, done: false }
          : await host.pull(page);
        pending = undefined;
        if (next.bytes.length > 0) controller.enqueue(next.bytes);
        if (next.done) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, contentType };
}

/** Maximum length of a `type` that is not a media type, in characters; longer than any media type. */
const maxNamed = 300;

async function typeOf(first: Uint8Array, named: string | undefined): Promise<string> {
  const type = mediaTypeText(named ?? '');
  if (type !== undefined) return type;
  // A short word that is not a media type has no effect; text like this cannot be a header value at all.
  if (named !== undefined && (named.length > maxNamed || /[^ -~]/.test(named))) {
    const shown = JSON.stringify(named.slice(0, 60));
    throw new ServiceError(
      'code-failed',
      `"type" must be a media type in printable ASCII, such as application/pdf, got ${shown}${named.length > 60 ? ` and ${named.length - 60} more characters` : ''}.`,
    );
  }
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(first);
  if (found) return found.mime;
  throw new ServiceError(
    'code-failed',
    "Couldn't determine function's response type. Return bytes of a known format, or { data: bytes, type: 'application/…' }.",
  );
}
