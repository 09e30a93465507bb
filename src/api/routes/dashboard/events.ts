/** Sends server-sent events to a dashboard page: the full state first, then what has changed, at most once a second. */
import type { DashboardFeed } from '../../../control/dashboard/feed.ts';
import { ServiceError } from '../../../base/errors.ts';
import { dashboardLimits } from '../../../base/limits.ts';
import { startDeadline } from '../../../base/runtime/deadline.ts';
import { streamHeaders } from '../http/response-headers.ts';
import { refuseWhileDraining } from '../pipeline/admission.ts';
import { uiRoute } from '../pipeline/route.ts';
import { signInOf } from '../sign-in/sign-in.ts';
import { dashboardPlace, requireSignedIn } from './guard.ts';
import { now } from '../../../base/runtime/machine.ts';

/** Interval of heartbeats, which show proxies and the page that the connection is alive, in milliseconds. */
const heartbeatMs = 15_000;

export const dashboardEvents = uiRoute('GET /dashboard/events', {
  auth: requireSignedIn,
  handle(call) {
    const { request, services } = call;
    const { dashboard } = services.web;
    const { draining } = services.signals;
    refuseWhileDraining(services);
    const headers = streamHeaders('text/event-stream');
    if (dashboard.feed.listeners >= dashboardLimits.streams) {
      throw new ServiceError(
        'too-many-viewers',
        `The dashboard is open in ${dashboardLimits.streams} windows, which is the maximum. Close one of them.`,
      );
    }
    // A page uses HEAD to find out why it does not get events.
    if (request.method === 'HEAD') return new Response(null, { headers });
    const signedIn = signInOf(call, dashboardPlace);
    const ends = [request.signal, draining, ...(signedIn ? [signedIn.ended] : [])];
    const leftMs = signedIn ? Math.max(1, signedIn.endsAt - now()) : 0;
    return new Response(eventsOf(dashboard.feed, leftMs, ends), { headers });
  },
});

/**
 * @param limitMs ends the events after this time in milliseconds; 0 for never
 * @param ends signals that end them
 */
function eventsOf(feed: DashboardFeed, limitMs: number, ends: AbortSignal[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = () => {};
  // A slow reader gets the full state again once it resumes reading.
  let isBehind = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text));
        else isBehind = true;
      };
      const unlisten = feed.listen((message) => {
        if (!isBehind) send(`data: ${message}\n\n`);
      });
      const heartbeat = setInterval(() => send('event: beat\ndata:\n\n'), heartbeatMs);
      const deadline = startDeadline(limitMs, () => undefined, ends);
      stop = () => {
        unlisten();
        clearInterval(heartbeat);
        deadline[Symbol.dispose]();
      };
      const end = () => {
        stop();
        controller.close();
      };
      if (deadline.signal.aborted) end();
      else deadline.signal.addEventListener('abort', end, { once: true });
    },
    pull(controller) {
      if (!isBehind) return;
      isBehind = false;
      controller.enqueue(encoder.encode(`data: ${feed.whole()}\n\n`));
    },
    cancel: () => stop(),
  });
}
