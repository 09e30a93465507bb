/** Serves the server information that the documentation shows: /docs-facts. */
import { json } from '../../../base/schema/response/responses.ts';
import { factsResponse } from '../../../base/schema/response/manage.ts';
import { jsonResponse } from '../http/json-response.ts';
import { versionsOf } from '../manage/status.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { requireReader } from './readers.ts';

export const docsFacts = directRoute('manage', 'GET /docs-facts', {
  summary: 'Server information for the documentation',
  description:
    'The information about this server that the documentation shows: its version, whether it requires a token and whether the token of this request is valid, its limits, its browsers, and the supported clients. Open to everyone who may read the documentation.',
  auth: requireReader,
  errors: ['not-found'],
  answers: [json(factsResponse)],
  async handle(call) {
    const { config } = call.services;
    const versions = await versionsOf(call.services);
    return jsonResponse({
      ...versions,
      token: tokenState(call),
      timeout: config.TIMEOUT,
      concurrent: call.services.control.limiter.options.concurrent,
      queued: config.QUEUED,
      maxPayloadSize: config.MAX_PAYLOAD_SIZE,
    });
  },
});

function tokenState({ credential, services }: Call) {
  const { accounts } = services.control;
  if (!accounts.requiresToken) return 'not needed' as const;
  if (credential === undefined) return 'missing' as const;
  return accounts.accepts(credential) ? ('accepted' as const) : ('wrong' as const);
}
