/** Builds the rows and links of the BrowserQL schema pages: arguments, fields, enum values, uses. */
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
  print,
} from 'graphql';
import type { SchemaEntry, SchemaLinks, SchemaSection } from '../../web/docs/site/reference.ts';
import { schemaSlug } from '../../web/docs/site/slug.ts';

export const root = '/bql-schema';

/** Directives for documents: their pages are listed with the operations, those of schema directives with the types. */
export const ofDocuments = ['export', 'include', 'skip'];

export function entryOf(
  value: GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>,
  path?: string,
): SchemaEntry {
  const isInput = !('args' in value);
  const node = isInput && value.astNode && 'defaultValue' in value.astNode ? value.astNode.defaultValue : undefined;
  const byDefault = node ? print(node) : undefined;
  return {
    name: value.name,
    type: String(value.type),
    required: isInput && String(value.type).endsWith('!') && byDefault === undefined,
    byDefault,
    description: value.description ?? '',
    deprecated: value.deprecationReason ?? undefined,
    path,
  };
}

export const entriesOf = (
  values: readonly (GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>)[],
): SchemaEntry[] => values.map((value) => entryOf(value)).toSorted((a, b) => Number(b.required) - Number(a.required));

export const section = (title: string, name: string, entries: readonly SchemaEntry[]): SchemaSection[] =>
  entries.length === 0 ? [] : [{ title, id: schemaSlug(title).replaceAll(' ', '-'), name, entries }];

/** Returns the first sentence, for the page's description. */
export function firstSentence(text: string): string {
  return (/^[^]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text).replace(/\s+/g, ' ').replaceAll('`', '').trim();
}

export function valuesOf(type: GraphQLEnumType): SchemaEntry[] {
  return type.getValues().map(({ name, description, deprecationReason }) => ({
    name,
    type: '',
    required: false,
    byDefault: undefined,
    description: description ?? '',
    deprecated: deprecationReason ?? undefined,
    path: undefined,
  }));
}

export function fieldOf(
  schema: GraphQLSchema,
  kind: 'mutations' | 'queries',
  name: string,
): GraphQLField<unknown, unknown> {
  const type = kind === 'mutations' ? schema.getMutationType() : schema.getQueryType();
  const field = type?.getFields()[name];
  if (!field) throw new Error(`The schema has no ${name}`);
  return field;
}

export function signatureOf(field: GraphQLField<unknown, unknown>): string {
  const args = field.args.map((each) => {
    const { byDefault, type } = entryOf(each);
    return `  ${each.name}: ${type}${byDefault === undefined ? '' : ` = ${byDefault}`}`;
  });
  return `${field.name}${args.length === 0 ? '' : `(\n${args.join('\n')}\n)`}: ${String(field.type)}`;
}

export const withoutDescriptions = (sdl: string): string =>
  sdl
    .replace(/^\s*"""[^]*?"""\n/gm, '')
    .replace(/^\s*"(?:\\.|[^"\\])*"\n/gm, '')
    .trim();

/** Returns links to the operations that return a type, and to the operations and types that accept or contain it. */
export function usesOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  types: Readonly<Record<string, string>>,
): SchemaLinks[] {
  const returned: SchemaLinks['links'][number][] = [];
  const member = new Map<string, SchemaLinks['links'][number]>();
  for (const [kind, owner] of [
    ['mutations', schema.getMutationType()],
    ['queries', schema.getQueryType()],
  ] as const) {
    for (const field of Object.values(owner?.getFields() ?? {})) {
      const path = `${root}/operations/${kind}/${schemaSlug(field.name)}`;
      const link = { label: field.name, path, description: firstSentence(field.description ?? '') };
      if (getNamedType(field.type) === type) returned.push(link);
      if (field.args.some((argument) => getNamedType(argument.type) === type)) member.set(path, link);
    }
  }
  for (const other of Object.values(schema.getTypeMap())) {
    const path = types[other.name];
    const isRoot = other === schema.getMutationType() || other === schema.getQueryType();
    if (path === undefined || isRoot || !(isObjectType(other) || isInputObjectType(other))) continue;
    const fields: readonly { type: unknown }[] = Object.values(other.getFields());
    if (fields.some((field) => String(field.type).replace(/[[\]!]/g, '') === type.name)) {
      member.set(path, { label: other.name, path, description: firstSentence(other.description ?? '') });
    }
  }
  const list = (title: string, id: string, links: readonly SchemaLinks['links'][number][]): SchemaLinks[] =>
    links.length === 0 ? [] : [{ title, id, links }];
  return [...list('Returned by', 'returned-by', returned), ...list('Member of', 'member-of', [...member.values()])];
}
