/** The door of WebSockets: a client is answered like any other until its browser is ready, then it is joined with it. */
import { orAborted } from '../../runtime/deadline.ts';
import type { ClientUpgrade } from '../../runtime/http/upgrade.ts';
import { ignoredHeader } from '../http/request-id.ts';
import { refuseWhileDraining } from './admission.ts';
import type { Door } from './handle-call.ts';
import { graceMs, readBrowserRequest } from './read-request.ts';
import type { SocketRoute } from './route.ts';

export function socketDoor(route: SocketRoute): Door<ClientUpgrade> {
  const { auth = 'token' } = route;
  const ownCheck = typeof auth === 'function' ? auth : undefined;
  return {
    route: route.path,
    counted: true,
    // A check of the route's own looks for the session that the path names; a query that is wrong is told first.
    auth: ownCheck ? 'open' : auth,
    /** The answer is sent to clients that were not accepted only. */
    async answer(call, upgrade) {
      const request = readBrowserRequest(call);
      ownCheck?.(call);
      upgrade.headers = ignoredHeader(call.ignored);
      refuseWhileDraining(call.services);
      call.limit(request.limitMs);
      const connection = await orAborted(route.open({ ...request, upgrade }), call.signal, graceMs);
      call.session = connection.session;
      // Sockets that take no slot count as calls too: each socket by itself.
      call.begin();
      void connection.ended.then((error) => call.record(error, 101));
      return new Response(null);
    },
  };
}
