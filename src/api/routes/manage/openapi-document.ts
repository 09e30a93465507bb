/** Builds the OpenAPI document from the route tables and the error table, without duplicating anything. */
import { withoutBrowser } from '../../../control/accounts/account.ts';
import { featuresOfParameters, featuresOfRoute } from '../../../base/account/requested-features.ts';
import type { Feature } from '../../../base/account/features.ts';
import { toJsonSchema } from '../../../base/schema/json-schema.ts';
import { type CallKind, callKinds, parametersOf } from '../../../base/schema/request/effects.ts';
import { browserQuery } from '../../../base/schema/request/query.ts';
import { type ApiRoute, type JobRoute, mounts, type SocketRoute } from '../pipeline/route.ts';
import { openPaths } from './open-paths.ts';
import { Components, errorsOfDirect, errorsOfJob, errorsOfSocket, type Json } from './openapi-responses.ts';

/** All routes, by kind. */
export interface RouteTable {
  jobRoutes: readonly JobRoute[];
  directRoutes: readonly ApiRoute[];
  socketRoutes: readonly SocketRoute[];
}

/** The operations of a path, by method. */
type Operations = Record<string, Json>;

export function openApiDocument(table: RouteTable, server: { url: string; version: string }): Json {
  const components = new Components();
  const paths: Record<string, Operations> = {};
  const add = (path: string, method: string, operation: Json) => {
    const operations = (paths[path] ??= {});
    const known = operations[method];
    operations[method] = known === undefined ? operation : joined(known, operation);
  };
  for (const route of table.jobRoutes) {
    const responses = components.responsesOf(route.answers, errorsOfJob(route));
    for (const { prefix, browser } of route.mounts ?? mounts) {
      const path = templateOf(`${prefix}/${route.name}`);
      add(path, 'post', {
        operationId: `${prefix.slice(1) || 'default'}_${wordsOf(route.name)}`,
        tags: [browser],
        summary: route.summary,
        description: route.description,
        ...planOf(featuresOfRoute('POST', withoutBrowser(`${prefix}/${route.name}`))[0]),
        parameters: [...pathParameters(path), ...browserParameters(route.callKind ?? 'page')],
        requestBody: { $ref: `#/components/requestBodies/${wordsOf(route.name)}` },
        responses,
      });
    }
  }
  const open = openPaths(table.directRoutes);
  for (const route of table.directRoutes) {
    const path = templateOf(route.path);
    for (const method of [route.method, ...(route.otherMethods ?? [])]) {
      // The first method of a path is not part of the id, so that ids stay stable when a path gets another method.
      const action = paths[path] === undefined ? 'manage' : `manage_${method.toLowerCase()}`;
      add(path, method.toLowerCase(), {
        operationId: `${action}_${idOf(path)}`,
        tags: ['management'],
        summary: route.summary,
        description: route.description,
        ...planOf(featuresOfRoute(method, route.path)[0]),
        ...(route.auth === 'open' ? { security: [] } : {}),
        parameters: [...pathParameters(path), ...(route.query ? queryParameters(toJsonSchema(route.query)) : [])],
        ...(route.body ? { requestBody: jsonBody(toJsonSchema(route.body), route.example) } : {}),
        ...(route.readsFile ? { requestBody: fileBody } : {}),
        responses: components.responsesOf(route.answers, errorsOfDirect(route, open.has(route.path))),
      });
    }
  }
  for (const route of table.socketRoutes) {
    const path = templateOf(route.path);
    add(path, 'get', {
      operationId: `socket_${idOf(path)}`,
      tags: ['sockets'],
      summary: route.summary,
      description: route.description,
      ...planOf(featuresOfRoute('GET', withoutBrowser(route.path))[0]),
      parameters: [...pathParameters(path), ...browserParameters(route.callKind)],
      responses: {
        101: { description: 'The WebSocket is open.' },
        ...components.responsesOf([], errorsOfSocket(route)),
      },
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'browserd',
      version: server.version,
      description:
        'Renders pages to HTML, PDF, images, and data in warm browsers. Requests that are refused before they reach a route get a text response, and the connection is closed: 400 for a request that is not valid HTTP/1.1, 405 for CONNECT, 408 for headers or a body that take too long, 413 for chunk extensions and 431 for headers over 16 KiB, 417 for an unknown Expect.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server.url }],
    security: [{ bearer: [] }, { token: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        token: { type: 'apiKey', in: 'query', name: 'token' },
      },
      // Defined once, referenced from every prefix.
      parameters: Object.fromEntries(browserQueryParameters().map((parameter) => [parameter['name'], parameter])),
      requestBodies: Object.fromEntries(table.jobRoutes.map((route) => [wordsOf(route.name), requestBody(route)])),
      responses: components.responses,
      schemas: components.schemas,
    },
  };
}

/** States the plan feature that an operation or parameter requires (compatibility.mdx#tokens). */
function planOf(feature: Feature | undefined): Json {
  return feature === undefined ? {} : { 'x-feature': feature };
}

/** Names of OpenAPI components may contain only letters, digits, and a few signs. */
function wordsOf(name: string): string {
  return name.replace(/\W+/g, '_');
}

function idOf(path: string): string {
  return wordsOf(path).replace(/^_|_$/g, '');
}

/** A Hono pattern as a path template. */
export function templateOf(pattern: string): string {
  return pattern.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}');
}

/** Merges the operations of a GET and of a socket at the same path: the first, with the additions of the second. */
function joined(first: Json, second: Json): Json {
  const has = (parameters: unknown) => JSON.stringify(parameters);
  const [own, more] = [listOf(first['parameters']), listOf(second['parameters'])];
  const known = new Set(own.map(has));
  return {
    ...first,
    tags: [...new Set([...listOf(first['tags']), ...listOf(second['tags'])])],
    description: `${String(first['description'])} As a WebSocket: ${String(second['description'])}`,
    parameters: [...own, ...more.filter((parameter) => !known.has(has(parameter)))],
    responses: { ...objectOf(second['responses']), ...objectOf(first['responses']) },
  };
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

/** The query parameters that have an effect on a kind of request; without a kind, on any kind. */
function browserQueryParameters(kind?: CallKind): Json[] {
  return queryParameters(toJsonSchema(browserQuery)).filter(({ name }) =>
    (kind === undefined ? callKinds : [kind]).some((each) => parametersOf(each).includes(String(name))),
  );
}

/** The query parameters of a route that needs a browser. */
function browserParameters(kind: CallKind): Json[] {
  return browserQueryParameters(kind).map(({ name }) => ({ $ref: `#/components/parameters/${String(name)}` }));
}

function queryParameters(schema: Json): Json[] {
  return Object.entries(objectOf(schema['properties'])).map(([name, property]) => {
    const { description, ...rest } = property;
    const [feature] = featuresOfParameters('parameters', { [name]: true });
    return { name, in: 'query', required: false, description, schema: rest, ...planOf(feature) };
  });
}

function requestBody({ body, example, readsCode }: JobRoute): Json {
  const json = jsonBody(toJsonSchema(body), example);
  if (!readsCode) return json;
  const code: unknown = Reflect.get(objectOf(example), 'code');
  const script = {
    schema: { type: 'string', description: 'The module alone; its `context` is empty.' },
    example: code,
  };
  return { ...json, content: { ...objectOf(json['content']), 'application/javascript': script } };
}

function jsonBody(schema: Json, example?: unknown): Json {
  return { required: true, content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } };
}

const fileBody: Json = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } },
};
