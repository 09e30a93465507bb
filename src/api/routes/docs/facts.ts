/** Tells the documentation about the server that it comes from: /docs-facts. */
import { json } from '../../../base/schema/answer/answers.ts';
import { factsAnswer } from '../../../base/schema/answer/manage.ts';
import { jsonResponse } from '../http/json-response.ts';
import { versionsOf } from '../manage/status.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { requireReader } from './readers.ts';

export const docsFacts = directRoute({
  method: 'GET',
  path: '/docs-facts',
  summary: 'Facts for the documentation',
  description:
    'What the pages of the documentation say about this server: its version, whether it asks for a token and whether the token of this call is right, its limits, its browsers and the clients that may connect. Who may read the documentation may read this.',
  auth: requireReader,
  errors: ['not-found'],
  answers: [json(factsAnswer)],
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
  if (!accounts.asksForToken) return 'not needed' as const;
  if (credential === undefined) return 'missing' as const;
  return accounts.accepts(credential) ? ('accepted' as const) : ('wrong' as const);
}
