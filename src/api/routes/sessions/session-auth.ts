/** Checks who may access a running browser; every route uses this check (compatibility.mdx#kept-browsers). */
import type { AttachableSession, Session } from '../../../sessions/lifecycle/session.ts';
import { ServiceError } from '../../../base/errors.ts';
import { isToken } from '../http/auth.ts';
import type { Call } from '../pipeline/call.ts';

/**
 * Checks the token of a request to attach to a browser: the token of `Browserless.reconnect` if a client has set one,
 * even on a server without tokens; otherwise one of the server's tokens. Check again after an await: a client may have
 * set a token in the meantime.
 * @param session undefined if there is none; the server's token is still checked, so that the status does not reveal
 *   whether an id exists
 * @throws ServiceError `unauthorized`; `session-not-found` for a session of another account
 */
export function checkSessionToken(session: Pick<AttachableSession, 'auth' | 'facts'> | undefined, call: Call): void {
  if (session?.auth === undefined) return call.authenticate();
  const { owner } = session.facts;
  if (isToken(call.credential, [session.auth])) return call.actFor(owner);
  // Other accounts must not learn that the session exists.
  call.authenticate();
  if (call.account.mayUse(owner)) throw new ServiceError('unauthorized', 'Bad or missing authentication.');
}

/**
 * Returns the session if the token of the request may use it; undefined if there is no such session.
 * @param session the session found by its id
 * @throws ServiceError `unauthorized`
 */
export function authorizedSession<Found extends Session>(session: Found | undefined, call: Call): Found | undefined {
  const attachable = session?.attachable;
  checkSessionToken(attachable, call);
  return session && call.account.mayUse(session.facts.owner) ? session : undefined;
}
