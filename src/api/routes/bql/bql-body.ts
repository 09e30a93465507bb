/** Declares the body of a BrowserQL request: GraphQL over HTTP (compatibility.mdx#browserql-transport). */
import * as v from 'valibot';
import { field, ignoredField, mapOf } from '../../../base/schema/request/primitives.ts';

/** Clients send an empty string or null for "none". */
const nothing = v.pipe(
  v.union([v.literal(''), v.null()]),
  v.transform(() => undefined),
);

export const bqlBody = v.strictObject({
  query: v.pipe(v.string(), v.description('The document, such as `mutation { goto(url: "…") { status } }`.')),
  variables: field(v.union([nothing, mapOf(v.unknown())]), 'Values for the variables of the operation.'),
  operationName: field(v.union([nothing, v.string()]), 'Which operation to run if the document has several.'),
  extensions: ignoredField(v.union([nothing, mapOf(v.unknown())]), 'this server supports no protocol extensions'),
});

export type BqlBody = v.InferOutput<typeof bqlBody>;
