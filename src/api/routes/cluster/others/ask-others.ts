/** Has the other servers of the cluster answer a call that is about all of them (`scope=cluster`). */
import * as v from 'valibot';
import type { Call } from '../../pipeline/call.ts';

/** What the other servers have answered. */
export interface OtherAnswers<Answer> {
  answers: Answer[];
  /** Headers of the answer: `X-Servers-Missing` tells how many servers did not answer in time. */
  headers: Record<string, string>;
}

/**
 * @param scope of the query
 * @param schema what each of them answers, as JSON
 * @returns no answers on a server that is alone, and for a call that is about this server
 * @throws the reason of the call's signal
 */
export async function askOthers<Answer>(
  {
    request,
    address,
    sender,
    services: {
      control: { cluster },
    },
  }: Call,
  scope: 'node' | 'cluster' | undefined,
  schema: v.GenericSchema<unknown, Answer>,
): Promise<OtherAnswers<Answer>> {
  if (scope !== 'cluster' || !cluster || sender) return { answers: [], headers: {} };
  const found = await cluster.askAll({ request, client: address }, async (response) =>
    v.parse(schema, response.status === 204 ? undefined : await response.json()),
  );
  const answers = found.flatMap((each) => (each === undefined ? [] : [each.answer]));
  const missing = found.length - answers.length;
  return { answers, headers: missing === 0 ? {} : { 'X-Servers-Missing': String(missing) } };
}
