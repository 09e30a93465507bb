/** Answers the events of a tab: lines of JSON, compressed as they are kept for clients that take gzip. */
import { ServiceError } from '../../errors.ts';
import { orGivenBack } from '../../runtime/deadline.ts';
import { takesGzip } from '../../runtime/http/accept.ts';
import type { Call } from '../pipeline/call.ts';
import { requireEnded } from './recordings.ts';
import { type AskedTab, safeHeaders } from './videos.ts';

/** @throws ServiceError `not-found`, `recording-runs` */
export async function answerEvents(call: Call, { meta, tab }: AskedTab): Promise<Response> {
  const { id, tabs } = requireEnded(meta);
  const isKnown = tabs.some((each) => each.tab === tab);
  const opening = isKnown ? call.services.recordings.store.openEvents(id, tab) : Promise.resolve(undefined);
  const file = await orGivenBack(opening, call.signal, (late) => void late?.close());
  if (!file) throw new ServiceError('not-found', `The recording has no events of tab ${tab}.`);
  const headers = { ...safeHeaders, 'Content-Type': 'application/x-ndjson; charset=utf-8', Vary: 'Accept-Encoding' };
  const { method } = call.request;
  const asIs = takesGzip(call.request.headers.get('accept-encoding'));
  const fields = asIs ? { ...headers, 'Content-Encoding': 'gzip', 'Content-Length': String(file.bytes) } : headers;
  if (method === 'HEAD') {
    await file.close();
    return new Response(null, { headers: fields });
  }
  const kept = file.stream(0, file.bytes);
  return new Response(asIs ? kept : kept.pipeThrough(new DecompressionStream('gzip')), { headers: fields });
}
