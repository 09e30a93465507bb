/** `POST /graphql`: returns the state of the server to GraphQL clients (compatibility.mdx#management). */
import * as v from 'valibot';
import { json } from '../../../base/schema/response/responses.ts';
import { graphqlResponse } from '../../../base/schema/response/bql.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import { ignoredFieldsIn } from '../../../base/schema/without-effect.ts';
import { bqlBody } from '../bql/bql-body.ts';
import { readJsonBody } from '../http/body.ts';
import { jsonResponse } from '../http/json-response.ts';
import { requireMatch } from '../http/match.ts';
import { directRoute } from '../pipeline/route.ts';

const graphqlBody = v.strictObject({
  ...bqlBody.entries,
  query: v.pipe(v.string(), v.description('The document, such as `{ pressure { isAvailable } }`.')),
});

const answers = [
  json(graphqlResponse),
  { type: 'application/graphql-response+json', onlyAccepted: true },
  // A document that cannot run, or that requests too much.
  json(graphqlResponse, 400),
] as const;

export const graphql = directRoute('manage', 'POST /graphql', {
  summary: 'GraphQL API',
  description:
    'Returns the same data as the REST routes for `pressure`, `metrics`, `metricsTotal`, `sessions`, `account`, and `version`, with the same access rules: a field that the token cannot read is null, with an entry in `errors`.',
  query: tokenQuery,
  body: graphqlBody,
  example: { query: '{ pressure { isAvailable running queued } }' },
  answers,
  async handle(call) {
    const { request, services } = call;
    requireMatch({ name: 'graphql', answers }, request);
    const sent = await readJsonBody(request, services.config.MAX_PAYLOAD_SIZE);
    const body = parseBody(graphqlBody, sent);
    call.ignore(ignoredFieldsIn(graphqlBody, sent));
    const { answerDocument } = await import('./response.ts');
    const { answer, status } = await answerDocument(call, body);
    return jsonResponse(answer, {}, status);
  },
});
