// Validates every response that tests receive from servers against the OpenAPI document of the first server: its
// status, its content type, and its JSON, which may contain only fields that the document describes. The suite fails
// the running test when a response does not conform. `startService` starts the validation, `send` reports the
// responses.
import type { Call, Reply } from '../clients/http.ts';

type Json = Record<string, unknown>;

interface Operation {
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Json }> }>;
}

/** The parts of the document that are used here. */
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; responses: Record<string, Operation['responses'][string]> };
}

interface Path {
  template: string;
  pattern: RegExp;
  operations: Record<string, Operation>;
}

type Validate = ((value: unknown) => boolean) & {
  errors?: readonly { instancePath: string; message?: string; params: unknown }[] | null;
};

const origins = new Set<string>();
let document: Document | undefined;
let paths: Path[] = [];
let violations: string[] = [];

/**
 * Validates the responses of a server from now on. @param read fetches its document; a server without one is not a
 * failure
 */
export async function watchResponses(origin: string, read: () => Promise<Reply>): Promise<void> {
  origins.add(origin);
  if (document !== undefined) return;
  const reply = await read().catch(() => undefined);
  if (reply?.status !== 200) return;
  document = reply.json<Document>();
  paths = Object.entries(document.paths).map(([template, operations]) => ({
    template,
    pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
    operations,
  }));
}

/** Returns the violations since the last call, one message each. */
export function takeViolations(): string[] {
  const found = violations;
  violations = [];
  return found;
}

/** Records a violation when a watched server sent a response that the document does not describe. */
export async function checkResponse(url: URL, call: Call, reply: Reply): Promise<void> {
  if (document === undefined || !origins.has(url.origin)) return;
  const asked = call.method ?? 'GET';
  const method = asked === 'HEAD' ? 'get' : asked.toLowerCase();
  // Requests that the HTTP library rejects, such as one with an invalid Host header, do not reach a route.
  if (reply.status === 400 && reply.headers['content-type'] === undefined && reply.bytes.length === 0) return;
  const found = operationOf(url, method);
  if (found === undefined) return;
  const problem = await problemOf(found.operation, reply, asked === 'HEAD', document);
  if (problem !== undefined) {
    violations.push(
      `/openapi.json does not describe this response of ${method.toUpperCase()} ${found.template}: status ${reply.status}${problem}`,
    );
  }
}

function operationOf(url: URL, method: string): { template: string; operation: Operation } | undefined {
  // ALLOW_GET turns such a GET into a POST to the path.
  if (method === 'get' && url.searchParams.has('body')) return undefined;
  const matching = paths.filter(({ pattern }) => pattern.test(url.pathname));
  const [path] = matching.toSorted((a, b) => a.template.split('{').length - b.template.split('{').length);
  const operation = path?.operations[method];
  if (path === undefined || operation === undefined) return undefined;
  // Without an upgrade, the path of a socket is a documentation page or does not exist.
  const statuses = Object.keys(operation.responses);
  if (statuses.includes('101') && !statuses.includes('200')) return undefined;
  return { template: path.template, operation };
}

async function problemOf(
  { responses }: Operation,
  reply: Reply,
  headOnly: boolean,
  { components }: Document,
): Promise<string | undefined> {
  const own = responses[String(reply.status)];
  if (own === undefined) return `, where it lists ${Object.keys(responses).join(', ')}; the body: ${shown(reply)}`;
  const { content } = own.$ref === undefined ? own : (components.responses[own.$ref.split('/').at(-1) ?? ''] ?? own);
  if (content === undefined) return reply.bytes.length > 0 ? ` with a body: ${shown(reply)}` : undefined;
  const type = (reply.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const described = content[type] ?? content['*/*'];
  if (described === undefined) return ` with the type "${type}", where it lists ${Object.keys(content).join(', ')}`;
  if (type !== 'application/json' || headOnly || reply.headers['content-encoding'] !== undefined) return undefined;
  const validate = await validatorOf(described.schema, components.schemas);
  if (validate(reply.json())) return undefined;
  const errors = validate.errors?.map(({ instancePath, message, params }) =>
    `${instancePath || 'the body'} ${message ?? ''} ${JSON.stringify(params)}`.trim(),
  );
  return `: ${errors?.slice(0, 5).join('; ')}; the body: ${shown(reply)}`;
}

const shown = ({ text }: Reply) => text.slice(0, 500);

const validators = new Map<Json, Promise<Validate>>();

function validatorOf(schema: Json, named: Document['components']['schemas']): Promise<Validate> {
  const validator = validators.get(schema) ?? compile({ ...schema, components: { schemas: named } });
  validators.set(schema, validator);
  return validator;
}

/** Loads ajv lazily: most test files receive few JSON responses, some none. */
async function compile(schema: Json): Promise<Validate> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  // Compiling the meta-schema takes longer than everything else; test/contract/openapi.test.ts validates the document.
  return new Ajv2020({ strict: false, validateSchema: false, validateFormats: false }).compile(closed(schema));
}

/** Returns a copy of the schema that forbids properties that it does not list. */
function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T; // An array of the same type.
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]));
  const open = 'properties' in members && !('additionalProperties' in members);
  return { ...members, ...(open ? { additionalProperties: false } : {}) } as T; // The same object with one more property.
}
