/** Builds the GraphQL schema from schema.graphql, once, on first use. */
import {
  buildASTSchema,
  getNamedType,
  GraphQLObjectType,
  type GraphQLSchema,
  GraphQLScalarType,
  isObjectType,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import { assetText } from '../../../base/program/assets.ts';
import { isPlainObject } from '../../../base/schema/record.ts';
import type { DocumentLanguage } from './document.ts';

export interface Language extends DocumentLanguage {
  /** The source of the schema (SDL). */
  text: string;
}

let language: Promise<Language> | undefined;

export function loadLanguage(): Promise<Language> {
  language ??= load();
  return language;
}

async function load(): Promise<Language> {
  const text = await assetText('schema.graphql');
  const schema = buildASTSchema(parse(text, { noLocation: true }));
  restrictScalar(schema, 'FloatOrString', 'a number or a string', isNumberOrText);
  restrictScalar(schema, 'StringOrArray', 'a string or a list of strings', isTextOrTexts);
  restrictScalar(schema, 'CookiePartitionKey', 'a string or an object', isTextOrObject);
  return { schema, text, example: 'mutation { … }' };
}

function isNumberOrText(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

function isTextOrTexts(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
}

function isTextOrObject(value: unknown): boolean {
  return typeof value === 'string' || isPlainObject(value);
}

/** Adds a check to one of our scalars; a scalar built from SDL accepts everything. */
function restrictScalar(schema: GraphQLSchema, name: string, what: string, accepts: (value: unknown) => boolean): void {
  const scalar = schema.getType(name);
  if (!(scalar instanceof GraphQLScalarType)) throw new Error(`the schema has no scalar ${name}`);
  const checked = (value: unknown): unknown => {
    if (!accepts(value)) throw new TypeError(`${name} must be ${what}`);
    return value;
  };
  scalar.coerceInputValue = checked;
  scalar.parseValue = checked;
  scalar.parseLiteral = (node, variables) => checked(valueFromASTUntyped(node, variables));
}

/** Returns the object type of a field; undefined for scalars, enums and unknown fields. */
export function objectTypeOf(type: GraphQLObjectType, field: string): GraphQLObjectType | undefined {
  const definition = type.getFields()[field];
  const named = definition && getNamedType(definition.type);
  return isObjectType(named) ? named : undefined;
}
