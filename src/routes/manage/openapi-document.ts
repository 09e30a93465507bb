/** Builds the OpenAPI document from the route tables and the error table; it states nothing a second time. */
import { errorTable } from '../../errors.ts';
import { toJsonSchema } from '../../schema/json-schema.ts';
import { browserQuery } from '../../schema/request/query.ts';
import { mounts, type DirectRoute, type JobRoute, type SocketRoute } from '../pipeline/route.ts';

type Json = Record<string, unknown>;

/** Statuses that every route of a browser may answer with. */
const pageErrorStatuses = [400, 401, 403, 404, 408, 429, 500, 503];

/** All routes, by their kinds. */
export interface RouteTable {
  jobRoutes: readonly JobRoute[];
  directRoutes: readonly DirectRoute[];
  socketRoutes: readonly SocketRoute[];
}

export function openApiDocument(
  { jobRoutes, directRoutes, socketRoutes }: RouteTable,
  server: { url: string; version: string },
): Json {
  const paths: Record<string, Json> = {};
  const common = queryParameters(toJsonSchema(browserQuery));
  for (const route of jobRoutes) {
    for (const { prefix, browser } of route.mounts ?? mounts) {
      const path = templateOf(`${prefix}/${route.name}`);
      paths[path] = {
        post: {
          operationId: `${prefix.slice(1) || 'default'}_${route.name}`.replace(/\W+/g, '_'),
          tags: [browser],
          summary: route.summary,
          description: route.description,
          parameters: [
            ...pathParameters(path),
            ...common.map(({ name }) => ({ $ref: `#/components/parameters/${String(name)}` })),
          ],
          requestBody: { $ref: `#/components/requestBodies/${componentOf(route)}` },
          responses: { 200: success(route.answers), ...errorResponses(pageErrorStatuses) },
        },
      };
    }
  }
  for (const route of directRoutes) {
    const path = templateOf(route.path);
    // The first method of a path has no name in the id, so that ids stay when a path gets a further method.
    const action = paths[path] === undefined ? 'manage' : `manage_${route.method.toLowerCase()}`;
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: {
        operationId: `${action}_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`,
        tags: ['management'],
        summary: route.summary,
        description: route.description,
        ...(route.auth === undefined ? {} : { security: [] }),
        parameters: [...pathParameters(path), ...(route.query ? queryParameters(toJsonSchema(route.query)) : [])],
        ...(route.body ? { requestBody: jsonBody(toJsonSchema(route.body), route.example) } : {}),
        ...(route.readsFile ? { requestBody: fileBody } : {}),
        responses: {
          200: success(route.answers),
          ...(route.readsFile ? { 201: success(route.answers), ...errorResponses([408, 507]) } : {}),
          ...errorResponses(route.auth === undefined ? [400, 401, 404] : [404]),
        },
      },
    };
  }
  for (const route of socketRoutes) {
    const path = templateOf(route.path);
    const { get, ...others } = paths[path] ?? {};
    const answers = { 101: { description: 'The WebSocket is open.' }, ...errorResponses(pageErrorStatuses) };
    paths[path] = {
      ...others,
      get: get ?? {
        operationId: `socket_${path.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`,
        tags: ['sockets'],
        summary: route.summary,
        description: route.description,
        parameters: [
          ...pathParameters(path),
          ...common.map(({ name }) => ({ $ref: `#/components/parameters/${String(name)}` })),
        ],
        responses: answers,
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'browserd',
      version: server.version,
      description: 'Pages rendered to HTML, PDF, images and data by browsers that are kept warm.',
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
      parameters: Object.fromEntries(common.map((parameter) => [parameter['name'], parameter])),
      requestBodies: Object.fromEntries(jobRoutes.map((route) => [componentOf(route), requestBody(route)])),
      responses: Object.fromEntries(allErrorStatuses().map((status) => [`error${status}`, errorResponse(status)])),
      schemas: {
        Error: {
          type: 'object',
          required: ['error', 'code'],
          properties: {
            error: { type: 'string', description: 'What failed, why, and what to change.' },
            code: { type: 'string', enum: Object.keys(errorTable) },
            issues: {
              type: 'array',
              items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
            },
          },
        },
      },
    },
  };
}

/** Names of OpenAPI components may hold only letters, digits and a few signs. */
function componentOf({ name }: JobRoute): string {
  return name.replace(/\W+/g, '_');
}

/** A Hono pattern as a path template. */
function templateOf(pattern: string): string {
  return pattern.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}');
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(schema: Json): Json[] {
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).map(([name, property]) => {
    // A property of a JSON schema is a JSON schema again.
    const { description, ...rest } = property as Json;
    return { name, in: 'query', required: false, description, schema: rest };
  });
}

function success(answers: readonly string[]): Json {
  const content = Object.fromEntries(answers.map((type) => [type, { schema: schemaOfType(type) }]));
  return { description: 'Success', content };
}

function schemaOfType(type: string): Json {
  if (type === 'application/json') return {};
  return type.startsWith('text/') ? { type: 'string' } : { type: 'string', contentMediaType: type };
}

function requestBody(route: JobRoute): Json {
  return jsonBody(toJsonSchema(route.body), route.example);
}

function jsonBody(schema: Json, example?: unknown): Json {
  return { required: true, content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } };
}

const fileBody: Json = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } },
};

function allErrorStatuses(): number[] {
  return [...new Set(Object.values(errorTable).map(({ status }) => status))];
}

function errorResponses(statuses: readonly number[]): Json {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/error${status}` }]));
}

function errorResponse(status: number): Json {
  const rows = Object.entries(errorTable).filter(([, row]) => row.status === status);
  return {
    description: rows.map(([code, row]) => `${code}: ${row.title}`).join('\n'),
    content: {
      'text/plain': { schema: { type: 'string' } },
      'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    },
  };
}
