/** What runs now, and ending it: /sessions, /kill. Contract sections 9.1 and 9.3. */
import type { Session } from '../../browsers/session.ts';
import { ServiceError } from '../../errors.ts';
import { parseQuery } from '../../schema/parse.ts';
import { killQuery, sessionsQuery } from '../../schema/query.ts';
import type { ManageRoute } from '../route.ts';
import { jsonResponse } from './json-response.ts';

export const sessions: ManageRoute = {
  method: 'GET',
  path: '/sessions',
  summary: 'Live sessions',
  description: 'Every browser, or place in a shared browser, that a call owns now; `trackingId` filters.',
  protected: true,
  query: sessionsQuery,
  answers: ['application/json'],
  handle: ({ url, services }) => {
    const { trackingId } = parseQuery(sessionsQuery, url.searchParams);
    const live = services.sessions.list();
    const wanted = trackingId === undefined ? live : live.filter((session) => session.trackingId === trackingId);
    return jsonResponse(wanted.map((session) => describe(session, services.externalUrl())));
  },
};

function describe(session: Session, base: string) {
  const { end: _, ...fields } = session;
  return {
    type: 'browser',
    ...fields,
    browserId: session.id,
    running: true,
    killURL: `${base}/kill/${session.id}`,
    timeAliveMs: Date.now() - session.startedOn,
    trackingId: session.trackingId ?? null,
    userDataDir: session.userDataDir ?? null,
    scratchDir: session.scratchDir ?? null,
  };
}

export const kill: ManageRoute = {
  method: 'GET',
  // Letters, digits, `-` and `_`: anything else is no route.
  path: '/kill/:id{[A-Za-z0-9_-]+}',
  summary: 'End sessions',
  description: 'Ends the session with this browserId or trackingId at once; `all` ends every one.',
  protected: true,
  query: killQuery,
  answers: ['text/plain'],
  handle: ({ url, parameter, services }) => {
    parseQuery(killQuery, url.searchParams);
    const id = parameter('id');
    const killed = id === 'all' ? services.sessions.list() : [services.sessions.find(id)];
    for (const session of killed) {
      if (!session) throw new ServiceError('session-not-found', `Couldn't locate session for id: "${id}"`);
      services.sessions.remove(session);
      session.end(new ServiceError('killed', 'The session was ended by a call of /kill.'));
    }
    return new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain' } });
  },
};
