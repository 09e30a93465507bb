// Declares the GraphQL-over-HTTP responses: to a BrowserQL document (compatibility.mdx#browserql-transport), and to a
// query about the server (compatibility.mdx#management).

import * as v from 'valibot';
import { anyMembers, listOf, member, namedObject } from './members.ts';

const errors = (failed: string) =>
  v.optional(
    listOf(
      v.object({
        message: v.string(),
        locations: v.optional(listOf(v.object({ line: v.number(), column: v.number() }))),
        path: v.optional(member(listOf(v.union([v.string(), v.number()])), failed)),
        extensions: v.optional(v.object({ code: v.string() })),
      }),
    ),
  );

const data = (text: string) => v.optional(member(v.nullable(anyMembers), text));

export const bqlResponse = namedObject('BrowserQL', {
  data: data('The results, keyed by the names in the document; null for a step that failed.'),
  errors: errors('The step that failed.'),
});

export type BqlJson = v.InferOutput<typeof bqlResponse>;

export const graphqlResponse = namedObject('GraphQL', {
  data: data('The results, keyed by the names in the document; null for a field that was refused.'),
  errors: errors('The field that was refused.'),
});
