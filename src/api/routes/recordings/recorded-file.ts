/** Opens the file of a recording that a request asks for. */
import { ServiceError } from '../../../base/errors.ts';
import type { RecordedTab, RecordingMeta } from '../../../sessions/recording/meta.ts';
import { orReleased } from '../../../base/runtime/deadline.ts';
import type { OpenFile } from '../../../base/runtime/files.ts';
import type { Call } from '../pipeline/call.ts';
import { recordingOf, requireEnded } from './recordings.ts';

/** Recorded content is untrusted: a browser that opens it may show or save it, but must not run anything. */
export const safeHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': 'sandbox',
  'Cache-Control': 'private, no-cache',
} as const;

/** The tab of a recording that a request specifies; it might not exist. */
export interface RequestedTab {
  meta: RecordingMeta;
  tab: number;
}

/** The tab that the path and the query of a request specify. @throws ServiceError `not-found` */
export async function requestedTab(call: Call, { tab }: { tab: number }): Promise<RequestedTab> {
  return { meta: await recordingOf(call), tab };
}

/**
 * @param what which file of the tab
 * @param bytesOf returns its size; 0 if there is no such file
 * @throws ServiceError `not-found`, `recording-runs`
 */
export async function fileOf(
  call: Call,
  { meta, tab }: RequestedTab,
  what: 'video' | 'events',
  bytesOf: (tab: RecordedTab) => number,
): Promise<{ file: OpenFile; name: string }> {
  const { id, tabs } = requireEnded(meta);
  const { store } = call.services.sessions.recordings;
  const open = () => (what === 'video' ? store.openVideo(id, tab) : store.openEvents(id, tab));
  const opening = tabs.some((each) => each.tab === tab) ? open() : Promise.resolve(undefined);
  const file = await orReleased(opening, call.signal, (late) => void late?.close());
  if (file && file.bytes > 0) return { file, name: `${id}-${tab}` };
  await file?.close();
  const there = tabs.filter((each) => bytesOf(each) > 0).map((each) => each.tab);
  throw new ServiceError(
    'not-found',
    `The recording has no ${what} of tab ${tab}; it has ${there.length > 0 ? `tab ${there.slice(0, 20).join(', ')}` : 'none'}.`,
  );
}

/** Responds without a body: to HEAD, or when the client already has the file (304). */
export async function withoutBody(file: OpenFile, status: number, headers: Record<string, string>): Promise<Response> {
  await file.close();
  return new Response(null, { status, headers });
}
