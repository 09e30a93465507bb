/**
 * Sockets that start a browser: `/`, `/chromium`, `/chrome`, `/edge`, and those with `stealth`
 * (compatibility.mdx#sockets).
 */
import type { BrowserName } from '../../../browser/processes/catalog.ts';
import { longestKeep } from '../pipeline/admission.ts';
import { joinNewBrowser } from '../sessions/start-session.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { attach } from '../sessions/attach.ts';
import type { SocketRequest, SocketRoute } from '../pipeline/route.ts';

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

function stealthSocket(path: string, browser: BrowserName): SocketRoute {
  return {
    ...browserSocket(path, browser, 'A stealth browser for CDP clients'),
    stealth: true,
    description:
      'Starts a browser of its own that hides that a program drives it: a full browser, with a window where the server has a display. Otherwise as /chromium.',
  };
}

export const browserSockets: readonly SocketRoute[] = [
  browserSocket('/', 'chromium', 'A Chromium for CDP clients'),
  browserSocket('/chromium', 'chromium', 'A Chromium for CDP clients'),
  browserSocket('/chrome', 'chrome', 'A Chrome for CDP clients'),
  browserSocket('/edge', 'edge', 'An Edge for CDP clients'),
  stealthSocket('/stealth', 'chromium'),
  stealthSocket('/chromium/stealth', 'chromium'),
  stealthSocket('/chrome/stealth', 'chrome'),
];

/** `ttl` keeps the browser as `Browserless.reconnect` does. */
function keepAsAsked({ call, query }: SocketRequest, session: AttachableSession): void {
  const { ttl = 0 } = query;
  const longest = longestKeep(call) || Infinity;
  if (ttl > 0) session.keepFor({ timeoutMs: Math.min(ttl, longest), auth: undefined });
}

/** Starts a browser for the call and joins the client with it. */
const openBrowser = (request: SocketRequest, browser: BrowserName) =>
  joinNewBrowser(request, browser, async (session) => {
    const connection = await attach(request, session);
    keepAsAsked(request, session);
    return connection;
  });
