/** Lists, describes and removes recordings (compatibility.mdx#recordings). */
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import type { RecordedTab, RecordingMeta } from '../../../sessions/recording/meta.ts';
import { isRecordingId } from '../../../sessions/recording/recording-id.ts';
import { json, noContent } from '../../../base/schema/response/responses.ts';
import { recording, recordingList } from '../../../base/schema/response/recordings.ts';
import { recordingsQuery, tokenQuery } from '../../../base/schema/request/query.ts';
import { jsonResponse } from '../http/json-response.ts';
import { recordingUrl } from '../http/public-url.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';

export const listRecordings = directRoute('recordings', 'GET /recordings', {
  summary: 'Recordings',
  description:
    'Lists the stored recordings, newest first. A list may be shorter than its limit even if there are more recordings.',
  query: recordingsQuery,
  answers: [json(recordingList)],
  errors: ['invalid-query'],
  async handle(call, query) {
    const { account, signal, services } = call;
    const filter = { ...query, account: account.isOperator ? undefined : account.name };
    if (filter.cursor !== undefined && !isRecordingId(filter.cursor)) {
      throw new ServiceError('invalid-query', '"cursor" must be the value of "next" from an earlier list.');
    }
    const { recordings, next } = await orAborted(services.sessions.recordings.store.list(filter), signal);
    return jsonResponse({ recordings: recordings.map((meta) => entry(meta, call)), next });
  },
});

export const getRecording = directRoute('recordings', 'GET /recordings/:id', {
  subject: 'recording',
  summary: 'A recording',
  description: 'Describes a recording, with the URLs of its videos and events.',
  query: tokenQuery,
  answers: [json(recording)],
  errors: ['not-found'],
  async handle(call) {
    return jsonResponse(entry(await recordingOf(call), call));
  },
});

export const deleteRecording = directRoute('recordings', 'DELETE /recordings/:id', {
  subject: 'recording',
  summary: 'Remove a recording',
  description: 'Removes a recording and its files; 409 while it is still recording.',
  query: tokenQuery,
  answers: [noContent],
  errors: ['not-found', 'recording-runs'],
  async handle(call) {
    await removeRecording(call);
    return new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain' } });
  },
});

/** Removes the recording that the path identifies, and its links. @throws ServiceError `not-found`, `recording-runs` */
export async function removeRecording(call: Call): Promise<void> {
  const { recordings, shares } = call.services.sessions;
  const { id } = requireEnded(await recordingOf(call));
  await orAborted(recordings.store.remove(id), call.signal);
  shares.forget(id);
}

/** The recording with this id, regardless of its account; undefined if there is none. */
export async function storedRecording({ services, signal }: Call, id: string): Promise<RecordingMeta | undefined> {
  // The id becomes part of a file path: accept only valid recording ids.
  return isRecordingId(id) ? orAborted(services.sessions.recordings.store.find(id), signal) : undefined;
}

/**
 * The recording that the path of the request identifies.
 * @throws ServiceError `not-found`, also for a recording of another account
 */
export async function recordingOf(call: Call): Promise<RecordingMeta> {
  const id = call.parameter('id');
  const found = await storedRecording(call, id);
  if (found && call.account.mayUse(found.account)) return found;
  throw new ServiceError(
    'not-found',
    `There is no recording ${JSON.stringify(id.slice(0, 100))}: it has been removed, or never existed. GET /recordings lists the stored recordings.`,
  );
}

/** @throws ServiceError `recording-runs` */
export function requireEnded(meta: RecordingMeta): RecordingMeta {
  if (meta.state !== 'recording') return meta;
  throw new ServiceError(
    'recording-runs',
    `The recording is still running: stop it with Browserless.${meta.kind === 'video' ? 'stopRecording' : 'stopSessionRecording'}, or end its session.`,
  );
}

/** The public description of a recording, with URLs that contain no token. */
function entry({ tabs, ...known }: RecordingMeta, { base }: Call) {
  const meta = { ...known, owner: undefined, account: undefined };
  const url = recordingUrl(base, meta.id);
  const addressesOf = ({ tab, eventBytes }: RecordedTab) => ({
    ...(meta.kind === 'video' ? { mp4: `${url}/video.mp4?tab=${tab}`, webm: `${url}/video.webm?tab=${tab}` } : {}),
    // Recordings of older versions have no events.
    ...(eventBytes > 0 || meta.state === 'recording' ? { ndjson: `${url}/events?tab=${tab}` } : {}),
  });
  return { ...meta, url, tabs: tabs.map((tab) => ({ ...tab, ...addressesOf(tab) })) };
}
