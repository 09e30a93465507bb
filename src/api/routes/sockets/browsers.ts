/**
 * Sockets that start a browser: `/`, `/chromium`, `/chrome`, `/edge`, and the stealth variants
 * (compatibility.mdx#sockets).
 */
import type { BrowserName } from '../../../browser/processes/catalog.ts';
import { maxReconnectTime } from '../pipeline/admission.ts';
import { joinNewBrowser } from '../sessions/start-session.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { attach } from '../sessions/attach.ts';
import { type SocketRequest, type SocketRoute, socketRoute } from '../pipeline/route.ts';

function browserSocket(path: string, browser: BrowserName, summary: string): SocketRoute {
  return socketRoute('sockets', path, {
    callKind: 'cdp',
    subject: undefined,
    summary,
    description:
      'Connects to a new browser over the Chrome DevTools Protocol. The browser closes when its last client disconnects, unless Browserless.reconnect keeps it alive.',
    open: (request) => openBrowser(request, browser),
  });
}

function stealthSocket(path: string, browser: BrowserName): SocketRoute {
  return {
    ...browserSocket(path, browser, 'Stealth browser for CDP clients'),
    stealth: true,
    description:
      'Starts a new browser that hides that it is automated: a full browser, with a window if the server has a display. Otherwise like /chromium.',
  };
}

export const browserSockets: readonly SocketRoute[] = [
  browserSocket('/', 'chromium', 'Chromium for CDP clients'),
  browserSocket('/chromium', 'chromium', 'Chromium for CDP clients'),
  browserSocket('/chrome', 'chrome', 'Chrome for CDP clients'),
  browserSocket('/edge', 'edge', 'Edge for CDP clients'),
  stealthSocket('/stealth', 'chromium'),
  stealthSocket('/chromium/stealth', 'chromium'),
  stealthSocket('/chrome/stealth', 'chrome'),
];

/** Keeps the browser for `ttl` milliseconds, like `Browserless.reconnect`. */
function keepForTtl({ call, query }: SocketRequest, session: AttachableSession): void {
  const { ttl = 0 } = query;
  const longest = maxReconnectTime(call) || Infinity;
  if (ttl > 0) session.keepFor({ timeoutMs: Math.min(ttl, longest), auth: undefined });
}

/** Starts a browser for the request and connects the client to it. */
const openBrowser = (request: SocketRequest, browser: BrowserName) =>
  joinNewBrowser(request, browser, async (session) => {
    const connection = await attach(request, session);
    keepForTtl(request, session);
    return connection;
  });
