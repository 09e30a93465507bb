/** Finds the recording that a link points to; limits attempts with links that do not exist. */
import { ServiceError } from '../../../base/errors.ts';
import type { RecordingMeta } from '../../../sessions/recording/meta.ts';
import type { ShareLink } from '../../../sessions/recording/share-links.ts';
import { recordUnknownLink } from '../http/caller/unknown-link.ts';
import type { Call } from '../pipeline/call.ts';
import { storedRecording } from '../recordings/recordings.ts';

const noSuchLink =
  'This link does not work: it has expired or never existed, or its recording was removed. Ask for a new one.';

export interface SharedRecording {
  link: ShareLink;
  meta: RecordingMeta;
}

/** @throws ServiceError `not-found`, `too-many-viewers` after too many attempts with links that do not exist */
export async function sharedRecording(call: Call, id: string): Promise<SharedRecording> {
  const { shares } = call.services.sessions;
  const link = shares.find(id);
  if (!link) {
    recordUnknownLink(call.address);
    throw new ServiceError('not-found', noSuchLink);
  }
  const meta = await storedRecording(call, link.recording);
  if (!meta) {
    // Quotas also remove recordings.
    shares.forget(link.recording);
    throw new ServiceError('not-found', noSuchLink);
  }
  return { link, meta };
}
