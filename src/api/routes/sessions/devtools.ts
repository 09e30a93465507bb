/**
 * Attaches sockets to running browsers and pages, and to pages promised by `PUT /json/new`
 * (compatibility.mdx#discovery).
 */
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { browserCrashed } from '../../../browser/processes/last-words.ts';
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { pagesOf } from './pages.ts';
import { connectionLimit } from '../pipeline/admission.ts';
import { joinNewBrowser } from './start-session.ts';
import type { Call } from '../pipeline/call.ts';
import { attach } from './attach.ts';
import { authorizedSession } from './session-auth.ts';
import { type Connection, type SocketRequest, socketRoute } from '../pipeline/route.ts';

/** Ids that `PUT /json/new` hands out: no browser runs behind one until its socket opens. */
export const reservedPageId = /^BLESS[0-9A-Z]{27}$/;

export const devtoolsBrowser = socketRoute('sockets', '/devtools/browser/:id', {
  callKind: 'attach',
  subject: 'session',
  summary: 'Another client for a running browser',
  description:
    'Attaches to a browser by its id, as given by /sessions and browser.wsEndpoint(); 404 if it is not running. Requires the token that Browserless.reconnect set, or a server token if none was set.',
  auth: (call) => void runningBrowser(call),
  // Look it up again: the browser may have been closed in the meantime.
  open: (request) => attachAgain(request, runningBrowser(request.call)),
});

/** The path that clients inside a browser used to connect to, kept for compatibility. */
export const functionConnect = {
  ...devtoolsBrowser,
  path: '/function/connect/:id',
  summary: 'A running browser, at the path of the function API',
};

export const devtoolsPage = socketRoute('sockets', '/devtools/page/:id', {
  callKind: 'cdp',
  callKindOf: ({ parameter }) => (reservedPageId.test(parameter('id')) ? 'cdp' : 'attach'),
  subject: 'page',
  summary: 'A client for one page',
  description:
    'Attaches to a page by its target id, as given by /json/list and /sessions, or opens the page that PUT /json/new reserved. Requires the token that Browserless.reconnect set for its browser, or a server token if none was set.',
  auth: (call) => void authorizedSession(sessionWithPage(call, call.parameter('id')), call),
  async open(request) {
    const { call } = request;
    const id = call.parameter('id');
    if (reservedPageId.test(id)) return openReservedPage(request);
    const known = authorizedSession(sessionWithPage(call, id), call);
    const session = known ?? authorizedSession(await orAborted(queryForPage(call, id), call.signal), call);
    if (!session?.targets.mayDrive(id)) throw notRunning(id, call.url.pathname);
    return attachAgain(request, session, id);
  },
});

/**
 * The browser that the path of the request identifies. Checks the token first, so that the status does not reveal
 * whether an id exists.
 * @throws ServiceError `unauthorized`, `session-not-found`
 */
export function runningBrowser(call: Call): AttachableSession {
  const id = call.parameter('id');
  const session = authorizedSession(call.services.sessions.registry.find(id)?.attachable, call);
  if (!session) throw notRunning(id, call.url.pathname);
  return session;
}

/** The session that has reported a page. */
export function sessionWithPage({ services }: Call, id: string): AttachableSession | undefined {
  return services.sessions.registry.list().find(({ life }) => life.hasPage(id))?.attachable;
}

/** Queries the browsers of the account for a page: a page that has just opened might not be reported yet. */
export async function queryForPage(
  { account, services }: Call,
  targetId: string,
): Promise<AttachableSession | undefined> {
  for (const { attachable, facts } of services.sessions.registry.list()) {
    if (!account.mayUse(facts.owner)) continue;
    if (attachable && (await pagesOf(attachable)).some((page) => page.targetId === targetId)) return attachable;
  }
  return undefined;
}

/** The first client of a kept browser sets the time limit; additional clients do not change it. */
async function attachAgain(request: SocketRequest, session: AttachableSession, targetId?: string): Promise<Connection> {
  const connection = await attach(request, session, targetId);
  const { query } = request;
  if (session.numbConnected === 1) session.startClock(connectionLimit(query.timeout, request.call));
  return connection;
}

const openReservedPage = (request: SocketRequest) =>
  joinNewBrowser(request, 'chromium', async (session) => {
    const targetId = await firstPage(session, request.call.signal).catch((error: unknown) => {
      // A browser that was closed by /kill is not replaced.
      const crashed = session.process.gone.aborted && !session.life.ending;
      session.unclaimed();
      throw crashed ? browserCrashed(session.process.connection.fatal, '', error) : error;
    });
    return attach(request, session, targetId);
  });

/** The target id of the browser's first page; creates a page if there is none. */
async function firstPage(session: AttachableSession, signal: AbortSignal): Promise<string> {
  const [page] = await orAborted(pagesOf(session), signal);
  if (page) return page.targetId;
  const { root } = session.process.connection;
  return (await orAborted(root.send('Target.createTarget', { url: 'about:blank' }), signal)).targetId;
}

function notRunning(id: string, path: string): ServiceError {
  return new ServiceError('session-not-found', `Couldn't locate browser "${id}" for request "${path}"`);
}
