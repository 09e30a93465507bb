/** Generates a page for each mutation, query, directive and type of the BrowserQL schema, only from the SDL. */
import { readFile } from 'node:fs/promises';
import {
  buildSchema,
  getNamedType,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  printType,
} from 'graphql';
import type { Sidebar, SidebarItem } from '../../web/docs/site/model.ts';
import type { Reference, ReferencePage, SchemaContent, SchemaSection } from '../../web/docs/site/reference.ts';
import { operationGroups } from '../../api/bql/operations/table.ts';
import { guessedSlug, schemaSlug } from '../../web/docs/site/slug.ts';
import {
  entriesOf,
  entryOf,
  fieldOf,
  firstSentence,
  ofDocuments,
  root,
  section,
  signatureOf,
  usesOf,
  valuesOf,
  withoutDescriptions,
} from './schema-entries.ts';
import { exampleOf, isTested, samplesOf } from './schema-example.ts';

type SchemaKind = 'mutations' | 'queries' | 'directives' | 'enums' | 'inputs' | 'objects' | 'scalars';

const kindNames: Readonly<Record<SchemaKind, string>> = {
  mutations: 'Mutation',
  queries: 'Query',
  directives: 'Directive',
  enums: 'Enum',
  inputs: 'Input',
  objects: 'Object',
  scalars: 'Scalar',
};

/** @returns no pages when there is no schema file */
export async function schemaReference(file: string): Promise<Reference> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { pages: [], sidebars: [], redirects: {} };
  const schema = buildSchema(text);
  const things = schemaItems(schema);
  const types = Object.fromEntries(
    things.flatMap(({ kind, name, path }) => (/^(enums|inputs|objects|scalars)$/.test(kind) ? [[name, path]] : [])),
  );
  const pages = things.map((thing) => pageOf(thing, schema, types));
  const collected = collectedPages(things, pages, types);
  return {
    pages: [...collected, ...pages],
    sidebars: [sidebarOf(things)],
    redirects: {
      [root]: `${root}/schema`,
      [`${root}/operations/mutations`]: `${root}/schema`,
      ...Object.fromEntries(
        things.flatMap(({ name, path }) => {
          const guess = path.replace(/[^/]+$/, guessedSlug(name));
          return guess === path ? [] : [[guess, path]];
        }),
      ),
    },
  };
}

interface SchemaItem {
  kind: SchemaKind;
  name: string;
  path: string;
  value: GraphQLField<unknown, unknown> | GraphQLDirective | GraphQLNamedType;
}

function schemaItems(schema: GraphQLSchema): SchemaItem[] {
  const fields = (kind: SchemaKind, from: Record<string, GraphQLField<unknown, unknown>>): SchemaItem[] =>
    Object.values(from).map((value) => ({
      kind,
      name: value.name,
      path: `${root}/operations/${kind}/${schemaSlug(value.name)}`,
      value,
    }));
  const directives = schema.getDirectives().map((value): SchemaItem => {
    const folder = ofDocuments.includes(value.name) ? 'operations' : 'types';
    return {
      kind: 'directives',
      name: value.name,
      path: `${root}/${folder}/directives/${schemaSlug(value.name)}`,
      value,
    };
  });
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap((value): SchemaItem[] => {
      const kind = kindOf(value);
      return kind === undefined
        ? []
        : [{ kind, name: value.name, path: `${root}/types/${kind}/${schemaSlug(value.name)}`, value }];
    });
  const all = [
    ...fields('mutations', schema.getMutationType()?.getFields() ?? {}),
    ...fields('queries', schema.getQueryType()?.getFields() ?? {}),
    ...directives,
    ...types,
  ];
  return all.toSorted((a, b) => a.path.localeCompare(b.path));
}

function kindOf(type: GraphQLNamedType): SchemaKind | undefined {
  if (isEnumType(type)) return 'enums';
  if (isInputObjectType(type)) return 'inputs';
  if (isObjectType(type)) return 'objects';
  return isScalarType(type) ? 'scalars' : undefined;
}

function pageOf(thing: SchemaItem, schema: GraphQLSchema, types: Readonly<Record<string, string>>): ReferencePage {
  const { kind, name, path, value } = thing;
  const description = value.description ?? '';
  const base = { kind: 'schema' as const, description, types, groups: [], deprecated: undefined, tested: false };
  const content = contentOf();
  const text = `${kindNames[kind]} ${name} of BrowserQL. ${firstSentence(description)}`.trim();
  return {
    path,
    meta: {
      path,
      title: kind === 'directives' ? `@${name}` : name,
      description: text.length > 160 ? `${text.slice(0, 157)}…` : text,
      question: '',
      keywords: `${kindNames[kind]}, bql, graphql`,
      hideToc: false,
      noSample: content.example === undefined ? 'a type cannot be called' : '',
      samples: samplesOf(content),
    },
    content,
  };

  function contentOf(): SchemaContent {
    if (kind === 'mutations' || kind === 'queries') {
      const field = fieldOf(schema, kind, name);
      const result = getNamedType(field.type);
      return {
        ...base,
        signature: signatureOf(field),
        sections: [
          ...section('Arguments', 'Argument', entriesOf(field.args)),
          ...(isObjectType(result) && result.name !== 'Mutation'
            ? section('Response', 'Field', entriesOf(Object.values(result.getFields())))
            : []),
        ],
        lists: [],
        example: exampleOf(field, kind === 'mutations' ? 'mutation' : 'query'),
        tested: isTested(name),
        deprecated: field.deprecationReason ?? undefined,
      };
    }
    if (kind === 'directives') {
      const directive = schema.getDirective(name);
      if (!directive) throw new Error(`The schema has no directive ${name}`);
      const args = directive.args.map((each) => `${each.name}: ${String(each.type)}`).join(', ');
      return {
        ...base,
        signature: `directive @${name}${args === '' ? '' : `(${args})`} on ${directive.locations.join(' | ')}`,
        sections: section('Arguments', 'Argument', entriesOf(directive.args)),
        lists: [],
        example: undefined,
      };
    }
    const type = schema.getType(name);
    if (!type) throw new Error(`The schema has no type ${name}`);
    const fields = isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
    const isIndex = type === schema.getMutationType() || type === schema.getQueryType();
    const folder = type === schema.getMutationType() ? 'mutations' : 'queries';
    return {
      ...base,
      signature: isIndex ? `type ${name}` : withoutDescriptions(printType(type)),
      sections: isEnumType(type)
        ? section('Values', 'Value', valuesOf(type))
        : section(
            isIndex ? 'Operations' : 'Fields',
            'Field',
            isIndex
              ? fields.map((field) => entryOf(field, `${root}/operations/${folder}/${schemaSlug(field.name)}`))
              : entriesOf(fields),
          ),
      lists: usesOf(schema, type, types),
      example: undefined,
    };
  }
}

