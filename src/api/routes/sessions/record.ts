/** Lets a client start and stop recordings, as requested with `record` and `replay`. */
import { defaultFrameRate } from '../../../sessions/cdp/recording-commands.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { BrowserQuery } from '../../../base/schema/request/query.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { recordingUrl } from '../http/public-url.ts';
import type { SocketRequest } from '../pipeline/route.ts';
import type { Services } from '../pipeline/services.ts';
import type { ClientRecorder } from '../../../sessions/cdp/last-moments.ts';

export function recorderOf({ call, services, query }: SocketRequest, session: AttachableSession): ClientRecorder {
  const { recordings } = services.sessions;
  const isAllowed = query.record !== undefined && query.record !== false;
  if (isAllowed) session.recordable = true;
  const requireAllowed = () => {
    if (isAllowed) return;
    throw new ServiceError('bad-request', 'Connect with record=true to record: this connection was opened without it.');
  };
  const urlOf = (id: string) => recordingUrl(call.base, id);
  return {
    async start(page, { frameRate }) {
      requireAllowed();
      const { id } = await recordings.start(session, { frameRate, page });
      return { recordingId: id, url: urlOf(id) };
    },
    async stop(page, { encoding }) {
      requireAllowed();
      const { id, value } = await recordings.stop(session, page, encoding, urlOf);
      return { value, recordingId: id, url: urlOf(id) };
    },
    async stopReplay() {
      // oxlint-disable-next-line browserd/raced-await -- waits at most a second per page
      const { id } = await recordings.stopReplay(session);
      return { recordingId: id, url: urlOf(id) };
    },
    leaving: (page) => recordings.replay(session)?.leaving(page),
    closing: (isClosing) => recordings.closing(session, isClosing),
  };
}

/**
 * Starts recording for a client that connected with record=all or replay=true; another client may have started it
 * already.
 * @throws ServiceError `bad-request` with the reason, `storage-full`, `launch-failed`
 */
export async function recordFromStart(
  { services, query }: { services: Services; query: Pick<BrowserQuery, 'record' | 'replay'> },
  session: AttachableSession,
): Promise<void> {
  const { recordings } = services.sessions;
  const recordsVideo = query.record === 'all' && !recordings.running(session);
  // oxlint-disable-next-line browserd/raced-await -- callers race
  await Promise.all([
    recordsVideo ? recordings.start(session, { frameRate: defaultFrameRate }) : undefined,
    query.replay === true ? recordings.startReplay(session) : undefined,
  ]);
}
