// The door through which requests come in: coercion, then the schema, then either a typed value or one error that
// names everything that is wrong.

import { type GenericSchema, type InferOutput, safeParse } from 'valibot';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { coerce } from './coerce.ts';
import { type DescribedIssue, describeIssues, distinct, issueAt } from './describe.ts';
import { alternativesOf, entriesOf, innerOf, isPlainObject, unwrap } from './walk.ts';

/**
 * The query parameters as the schema's output. A parameter without a value is `true`; of repeated ones the last
 * counts (contract 3.1).
 * @throws ServiceError `invalid-query` with every issue
 */
export function parseQuery<const S extends GenericSchema>(schema: S, params: URLSearchParams): InferOutput<S> {
  const texts = Object.fromEntries([...params].map(([name, text]) => [name, text === '' ? true : text]));
  return parseValue(schema, texts, 'invalid-query', 'Query-parameter validation failed');
}

/**
 * A JSON body as the schema's output.
 * @throws ServiceError `invalid-body` with every issue
 */
export function parseBody<const S extends GenericSchema>(schema: S, body: unknown): InferOutput<S> {
  const prefix = 'POST Body validation failed';
  if (!isPlainObject(body)) {
    throw toError('invalid-body', prefix, [
      { path: '', message: 'The body must be an object, such as {"url":"https://example.com/"}', standsAlone: false },
    ]);
  }
  return parseValue(schema, body, 'invalid-body', prefix);
}

/**
 * Coerces and checks a value.
 * @param prefix begins the message; left out when all that is wrong are whole sentences of the contract
 * @throws ServiceError with the code and every issue
 */
export function parseValue<const S extends GenericSchema>(
  schema: S,
  value: unknown,
  code: ErrorCode,
  prefix: string,
): InferOutput<S> {
  const coerced = coerce(schema, value);
  const result = safeParse(schema, coerced);
  const lists = misplacedLists(schema, coerced).map((keys) => issueAt(keys, 'must be an object, got a list'));
  if (result.success && lists.length === 0) return result.output;
  throw toError(code, prefix, distinct([...lists, ...describeIssues(schema, result.issues ?? [])]));
}

/** Paths of the lists that stand where an object belongs: to valibot an empty list is an object without members. */
function misplacedLists(schema: GenericSchema, value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const inner = unwrap(schema);
  const alternatives = alternativesOf(inner);
  if (alternatives.length > 0) {
    // Of alternatives that are objects there is one at most.
    const fitting = alternatives.find((option) =>
      Array.isArray(value) ? unwrap(option).type === 'array' : isObject(option),
    );
    if (fitting) return misplacedLists(fitting, value, path);
    return Array.isArray(value) && alternatives.some(isObject) ? [path] : [];
  }
  if (Array.isArray(value)) {
    if (isObject(inner)) return [path];
    const item = innerOf(inner);
    return item ? value.flatMap((each, index) => misplacedLists(item, each, [...path, String(index)])) : [];
  }
  const entries = entriesOf(inner);
  if (!isPlainObject(value) || entries === undefined) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
    return entry ? misplacedLists(entry, each, [...path, key]) : [];
  });
}

function isObject(schema: GenericSchema): boolean {
  return unwrap(schema).type === 'record' || entriesOf(unwrap(schema)) !== undefined;
}

function toError(code: ErrorCode, prefix: string, issues: readonly DescribedIssue[]): ServiceError {
  const lines = issues.map((issue) => issue.message).join('\n');
  const message = issues.every((issue) => issue.standsAlone) ? lines : `${prefix}: ${lines}`;
  return new ServiceError(code, message, { issues: issues.map(({ path, message }) => ({ path, message })) });
}
