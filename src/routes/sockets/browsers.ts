/** Sockets that start a browser: `/`, `/chromium`, `/chrome`, `/edge`. Contract section 7. */
import type { BrowserName } from '../../browsers/catalog.ts';
import { now } from '../../runtime/machine.ts';
import { publicUrl } from '../http/public-url.ts';
import { startSession } from '../sessions/start-session.ts';
import { attach } from '../sessions/attach.ts';
import type { Connection, SocketCall, SocketRoute } from '../pipeline/socket-route.ts';

function browserSocket(path: string, browser: BrowserName, summary: string): SocketRoute {
  return {
    path,
    summary,
    description:
      'Starts a browser of its own and speaks the Chrome DevTools Protocol to it. The browser ends with its last client, unless it is kept with Browserless.reconnect.',
    auth: 'token',
    open: (call) => openBrowser(call, browser),
  };
}

export const browserSockets: readonly SocketRoute[] = [
  browserSocket('/', 'chromium', 'A Chromium for CDP clients'),
  browserSocket('/chromium', 'chromium', 'A Chromium for CDP clients'),
  browserSocket('/chrome', 'chrome', 'A Chrome for CDP clients'),
  browserSocket('/edge', 'edge', 'An Edge for CDP clients'),
];

/** Starts a browser for the call and joins the client with it. */
export async function openBrowser(call: SocketCall, browser: BrowserName): Promise<Connection> {
  const { services, launch, query, limitMs, routePath, progress } = call;
  const session = await startSession(
    {
      browser,
      launch,
      proxy: call.proxy,
      trackingId: query.trackingId,
      initialConnectURL: publicUrl(services.externalUrl(), call.url, launch),
      routePath,
      limitMs,
      blockAds: query.blockAds ?? false,
    },
    call.clock,
    services,
    progress,
  );
  progress.session = session.id;
  const connection = await attach(call, session);
  // The clock began with the slot (contract section 4.1).
  if (limitMs > 0) session.startClock(Math.max(1, limitMs - (now() - (progress.runningSince ?? now()))));
  return connection;
}
