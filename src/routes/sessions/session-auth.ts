/** Checks who may come to a browser that runs: the one check of every door (compatibility.mdx#kept-browsers). */
import type { AttachableSession } from '../../sessions/session.ts';
import { checkToken } from '../http/auth.ts';
import type { Call } from '../pipeline/call.ts';

/**
 * Checks the token of a call that wants to attach to a browser: that of `Browserless.reconnect` when a client has set
 * one, also on a server without tokens; otherwise that of the server. Check again after an await: a client may have
 * set one meanwhile.
 * @param session undefined when there is none; the server's token still counts, so that the status does not tell
 *   whether an id exists
 * @throws ServiceError `unauthorized`
 */
export function checkSessionToken(session: AttachableSession | undefined, { credential, services }: Call): void {
  const auth = session?.auth;
  checkToken(credential, auth === undefined ? services.config.TOKEN : [auth]);
}
