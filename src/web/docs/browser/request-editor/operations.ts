/** Reads the operations that the request editor offers from this server's OpenAPI document. */
import { isJson, type Json } from '../../site/json.ts';
import { dereference, describeType } from '../../site/schema-words.ts';
import { base } from '../shell/page-context.ts';
import type { RequestKind } from './draft.ts';

/** A field of a body, or a query parameter. */
export interface FieldFact {
  name: string;
  /** The type as text. */
  type: string;
  description: string;
  /** The form control for the field. */
  control: 'boolean' | 'choice' | 'number' | 'text' | 'json';
  choices: readonly string[];
  /** The initial value in the form. */
  first: unknown;
}

export interface Operation {
  /** `socket`: a WebSocket that libraries connect to. */
  kind: RequestKind | 'socket';
  method: 'GET' | 'POST';
  path: string;
  summary: string;
  /** Fields of the JSON body; empty for GET. */
  body: readonly FieldFact[];
  query: readonly FieldFact[];
  /** A working body, if the document has one. */
  example: unknown;
  /** The media type of a successful response. */
  answers: string;
}

/** Routes whose body is not a JSON form; other kinds of the request editor handle them. */
const kinds: Readonly<Record<string, RequestKind>> = {
  '/chromium/bql': 'bql',
  '/chrome/bql': 'bql',
  '/stealth/bql': 'bql',
  '/function': 'code',
};

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Follows properties, and the references in their values; empty if there is nothing. */
const follow = (document: Json, from: unknown, ...path: string[]): Json =>
  path.reduce((value, name) => dereference(document, value[name]), dereference(document, from));

function fieldOf(name: string, schema: Json): FieldFact {
  const options = listIn(schema['anyOf']).filter(isJson);
  // If a field accepts several types, the form offers the first one that it has a control for.
  const simple = options.find(({ type }) => type === 'string' || type === 'number' || type === 'boolean');
  const plain = simple ?? options.find(({ type }) => type === 'object') ?? schema;
  const choices = listIn(plain['enum']).map(String);
  // The query has the launch options as JSON text.
  const control = choices.length > 0 ? 'choice' : name === 'launch' ? 'json' : controlOf(plain['type']);
  return {
    name,
    type: describeType(schema),
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    control,
    choices,
    first: schema['default'] ?? firstOf(control, choices, plain),
  };
}

function controlOf(type: unknown): FieldFact['control'] {
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' ? 'text' : 'json';
}

function firstOf(control: FieldFact['control'], choices: readonly string[], schema: Json): unknown {
  if (control === 'boolean') return true;
  if (control === 'choice') return choices[0];
  if (control === 'number') return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
  if (control === 'text') return '';
  if (schema['type'] === 'array') return [];
  const required = listIn(schema['required']).map(String);
  return Object.fromEntries(
    required.map((name) => [name, fieldOf(name, follow(schema, schema, 'properties', name)).first]),
  );
}

function operationIn(document: Json, path: string, method: 'GET' | 'POST', operation: Json): Operation {
  const json = follow(document, operation, 'requestBody', 'content', 'application/json');
  const content = follow(document, operation, 'responses', '200', 'content');
  const isSocket = listIn(operation['tags']).includes('sockets');
  return {
    kind: isSocket ? 'socket' : (kinds[path] ?? 'rest'),
    method,
    path,
    summary: String(operation['summary'] ?? ''),
    body: Object.entries(follow(document, json, 'schema', 'properties')).map(([name, each]) =>
      fieldOf(name, dereference(document, each)),
    ),
    query: listIn(operation['parameters'])
      .map((each) => dereference(document, each))
      // The reader's token comes from the token box: it must not be in a form or a link.
      .filter((each) => each['in'] === 'query' && each['name'] !== 'token')
      .map((each) =>
        fieldOf(String(each['name']), { ...follow(document, each, 'schema'), description: each['description'] }),
      ),
    example: json['example'],
    answers: Object.keys(content)[0] ?? '',
  };
}

/** Whether the request editor offers an operation: it must not create or end anything permanent, or need an id. */
function isOffered(path: string, method: string, { tags }: Json): boolean {
  if (path.includes('{') || !Array.isArray(tags)) return false;
  if (tags.includes('sockets')) return true;
  if (tags.includes('management')) return method === 'get' && path !== '/docs/swagger.json';
  return method === 'post' && (kinds[path] !== undefined || !/^\/[^/]+\//.test(path));
}

/** @throws Error when the document cannot be read */
export async function loadOperations(): Promise<Operation[]> {
  const response = await fetch(`${base}/openapi.json`);
  if (!response.ok) throw new Error(`/openapi.json returned ${response.status}.`);
  const document: unknown = await response.json();
  if (!isJson(document)) throw new Error('/openapi.json is not a JSON object.');
  return Object.entries(follow(document, document, 'paths')).flatMap(([path, item]) =>
    Object.entries(dereference(document, item)).flatMap(([method, operation]) =>
      isJson(operation) && isOffered(path, method, operation)
        ? [operationIn(document, path, method === 'get' ? 'GET' : 'POST', operation)]
        : [],
    ),
  );
}