const groupIcons = {
  Navigate: 'globe',
  Act: 'person',
  Read: 'table',
  Wait: 'clock',
  Network: 'swap',
  Session: 'users',
} as const;

/** The landing page and the two pages that list all types of a kind. */
function collectedPages(
  things: readonly SchemaItem[],
  pages: readonly ReferencePage[],
  types: Readonly<Record<string, string>>,
): ReferencePage[] {
  const linksTo = (members: readonly SchemaItem[]) =>
    members.map(({ name, path, value }) => ({
      label: name,
      path,
      description: firstSentence(value.description ?? ''),
    }));
  const make = (name: string, title: string, description: string, rest: Partial<SchemaContent>): ReferencePage => ({
    path: `${root}/${name}`,
    meta: {
      path: `${root}/${name}`,
      title,
      description,
      question: '',
      keywords: 'bql, graphql, schema',
      hideToc: name === 'schema', // the groups need the whole width
      noSample: 'each operation has its own sample',
      samples: { executed: 0, checked: 0, never: 0 },
    },
    content: {
      kind: 'schema',
      description,
      signature: '',
      types,
      sections: [],
      lists: [],
      groups: [],
      example: undefined,
      tested: false,
      deprecated: undefined,
      ...rest,
    },
  });
  const operationOf = (name: string): SchemaItem => {
    const found = things.find((thing) => thing.name === name && thing.kind === 'mutations');
    if (found === undefined) throw new Error(`The schema has no mutation ${name}`);
    return found;
  };
  const wholeSection = (thing: SchemaItem): SchemaSection[] => {
    const content = pages.find(({ path }) => path === thing.path)?.content;
    const first = content?.kind === 'schema' ? content.sections[0] : undefined;
    return first === undefined ? [] : [{ ...first, title: thing.name, id: schemaSlug(thing.name) }];
  };
  const others = things.filter(({ kind }) => kind === 'enums' || kind === 'inputs');
  const objects = things.filter(({ kind, name }) => kind === 'objects' && name !== 'Mutation' && name !== 'Query');
  return [
    make(
      'schema',
      'BrowserQL schema',
      'Every mutation, query, directive and type of BrowserQL, with arguments, defaults and examples.',
      {
        groups: operationGroups.map(({ title, operations }) => ({
          title,
          id: schemaSlug(title),
          icon: groupIcons[title],
          links: linksTo([
            ...Object.keys(operations).map(operationOf),
            // Queries do not act on a page; they are listed last.
            ...things.filter(({ kind }) => kind === 'queries' && title === 'Session'),
          ]),
        })),
      },
    ),
    make('responses', 'BrowserQL responses', 'All response types of BrowserQL, on one page.', {
      sections: objects.flatMap(wholeSection),
    }),
    make('schemas', 'BrowserQL inputs and enums', 'All inputs and enums of BrowserQL, on one page.', {
      sections: others.flatMap(wholeSection),
    }),
  ];
}

function sidebarOf(things: readonly SchemaItem[]): Sidebar {
  const group = (label: string, kind: SchemaKind, folder: string): SidebarItem => ({
    label,
    items: things
      .filter((thing) => thing.kind === kind && thing.path.startsWith(`${root}/${folder}/`))
      .map(({ name, path }) => ({ label: name, path })),
  });
  return {
    id: 'bql',
    label: 'BrowserQL Schema',
    short: 'BrowserQL',
    items: [
      { label: 'Schema', path: `${root}/schema` },
      { label: 'Responses', path: `${root}/responses` },
      { label: 'Schemas', path: `${root}/schemas` },
      {
        label: 'Operations',
        items: [
          group('Mutations', 'mutations', 'operations'),
          group('Queries', 'queries', 'operations'),
          group('Directives', 'directives', 'operations'),
        ],
      },
      {
        label: 'Types',
        items: [
          group('Directives', 'directives', 'types'),
          group('Enums', 'enums', 'types'),
          group('Inputs', 'inputs', 'types'),
          group('Objects', 'objects', 'types'),
          group('Scalars', 'scalars', 'types'),
        ],
      },
    ],
  };
}
