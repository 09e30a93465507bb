/** Connects clients to a browser that `Browserless.reconnect` keeps alive (compatibility.mdx#kept-browsers). */
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { ServiceError } from '../../../base/errors.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { keptBrowser as keptBrowserAnswer } from '../../../base/schema/response/sessions.ts';
import { jsonResponse } from '../http/json-response.ts';
import { describePage, pagesOf } from './pages.ts';
import { directRoute, socketRoute } from '../pipeline/route.ts';
import type { Call } from '../pipeline/call.ts';
import { attach } from './attach.ts';
import { authorizedSession } from './session-auth.ts';
import { toSocketUrl } from '../http/public-url.ts';

export const reconnectSocket = socketRoute('sockets', '/reconnect/:id', {
  callKind: 'attach',
  subject: 'session',
  summary: 'Reconnect to a kept-alive browser',
  description:
    'Attaches to a browser kept alive by Browserless.reconnect; 404 if it has been closed. Requires the token set by the command, or a server token if it set none.',
  auth: (call) => void keptBrowser(call),
  async open(request) {
    // Look it up again: the browser may have been closed in the meantime.
    const session = keptBrowser(request.call);
    const connection = await attach(request, session);
    if (session.numbConnected === 1) session.startClock(request.limitMs);
    return connection;
  },
});

export const reconnectInfo = directRoute('sessions', 'GET /reconnect/:id', {
  subject: 'session',
  summary: 'State of a kept-alive browser',
  description:
    'Describes a browser kept alive by Browserless.reconnect: its socket and its pages. Requires the token set by the command, or a server token if it set none.',
  auth: (call) => void keptBrowser(call),
  answers: [json(keptBrowserAnswer)],
  errors: ['session-not-found'],
  async handle(call) {
    const session = keptBrowser(call);
    const { base } = call;
    const { version } = session.process;
    return jsonResponse({
      id: session.facts.id,
      Browser: version.product,
      'User-Agent': version.userAgent,
      numbConnected: session.numbConnected,
      webSocketDebuggerUrl: `${toSocketUrl(base)}/reconnect/${session.facts.id}`,
      pages: (await pagesOf(session)).map((page) => describePage(session.facts.id, page, base)),
    });
  },
});

/**
 * The kept browser that the path of the request identifies. Checks the token first, so that the status does not reveal
 * whether an id exists.
 * @throws ServiceError `unauthorized`, `session-not-found`
 */
export function keptBrowser(call: Call): AttachableSession {
  const { parameter, url, services } = call;
  const id = parameter('id');
  const session = services.sessions.registry.find(id)?.attachable;
  const kept = authorizedSession(session?.keep && session, call);
  if (!kept)
    throw new ServiceError('session-not-found', `Couldn't locate browser "${id}" for request "${url.pathname}"`);
  return kept;
}
