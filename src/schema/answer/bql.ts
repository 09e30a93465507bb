// Declares the answer of a BrowserQL document: GraphQL over HTTP (compatibility.mdx#browserql-transport).

import * as v from 'valibot';
import { anyMembers, listOf, member, named } from './members.ts';

export const bqlAnswer = named(
  'BrowserQL',
  v.object({
    data: v.optional(
      member(v.nullable(anyMembers), 'The results by the names of the document; null for a step that failed.'),
    ),
    errors: v.optional(
      listOf(
        v.object({
          message: v.string(),
          locations: v.optional(listOf(v.object({ line: v.number(), column: v.number() }))),
          path: v.optional(member(listOf(v.union([v.string(), v.number()])), 'The step that failed.')),
          extensions: v.optional(v.object({ code: v.string() })),
        }),
      ),
    ),
  }),
);

export type BqlJson = v.InferOutput<typeof bqlAnswer>;
