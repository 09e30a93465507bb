/** Finds the live view that a link points to. */
import { ServiceError } from '../../../base/errors.ts';
import type { LiveView } from '../../../sessions/live/live-view.ts';
import { recordUnknownLink } from '../http/caller/unknown-link.ts';
import type { Call } from '../pipeline/call.ts';

/** The message for a link that does not work. */
const noSuchLink = 'This link does not work: it has expired, or never existed. Ask for a new one.';

/** @throws ServiceError `session-not-found`, `too-many-viewers` after too many attempts with links that do not work */
export function findView({ services, address }: Call, id: string): LiveView {
  const found = services.sessions.live.find(id);
  if (found) return found;
  recordUnknownLink(address);
  throw new ServiceError('session-not-found', noSuchLink);
}
