/** `POST /drain`: stops the server as SIGTERM does. */
import { ServiceError } from '../../../base/errors.ts';
import { noContent } from '../../../base/schema/response/responses.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import { directRoute } from '../pipeline/route.ts';

const withoutToken = () =>
  new ServiceError(
    'unauthorized',
    'This server has no TOKEN, so anybody could stop it. Set TOKEN, or send the process SIGTERM.',
  );

export const drain = directRoute('manage', 'POST /drain', {
  auth: 'operator',
  summary: 'Drain the server',
  description:
    'Stops the server as SIGTERM does: /ready fails, other servers send it no new browsers and sessions (with CLUSTER_URL), running requests and sockets may continue for SHUTDOWN_DELAY_MS, SOCKET_DRAIN_MS, and DRAIN_TIMEOUT_MS, then the process exits with code 0. Send the request directly to the server. A process manager may start the server again.',
  query: tokenQuery,
  ignoresUnknown: true,
  answers: [noContent],
  handle(call) {
    if (!call.services.control.accounts.requiresToken) throw withoutToken();
    call.services.signals.stopRequested.abort();
    return new Response(null, { status: 204 });
  },
});
