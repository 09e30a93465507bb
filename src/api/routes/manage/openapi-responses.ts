/** Describes the responses of routes for OpenAPI: their own responses, and the errors common to their kind of route. */
import { type ErrorCode, errorTable } from '../../../base/errors.ts';
import { type RouteResponse, shapeOf } from '../../../base/schema/response/responses.ts';
import { errorResponse } from '../../../base/schema/response/error.ts';
import { toJsonSchema } from '../../../base/schema/json-schema.ts';
import type { ApiRoute, JobRoute, SocketRoute } from '../pipeline/route.ts';

export type Json = Record<string, unknown>;

/** Errors that any request can get: timeout, server shutdown, internal error. */
const commonErrors: readonly ErrorCode[] = ['timeout', 'stopping', 'internal'];

/** Errors of the client check: token, address, and hostname. */
const clientCheckErrors: readonly ErrorCode[] = ['unauthorized', 'not-in-plan', 'forbidden-caller'];

/** Errors of requests that need a browser: query, slot, browser. */
const browserErrors: readonly ErrorCode[] = [
  ...commonErrors,
  ...clientCheckErrors,
  'bad-request',
  'invalid-query',
  'invalid-launch',
  'invalid-tracking-id',
  'forbidden-destination',
  'not-found',
  'browser-missing',
  'units-exhausted',
  'queue-full',
  'quota',
  'unhealthy',
  'browser-crashed',
  'launch-failed',
  'killed',
  'proxy-failed',
  'storage-full',
  'vault-closed',
  'vault-damaged',
  'node-gone',
  'node-unreachable',
];

export function errorsOfJob({ errors = [] }: JobRoute): readonly ErrorCode[] {
  return [...browserErrors, 'invalid-body', 'payload-too-large', 'navigation-failed', 'page-crashed', ...errors];
}

/** Sockets with an id in the path connect to a browser that may have been closed in the meantime. */
export function errorsOfSocket({ path, errors = [] }: SocketRoute): readonly ErrorCode[] {
  const keptBrowserErrors: readonly ErrorCode[] = path.includes(':') ? ['session-not-found', 'session-ended'] : [];
  return [...browserErrors, 'session-rate', ...keptBrowserErrors, ...errors];
}

/** @param openToAll whether the route is open under every hostname and to every page */
export function errorsOfDirect(route: ApiRoute, openToAll: boolean): readonly ErrorCode[] {
  const { auth = 'token', path, query, body, readsFile, probe, errors = [] } = route;
  // A probe is answered before anything can fail.
  if (probe !== undefined) return errors;
  return [
    ...commonErrors,
    ...(auth === 'open' ? [] : (['unauthorized', 'not-in-plan'] as const)),
    ...(openToAll ? [] : clientCheckErrors),
    // A path with an id may contain percent signs that cannot be decoded.
    ...(path.includes(':') ? (['bad-request', 'node-gone', 'node-unreachable'] as const) : []),
    ...(query === undefined ? [] : (['invalid-query'] as const)),
    ...(body === undefined ? [] : (['invalid-body', 'invalid-launch', 'payload-too-large', 'not-found'] as const)),
    ...(readsFile ? (['payload-too-large'] as const) : []),
    ...errors,
  ];
}

/** Collects the schemas and the error responses that the document refers to. */
export class Components {
  readonly schemas: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};

  /** Returns a schema in which each named part is replaced by a reference. */
  referTo(schema: Parameters<typeof toJsonSchema>[0]): Json {
    return this.#lift(toJsonSchema(schema));
  }

  /** The responses of an operation, by status. */
  responsesOf(answers: readonly RouteResponse[], errors: readonly ErrorCode[]): Json {
    const shapes = answers.map(shapeOf).filter(({ onlyAccepted }) => onlyAccepted !== true);
    const failures = new Set(errors.map((code) => errorTable[code].status));
    const statuses = new Set([...shapes.map(({ status }) => status), ...failures]);
    return Object.fromEntries(
      [...statuses].map((status) => {
        const own = shapes.filter((shape) => shape.status === status);
        const common = failures.has(status) ? this.#error(status) : undefined;
        return [status, own.length === 0 ? common : this.#answer(own, common === undefined ? undefined : status)];
      }),
    );
  }

  /** @param failure status of a common error with the same status, if there is one */
  #answer(own: readonly ReturnType<typeof shapeOf>[], failure: number | undefined): Json {
    const content: Record<string, Json> = {};
    for (const { type, schema } of own) {
      if (type !== undefined) content[type] = { schema: schema ? this.referTo(schema) : schemaOfType(type) };
    }
    if (failure === undefined) {
      return Object.keys(content).length === 0
        ? { description: 'Done; the response has no body.' }
        : { description: 'Success', content };
    }
    const error = this.referTo(errorResponse);
    const json = content['application/json'];
    content['application/json'] = { schema: json === undefined ? error : { anyOf: [json['schema'], error] } };
    content['text/plain'] = { schema: schemaOfType('text/plain') };
    return { description: descriptionOf(failure), content };
  }

  #error(status: number): Json {
    this.responses[`error${status}`] ??= {
      description: descriptionOf(status),
      content: {
        'text/plain': { schema: schemaOfType('text/plain') },
        'application/json': { schema: this.referTo(errorResponse) },
      },
    };
    return { $ref: `#/components/responses/error${status}` };
  }

  #lift(schema: Json): Json {
    const { title, ...rest } = Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [name, this.#liftIn(value)]),
    );
    if (typeof title !== 'string') return title === undefined ? rest : { ...rest, title };
    this.schemas[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  }

  #liftIn(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#liftIn(each));
    // An object that is not an array is a JSON object here.
    return typeof value === 'object' && value !== null ? this.#lift(value as Json) : value;
  }
}

function descriptionOf(status: number): string {
  const rows = Object.entries(errorTable).filter(([, row]) => row.status === status);
  return rows.map(([code, row]) => `${code}: ${row.title}`).join('\n');
}

function schemaOfType(type: string): Json {
  // Any type: the bytes may also be JSON.
  if (type === '*/*') return {};
  return type.startsWith('text/') ? { type: 'string' } : { type: 'string', contentMediaType: type };
}
