/** Joins the recordings of the server with the client of a connection, which `record` allows to record. */
import { usualFrameRate } from '../../clients/cdp/recording-commands.ts';
import { ServiceError } from '../../errors.ts';
import type { AttachableSession } from '../../sessions/session.ts';
import { recordingUrl } from '../http/public-url.ts';
import type { SocketRequest } from '../pipeline/route.ts';
import type { ClientRecorder } from '../../clients/cdp/client.ts';

export function recorderOf({ call, services, query }: SocketRequest, session: AttachableSession): ClientRecorder {
  const { recordings } = services;
  const isAllowed = query.record !== undefined && query.record !== false;
  if (isAllowed) session.recordable = true;
  const requireAllowed = () => {
    if (isAllowed) return;
    throw new ServiceError('bad-request', 'Connect with record=true to record: this connection came without it.');
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
    closing: (isClosing) => recordings.running(session)?.closing(isClosing),
  };
}

/**
 * Begins to record for a client that came with record=all; another client may have begun already.
 * @throws ServiceError `bad-request` with the reason, `storage-full`, `launch-failed`
 */
export async function recordFromStart({ services, query }: SocketRequest, session: AttachableSession): Promise<void> {
  if (query.record !== 'all' || services.recordings.running(session)) return;
  // oxlint-disable-next-line browserd/raced-await -- attach races
  await services.recordings.start(session, { frameRate: usualFrameRate });
}
