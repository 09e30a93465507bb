/**
 * Attaches sockets to browsers and pages that run already, and to pages promised by `PUT /json/new`
 * (compatibility.mdx#discovery).
 */
import type { AttachableSession } from '../../sessions/session.ts';
import { ServiceError } from '../../errors.ts';
import { orAborted } from '../../runtime/deadline.ts';
import { pagesOf } from './pages.ts';
import { stayLimit } from '../pipeline/admission.ts';
import type { Services } from '../pipeline/services.ts';
import { sessionStart, startSession } from './start-session.ts';
import { attach } from './attach.ts';
import type { Connection, SocketRequest, SocketRoute } from '../pipeline/route.ts';

/** Ids that `PUT /json/new` hands out: no browser runs behind one until its socket opens. */
const promisedPage = /^BLESS[0-9A-Z]{27}$/;

export const devtoolsBrowser: SocketRoute = {
  kind: 'socket',
  path: '/devtools/browser/:id',
  summary: 'Another client for a running browser',
  description:
    'Attaches to a browser by its id, as /sessions and browser.wsEndpoint() give it; 404 when it does not run.',
  open: (request) => {
    const { call, services } = request;
    const id = call.parameter('id');
    const session = services.sessions.find(id)?.attachable;
    if (!session || session.facts.id !== id) throw notRunning(id, call.url.pathname);
    return attachAgain(request, session);
  },
};

/** The path that clients inside a browser used to connect to, kept for clients that still know it. */
export const functionConnect: SocketRoute = {
  ...devtoolsBrowser,
  path: '/function/connect/:id',
  summary: 'A running browser, by the path of the function API',
};

export const devtoolsPage: SocketRoute = {
  kind: 'socket',
  path: '/devtools/page/:id',
  summary: 'A client for one page',
  description:
    'Attaches to a page by its target id, as /json/list and /sessions give it, or opens the page that PUT /json/new promised.',
  async open(request) {
    const { call, services } = request;
    const id = call.parameter('id');
    if (promisedPage.test(id)) return openPromisedPage(request);
    const session = await orAborted(findPage(services, id), call.signal);
    if (!session) throw notRunning(id, call.url.pathname);
    return attachAgain(request, session, id);
  },
};

/** The session whose browser has this page. */
async function findPage(services: Services, targetId: string): Promise<AttachableSession | undefined> {
  for (const { attachable } of services.sessions.list()) {
    if (attachable && (await pagesOf(attachable)).some((page) => page.targetId === targetId)) return attachable;
  }
  return undefined;
}

/** The first client of a kept browser sets the time limit; for further clients that limit stays. */
async function attachAgain(request: SocketRequest, session: AttachableSession, targetId?: string): Promise<Connection> {
  const connection = await attach(request, session, targetId);
  const { query, services } = request;
  if (session.numbConnected === 1) session.startClock(stayLimit(query.timeout, services.config));
  return connection;
}

async function openPromisedPage(request: SocketRequest): Promise<Connection> {
  const { call, limitMs } = request;
  const session = await startSession(sessionStart(request, 'chromium'), call);
  const targetId = await firstPage(session, call.signal).catch((error: unknown) => {
    session.unclaimed();
    throw error;
  });
  const connection = await attach(request, session, targetId);
  session.startClock(call.leftOf(limitMs));
  return connection;
}

/** The target id of the browser's first page; makes a page when there is none. */
async function firstPage(session: AttachableSession, signal: AbortSignal): Promise<string> {
  const [page] = await orAborted(pagesOf(session), signal);
  if (page) return page.targetId;
  const { root } = session.process.connection;
  return (await orAborted(root.send('Target.createTarget', { url: 'about:blank' }), signal)).targetId;
}

function notRunning(id: string, path: string): ServiceError {
  return new ServiceError('session-not-found', `Couldn't locate browser "${id}" for request "${path}"`);
}
