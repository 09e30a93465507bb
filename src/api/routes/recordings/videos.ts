/**
 * Serves the videos of a recording: the MP4 file as is, whole or in part, or converted to WebM
 * (compatibility.mdx#recordings).
 */
import { ServiceError, toResponse } from '../../../base/errors.ts';
import { tabQuery } from '../../../base/schema/request/query.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { requestedTab, type RequestedTab, fileOf, safeHeaders, withoutBody } from './recorded-file.ts';

export const recordedMp4 = directRoute('recordings', 'GET /recordings/:id/video.mp4', {
  subject: 'recording',
  summary: 'A video as MP4',
  description:
    'Returns the video of a tab as it was recorded (AV1). Supports Range and If-Range for parts, and If-None-Match for caching.',
  query: tabQuery,
  answers: ['video/mp4', { status: 206, type: 'video/mp4' }, { status: 304, type: undefined }],
  errors: ['not-found', 'recording-runs', 'range-beyond'],
  handle: async (call, query) => answerMp4(call, await requestedTab(call, query)),
});

export const recordedWebm = directRoute('recordings', 'GET /recordings/:id/video.webm', {
  subject: 'recording',
  summary: 'A video as WebM',
  description: 'Returns the video of a tab as WebM, converted on the fly. Unlike the MP4, it has no index for seeking.',
  query: tabQuery,
  answers: ['video/webm'],
  errors: ['not-found', 'recording-runs', 'queue-full'],
  handle: async (call, query) => answerWebm(call, await requestedTab(call, query)),
});

/** @throws ServiceError `not-found`, `recording-runs` */
export async function answerMp4(call: Call, tab: RequestedTab): Promise<Response> {
  const { file, name } = await videoOf(call, tab);
  const { headers } = call.request;
  const tag = `"${name}-${file.bytes}"`;
  const baseHeaders = { ...safeHeaders, ETag: tag, 'Accept-Ranges': 'bytes', 'Content-Type': 'video/mp4' };
  if (headers.get('if-none-match')?.includes(tag) === true) return withoutBody(file, 304, baseHeaders);
  const condition = headers.get('if-range');
  const asked = condition === null || condition === tag ? headers.get('range') : null;
  const range = byteRangeOf(asked, file.bytes);
  if (range === 'beyond') {
    await file.close();
    const error = new ServiceError('range-beyond', `The video has ${file.bytes} bytes.`);
    const answer = toResponse(error, { accept: headers.get('accept') });
    answer.headers.set('Content-Range', `bytes */${file.bytes}`);
    return answer;
  }
  const { from, to } = range ?? { from: 0, to: file.bytes };
  const fields = {
    ...baseHeaders,
    'Content-Length': String(to - from),
    'Content-Disposition': `inline; filename="${name}.mp4"`,
    ...(range ? { 'Content-Range': `bytes ${from}-${to - 1}/${file.bytes}` } : {}),
  };
  const status = range ? 206 : 200;
  if (call.request.method === 'HEAD') return withoutBody(file, status, fields);
  return new Response(file.stream(from, to), { status, headers: fields });
}

/** @throws ServiceError `not-found`, `recording-runs`, `queue-full` */
export async function answerWebm(call: Call, asked: RequestedTab): Promise<Response> {
  const { streamWebm } = await import('../../../sessions/recording/webm.ts');
  const { file, name } = await videoOf(call, asked);
  const fields = {
    ...safeHeaders,
    'Content-Type': 'video/webm',
    'Content-Disposition': `inline; filename="${name}.webm"`,
  };
  if (call.request.method === 'HEAD') return withoutBody(file, 200, fields);
  let place: Disposable;
  try {
    place = call.services.sessions.recordings.takeConversion();
  } catch (error) {
    await file.close();
    throw error;
  }
  return new Response(
    streamWebm(file, () => place[Symbol.dispose]()),
    { headers: fields },
  );
}

/** @throws ServiceError `not-found`, `recording-runs` */
const videoOf = (call: Call, asked: RequestedTab) => fileOf(call, asked, 'video', ({ bytes }) => bytes);

/** A part of a file: from the byte `from` up to, but not including, `to`. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * Parses the Range header of a request (RFC 9110 section 14).
 * @param header the Range header
 * @param bytes size of the file
 * @returns undefined for the whole file: without the header, for several ranges, for other units, and for an invalid
 *   range; `beyond` for a range outside of the file
 */
export function byteRangeOf(header: string | null, bytes: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'beyond' : { from: bytes - length, to: bytes };
  }
  const from = Number(first);
  const to = last === '' ? bytes : Math.min(Number(last) + 1, bytes);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= bytes ? 'beyond' : { from, to };
}
