/** Lists and ends running sessions: /sessions, /kill, DELETE /browser (compatibility.mdx#management). */
import * as v from 'valibot';
import type { Session } from '../../../sessions/lifecycle/session.ts';
import { ServiceError } from '../../../base/errors.ts';
import { json, noContent } from '../../../base/schema/response/responses.ts';
import { sessionList } from '../../../base/schema/response/sessions.ts';
import { ignoredFieldsIn } from '../../../base/schema/without-effect.ts';
import { killQuery, sessionsQuery, tokenQuery } from '../../../base/schema/request/query.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { StoredSession } from '../../../sessions/lifecycle/stored-session.ts';
import { jsonResponse } from '../http/json-response.ts';
import { queryOtherNodes } from '../cluster/others/ask-others.ts';
import { describePage, pagesOf } from './pages.ts';
import { authorizedSession } from './session-auth.ts';
import { now } from '../../../base/runtime/machine.ts';

export const sessions = directRoute('sessions', 'GET /sessions', {
  summary: 'Live sessions',
  description:
    'Lists every browser, or context in a shared browser, that is in use, and the pages of those that clients attach to. `trackingId` filters the list.',
  query: sessionsQuery,
  answers: [json(sessionList)],
  handle: async (call, { trackingId, scope }) => {
    const [own, { answers, headers }] = await Promise.all([
      describeSessions(call, trackingId),
      queryOtherNodes(call, scope, sessionList),
    ]);
    return jsonResponse([...own, ...answers.flat()], headers);
  },
});

/**
 * The sessions that a request may see, each with its pages.
 * @param trackingId limits the list to sessions with this tracking id; undefined for all
 */
export async function describeSessions(call: Call, trackingId: string | undefined) {
  const live = ownSessions(call);
  const wanted = trackingId === undefined ? live : live.filter(({ facts }) => facts.trackingId === trackingId);
  return (await Promise.all(wanted.map((session) => describe(session, call.base)))).flat();
}

async function describe(session: Session, base: string) {
  const { facts, directories } = session;
  const fields = {
    id: facts.id,
    browserId: facts.id,
    browser: facts.browser,
    initialConnectURL: facts.initialConnectURL,
    isTempDataDir: directories.isTempDataDir,
    running: session.running,
    killURL: `${base}/kill/${facts.id}`,
    launchOptions: facts.launchOptions,
    numbConnected: session.numbConnected,
    startedOn: facts.startedOn,
    timeAliveMs: Math.round(now() - facts.startedAt),
    ttl: facts.ttl,
    routePath: facts.routePath,
    trackingId: facts.trackingId ?? null,
    userDataDir: directories.userDataDir ?? null,
    scratchDir: directories.scratchDir ?? null,
  };
  const pages = session.attachable ? await pagesOf(session.attachable) : [];
  return [
    { type: 'browser' as const, ...fields },
    ...pages.map((page) => ({ ...fields, ...describePage(facts.id, page, base) })),
  ];
}

/** The sessions that a request may see and end: all for the operator. */
function ownSessions({ account, services }: Call): Session[] {
  return services.sessions.registry.list().filter(({ facts }) => account.mayUse(facts.owner));
}

/** @param id id of the session, or its tracking id; the operator may use the sessions of all accounts */
function sessionOf(id: string, call: Call): Session | undefined {
  const found = call.services.sessions.registry.find(id);
  if (found) return call.account.mayUse(found.facts.owner) ? found : undefined;
  return trackedSession(id, call);
}

/** @param trackingId tracking id of the session; the operator may use that of another account's session */
export function trackedSession(trackingId: string, call: Call): Session | undefined {
  const { account, services } = call;
  const own = services.sessions.registry.findTracked(trackingId, account.name);
  return own ?? ownSessions(call).find(({ facts }) => facts.trackingId === trackingId);
}

// The id has letters, digits, `-`, and `_`: anything else does not match the route.
export const kill = directRoute('sessions', 'GET /kill/:id{[A-Za-z0-9_-]+}', {
  otherMethods: ['POST', 'DELETE'],
  hasSideEffects: true,
  subject: 'tracking-id',
  summary: 'End sessions',
  description:
    'Ends the session with this browserId or trackingId immediately; `all` ends every session. POST and DELETE do the same.',
  query: killQuery,
  answers: [noContent],
  errors: ['session-not-found'],
  async handle(call, { scope }) {
    const { url, parameter } = call;
    call.ignore(ignoredFieldsIn(killQuery, Object.fromEntries(url.searchParams)));
    const id = parameter('id');
    const killed = id === 'all' ? ownSessions(call) : [sessionOf(id, call)];
    for (const session of killed) {
      if (!session) throw new ServiceError('session-not-found', `Couldn't locate session for id: "${id}"`);
      session.life.end(new ServiceError('killed', 'The session was ended by a call to /kill.'));
    }
    // An id belongs to one server, which has received the request by now.
    const { headers } = await queryOtherNodes(call, id === 'all' ? scope : 'node', v.undefined());
    return new Response(null, { status: 204, headers: { ...headers, 'Content-Type': 'text/plain; charset=UTF-8' } });
  },
});

export const endBrowser = directRoute('sessions', 'DELETE /browser/:id', {
  subject: 'session',
  hasSideEffects: true,
  summary: 'End a browser',
  description:
    'Ends the browser with this browserId immediately; a session created with POST /session continues, and its next client gets a new browser. Requires the token that Browserless.reconnect set for the browser, or a server token if none was set.',
  auth: (call) => void runningBrowser(call),
  query: tokenQuery,
  answers: [noContent],
  errors: ['session-not-found'],
  handle(call) {
    runningBrowser(call).life.end(new ServiceError('killed', 'The browser was ended by a call to /browser.'));
    return new Response(null, { status: 204 });
  },
});

/** @throws ServiceError `unauthorized`, `session-not-found` */
function runningBrowser(call: Call): Pick<Session, 'life'> {
  const id = call.parameter('id');
  const session = authorizedSession(call.services.sessions.registry.find(id), call);
  const browser = session?.attachable ?? (session instanceof StoredSession ? undefined : session);
  if (browser) return browser;
  throw new ServiceError('session-not-found', `Couldn't locate browser "${id.slice(0, 100)}": it is not running.`);
}
