/** Back to a browser that was kept with `Browserless.reconnect`. Contract section 14.3. */
import type { AttachableSession } from '../../sessions/session.ts';
import { ServiceError } from '../../errors.ts';
import { checkToken, credentialOf } from '../http/auth.ts';
import { jsonResponse } from '../http/json-response.ts';
import { describePage, pagesOf } from './pages.ts';
import type { ManageRoute } from '../pipeline/route.ts';
import type { Services } from '../pipeline/services.ts';
import { attach } from './attach.ts';
import type { SocketRoute } from '../pipeline/socket-route.ts';

export const reconnectSocket: SocketRoute = {
  path: '/reconnect/:id',
  summary: 'Back to a kept browser',
  description:
    'Attaches to a browser that Browserless.reconnect keeps; 404 when it has ended. Asks for the token that the command set, otherwise for that of the server.',
  auth: 'own',
  async open(call) {
    const session = keptBrowser(call.parameter('id'), call.request, call.url, call.services);
    const connection = await attach(call, session);
    if (session.numbConnected === 1) session.startClock(call.limitMs);
    return connection;
  },
};

export const reconnectInfo: ManageRoute = {
  method: 'GET',
  path: '/reconnect/:id',
  summary: 'What a kept browser shows',
  description:
    'Tells of a browser that Browserless.reconnect keeps: its socket and its pages. Asks for the token that the command set, otherwise for that of the server.',
  protected: false,
  answers: ['application/json'],
  async handle({ request, url, parameter, services }) {
    const session = keptBrowser(parameter('id'), request, url, services);
    const base = services.externalUrl();
    const { version } = session.process;
    return jsonResponse({
      id: session.id,
      Browser: version.product,
      'User-Agent': version.userAgent,
      numbConnected: session.numbConnected,
      webSocketDebuggerUrl: `${base.replace(/^http/, 'ws')}/reconnect/${session.id}`,
      pages: (await pagesOf(session)).map((page) => describePage(session.id, page, base)),
    });
  },
};

/** The token comes first, so that an id cannot be guessed by its status. */
export function keptBrowser(id: string, request: Request, url: URL, services: Services): AttachableSession {
  const session = services.sessions.find(id)?.attachable;
  const kept = session?.id === id && session.keep ? session : undefined;
  const auth = kept?.keep?.auth;
  checkToken(
    credentialOf(request.headers.get('authorization'), url.searchParams),
    auth === undefined ? services.config.TOKEN : [auth],
  );
  if (!kept)
    throw new ServiceError('session-not-found', `Couldn't locate browser "${id}" for request "${url.pathname}"`);
  return kept;
}
