/** Parses the document of a request, and responds directly if it needs no browser: only a valid mutation starts one. */
import type { BqlResponse } from '../../bql/execute.ts';
import type { ReadyDocument } from '../../bql/language/document.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import type { RouteResult, Job } from '../pipeline/route.ts';
import { environmentFor, toAnswer } from './bql-environment.ts';
import type { BqlBody } from './bql-body.ts';

/**
 * The parsed document of a body, or the response if it needs no browser, that is, for a query, a subscription, or a
 * document that cannot run.
 */
export async function readMutation(
  job: Pick<Job<BqlBody>, 'body' | 'call' | 'services'>,
): Promise<{ ready: ReadyDocument } | { answer: RouteResult }> {
  const { body, call, services } = job;
  const { answerQuery, DocumentError, readDocument, toRequestErrors } = await import('../../bql/execute.ts');
  let ready;
  try {
    ready = await readDocument(body);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { answer: toAnswer({ errors: toRequestErrors(error.errors) }, 400) };
  }
  if (ready.kind === 'subscription') return { answer: toAnswer(subscriptionOverHttp, 400) };
  if (ready.kind === 'mutation') return { ready };
  const answer = await orAborted(answerQuery(ready, environmentFor(services, services.log)), call.signal);
  return { answer: toAnswer(answer) };
}

const subscriptionOverHttp: BqlResponse = {
  errors: [
    {
      message:
        'Subscriptions need a WebSocket: connect to the same URL with ws:// or wss:// and the subprotocol graphql-transport-ws.',
      extensions: { code: 'BAD_DOCUMENT' },
    },
  ],
};
