/** Declares the body of a BrowserQL request: GraphQL over HTTP (compatibility.mdx#browserql-transport). */
import * as v from 'valibot';
import { field, mapOf } from '../../schema/request/primitives.ts';

/** Clients send an empty text or null for "none". */
const nothing = v.pipe(
  v.union([v.literal(''), v.null()]),
  v.transform(() => undefined),
);

/** An empty object of PHP: its `json_encode` cannot tell one from an empty list. */
const emptyList = v.pipe(
  v.strictTuple([]),
  v.transform(() => undefined),
);

export const bqlBody = v.strictObject({
  query: v.pipe(v.string(), v.description('The document, such as `mutation { goto(url: "…") { status } }`.')),
  variables: field(v.union([nothing, emptyList, mapOf(v.unknown())]), 'Values of the variables of the operation.'),
  operationName: field(v.union([nothing, v.string()]), 'Which operation to run, when the document has several.'),
  extensions: field(v.union([nothing, mapOf(v.unknown())]), 'Accepted and ignored.'),
});

export type BqlBody = v.InferOutput<typeof bqlBody>;
