/**
 * Derives GraphQL types from the schemas of REST responses, with the names, descriptions, and kinds of the schemas.
 * Every field is nullable, so that a missing field does not null out its siblings. Alternatives become one type with
 * all of their fields; picklists become String, because some choices are not valid GraphQL names; maps and unknown
 * values become JSON.
 */
import { capitalize } from '../../../base/text.ts';
import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLNullableOutputType,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import type { GenericSchema } from 'valibot';
import {
  alternativesOf,
  choicesOf,
  descriptionOf,
  entriesOf,
  innerOf,
  literalOf,
  unwrap,
} from '../../../base/schema/introspect.ts';

const json = new GraphQLScalarType({
  name: 'JSON',
  description: 'A JSON value of any structure; it takes no selection set.',
});

const scalars: Readonly<Record<string, GraphQLScalarType>> = {
  string: GraphQLString,
  picklist: GraphQLString,
  number: GraphQLFloat,
  boolean: GraphQLBoolean,
  record: json,
  unknown: json,
};

/**
 * Returns the GraphQL type for a schema.
 * @param name type name of the object in the schema, and prefix for the names of nested objects
 * @throws Error for a kind of schema that no response uses yet
 */
export function outputType(schema: GenericSchema, name: string): GraphQLNullableOutputType {
  const inner = unwrap(schema);
  const scalar = inner.type === 'literal' ? scalars[typeof literalOf(inner)] : scalars[inner.type];
  if (scalar) return scalar;
  const item = inner.type === 'array' ? innerOf(inner) : undefined;
  if (item) return new GraphQLList(new GraphQLNonNull(outputType(item, name)));
  const fields = Object.entries(membersOf(inner)).map(([key, schemas]) => [key, fieldOf(key, name, schemas)] as const);
  if (fields.length === 0) throw new Error(`no GraphQL type for the ${inner.type} of ${name}`);
  return new GraphQLObjectType({ name, fields: Object.fromEntries(fields) });
}

/** The fields of an object, or of all its alternatives, each with its schemas. */
function membersOf(schema: GenericSchema): Record<string, GenericSchema[]> {
  const members: Record<string, GenericSchema[]> = {};
  for (const alternative of [schema, ...alternativesOf(schema)]) {
    for (const [key, entry] of Object.entries(entriesOf(alternative) ?? {})) (members[key] ??= []).push(entry);
  }
  return members;
}

function fieldOf(key: string, parent: string, schemas: readonly GenericSchema[]): GraphQLFieldConfig<unknown, unknown> {
  const name = `${parent}${capitalize(key)}`;
  const [type, other] = schemas.map((schema) => outputType(schema, name));
  if (!type || (other && String(other) !== String(type))) throw new Error(`${parent}.${key} has several types`);
  const choices = new Set(schemas.flatMap((schema) => textsOf(unwrap(schema))));
  const listed = choices.size > 0 ? `One of ${[...choices].map((choice) => JSON.stringify(choice)).join(', ')}.` : '';
  const texts = [...new Set(schemas.map((schema) => descriptionOf(schema) ?? '')), listed];
  return { type, description: texts.filter((text) => text !== '').join(' ') || undefined };
}

const textsOf = (schema: GenericSchema): unknown[] =>
  schema.type === 'literal' ? [literalOf(schema)] : choicesOf(schema);
