/** Serves the events of a recorded tab: the compressed file as is, or decompressed (compatibility.mdx#recordings). */
import { acceptsGzip } from '../../../base/runtime/http/accept.ts';
import { gunzipped } from '../../../base/runtime/media/gzip.ts';
import { tabQuery } from '../../../base/schema/request/query.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { requestedTab, type RequestedTab, fileOf, safeHeaders, withoutBody } from './recorded-file.ts';

export const recordedEvents = directRoute('recordings', 'GET /recordings/:id/events', {
  subject: 'recording',
  summary: 'Events of a tab',
  description:
    'Returns the events of a tab, one per line: rrweb events for a replay, and for every recording its navigations, requests, and console messages.',
  query: tabQuery,
  answers: ['application/x-ndjson'],
  errors: ['not-found', 'recording-runs'],
  handle: async (call, query) => answerEvents(call, await requestedTab(call, query)),
});

/** @throws ServiceError `not-found`, `recording-runs` */
export async function answerEvents(call: Call, asked: RequestedTab): Promise<Response> {
  const { file, name } = await fileOf(call, asked, 'events', ({ eventBytes }) => eventBytes);
  const { headers, method } = call.request;
  const asIs = acceptsGzip(headers.get('accept-encoding'));
  const fields = {
    ...safeHeaders,
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': `inline; filename="${name}.ndjson"`,
    Vary: 'Accept-Encoding',
    ...(asIs ? { 'Content-Encoding': 'gzip', 'Content-Length': String(file.bytes) } : {}),
  };
  if (method === 'HEAD') return withoutBody(file, 200, fields);
  const content = file.stream(0, file.bytes);
  return new Response(asIs ? content : gunzipped(content), { headers: fields });
}
