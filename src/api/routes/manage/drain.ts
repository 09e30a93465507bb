/** `POST /drain`: ends the server as SIGTERM does. */
import { ServiceError } from '../../../base/errors.ts';
import { noContent } from '../../../base/schema/answer/answers.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import { readLenientQuery } from '../pipeline/read-request.ts';
import { directRoute } from '../pipeline/route.ts';

const withoutToken = () =>
  new ServiceError(
    'unauthorized',
    'This server has no TOKEN, so everybody might stop it. Set TOKEN, or send the process SIGTERM.',
  );

export const drain = directRoute({
  method: 'POST',
  path: '/drain',
  auth: 'operator',
  summary: 'Take a server out',
  description:
    'Ends the server as SIGTERM does: /ready fails, other servers send it no new browsers and sessions (with CLUSTER_URL), running calls and sockets get the times of SHUTDOWN_DELAY_MS, SOCKET_DRAIN_MS and DRAIN_TIMEOUT_MS, then the process ends with exit code 0. Send it to the address of the server itself; what runs the process may start it again.',
  query: tokenQuery,
  answers: [noContent],
  handle(call) {
    readLenientQuery(call, tokenQuery);
    if (!call.services.control.accounts.asksForToken) throw withoutToken();
    call.services.signals.stopRequested.abort();
    return new Response(null, { status: 204 });
  },
});
