/** The pipeline of sockets: the same checks in the same order as for REST (contract 7.1), then the socket, then the books. */
import { ServiceError, toResponse, toServiceError } from '../../errors.ts';
import { orAborted, startDeadline } from '../../runtime/deadline.ts';
import { now } from '../../runtime/machine.ts';
import type { ClientUpgrade } from '../../runtime/http/upgrade.ts';
import { applyLegacyShim } from '../../schema/request/launch.ts';
import { parseQuery } from '../../schema/parse.ts';
import { takeProxy } from '../../network/proxy.ts';
import { browserQuery } from '../../schema/request/query.ts';
import { beginProgress, finish, timeLimit } from './admission.ts';
import { checkToken, credentialOf } from '../http/auth.ts';
import { ignoredHeader, withRequestId } from '../http/request-id.ts';
import type { Services } from './services.ts';
import type { SocketRoute } from './socket-route.ts';

/** What a route has, once the time is over, to give back what it began and to say why, in milliseconds. */
const graceMs = 200;

/** Answers a refusal; when the client was accepted, its books are closed at the end of the connection. */
export async function callSocketRoute(
  route: SocketRoute,
  request: Request,
  parameter: (name: string) => string,
  upgrade: ClientUpgrade,
  services: Services,
): Promise<Response> {
  const progress = beginProgress(request);
  try {
    const url = new URL(request.url);
    const credential = credentialOf(request.headers.get('authorization'), url.searchParams);
    if (route.auth === 'token') checkToken(credential, services.config.TOKEN);
    const shimmed = applyLegacyShim(url.searchParams, services.config.ALLOWED_LAUNCH_ARGS);
    progress.ignored = shimmed.ignored;
    upgrade.headers = ignoredHeader(shimmed.ignored);
    const query = parseQuery(browserQuery, shimmed.params);
    const { proxy: choice, launch } = takeProxy(query, shimmed.launch, services.config.RESIDENTIAL_PROXY_URL);
    progress.trackingId = query.trackingId;
    const limitMs = timeLimit(query.timeout, services.config);
    if (services.draining.aborted) throw services.draining.reason;
    using opening = startDeadline(limitMs, () => new ServiceError('timeout', 'Request has timed out'), [
      request.signal,
      services.stopping,
    ]);
    const proxy = choice && { choice, credential };
    const { path: routePath } = route;
    const call = {
      request,
      url,
      query,
      launch,
      credential,
      proxy,
      limitMs,
      routePath,
      parameter,
      upgrade,
      clock: opening,
      progress,
      services,
    };
    const connection = await orAborted(route.open(call), opening.signal, graceMs);
    progress.session = connection.session;
    if (progress.runningSince === undefined) {
      // Sockets that take no slot count as calls too (contract 14.3: each socket by itself).
      services.metrics.started();
      progress.runningSince = now();
    }
    void connection.ended.then((error) => finish(services, route.path, progress, error, 101));
    return new Response(null);
  } catch (thrown) {
    const error = toServiceError(
      request.signal.aborted ? new ServiceError('client-gone', 'The client closed the connection') : thrown,
    );
    if (error.code === 'internal') {
      services.log.error('request.failed', { id: progress.id, route: route.path, cause: error.cause });
    }
    finish(services, route.path, progress, error);
    return withRequestId(toResponse(error, { accept: request.headers.get('accept') }), progress.id);
  }
}
