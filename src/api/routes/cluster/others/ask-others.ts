/** Collects the responses of the other cluster nodes to a request about the whole cluster (`scope=cluster`). */
import * as v from 'valibot';
import type { Call } from '../../pipeline/call.ts';

/** The responses of the other nodes. */
export interface OtherAnswers<Answer> {
  answers: Answer[];
  /** Headers for the response: `X-Servers-Missing` is the number of nodes that did not respond in time. */
  headers: Record<string, string>;
}

/**
 * @param scope the `scope` parameter of the query
 * @param schema schema of the JSON that each node returns
 * @returns no responses if there is no cluster, or for a request about this node only
 * @throws the abort reason of the request's signal
 */
export async function queryOtherNodes<Answer>(
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
