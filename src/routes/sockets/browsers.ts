/** Sockets that start a browser: `/`, `/chromium`, `/chrome`, `/edge` (compatibility.mdx#sockets). */
import type { BrowserName } from '../../browsers/catalog.ts';
import { sessionStart, startSession } from '../sessions/start-session.ts';
import type { AttachableSession } from '../../sessions/session.ts';
import { attach } from '../sessions/attach.ts';
import type { Connection, SocketRequest, SocketRoute } from '../pipeline/route.ts';

function browserSocket(path: string, browser: BrowserName, summary: string): SocketRoute {
  return {
    kind: 'socket',
    callKind: 'cdp',
    path,
    summary,
    description:
      'Starts a browser of its own and speaks the Chrome DevTools Protocol to it. The browser ends with its last client, unless it is kept with Browserless.reconnect.',
    open: (request) => openBrowser(request, browser),
  };
}

export const browserSockets: readonly SocketRoute[] = [
  browserSocket('/', 'chromium', 'A Chromium for CDP clients'),
  browserSocket('/chromium', 'chromium', 'A Chromium for CDP clients'),
  browserSocket('/chrome', 'chrome', 'A Chrome for CDP clients'),
  browserSocket('/edge', 'edge', 'An Edge for CDP clients'),
];

/** `ttl` keeps the browser as `Browserless.reconnect` does. */
function keepAsAsked({ query, services }: SocketRequest, session: AttachableSession): void {
  const { ttl = 0 } = query;
  const longest = services.config.MAX_RECONNECT_TIME || Infinity;
  if (ttl > 0) session.keepFor({ timeoutMs: Math.min(ttl, longest), auth: undefined });
}

/** Starts a browser for the call and joins the client with it. */
async function openBrowser(request: SocketRequest, browser: BrowserName): Promise<Connection> {
  const { call, limitMs } = request;
  const session = await startSession(sessionStart(request, browser), call);
  const connection = await attach(request, session);
  keepAsAsked(request, session);
  // The time limit of the call started with its slot.
  session.startClock(call.leftOf(limitMs));
  return connection;
}
