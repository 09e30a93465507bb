/** Checks who may come to a browser that runs: the one check of every door (compatibility.mdx#kept-browsers). */
import type { AttachableSession, Session } from '../../../sessions/lifecycle/session.ts';
import { ServiceError } from '../../../base/errors.ts';
import { isToken } from '../http/auth.ts';
import type { Call } from '../pipeline/call.ts';

/**
 * Checks the token of a call that wants to attach to a browser: that of `Browserless.reconnect` when a client has set
 * one, also on a server without tokens; otherwise that of the server. Check again after an await: a client may have
 * set one meanwhile.
 * @param session undefined when there is none; the server's token still counts, so that the status does not tell
 *   whether an id exists
 * @throws ServiceError `unauthorized`; `session-not-found` for a session of another account
 */
export function checkSessionToken(session: Pick<AttachableSession, 'auth' | 'facts'> | undefined, call: Call): void {
  if (session?.auth === undefined) return call.authenticate();
  const { owner } = session.facts;
  if (isToken(call.credential, [session.auth])) return call.actFor(owner);
  // Other accounts must not learn that there is such a session.
  call.authenticate();
  if (call.account.mayUse(owner)) throw new ServiceError('unauthorized', 'Bad or missing authentication.');
}

/**
 * The session, once the token of the call has shown that it may use it; undefined when there is none that it may use.
 * @param session what an id has found
 * @throws ServiceError `unauthorized`
 */
export function admittedTo<Found extends Session>(session: Found | undefined, call: Call): Found | undefined {
  const attachable = session?.attachable;
  checkSessionToken(attachable, call);
  return session && call.account.mayUse(session.facts.owner) ? session : undefined;
}
