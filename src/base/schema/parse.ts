// Validates client input: coerces it, checks it against the schema and returns a typed value, or throws one error with
// the first 20 issues and the number of others.

import { type BaseIssue, type GenericSchema, type InferOutput, safeParse, type SafeParseResult } from 'valibot';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { reportLimits } from '../limits.ts';
import { coerce, withoutEmptyList } from './coerce.ts';
import { describeIssues, type Description, issueAt } from './describe.ts';
import { firstOversized } from './oversized.ts';
import { alternativesOf, entriesOf, innerOf, unwrap } from './introspect.ts';
import { isPlainObject } from './record.ts';

/**
 * Parses query parameters to the schema's output. A parameter without a value is `true`, and 1 and 0 are flags; of
 * repeated parameters the last one wins.
 * @throws ServiceError `invalid-query` with the issues
 */
export function parseQuery<const S extends GenericSchema>(schema: S, params: URLSearchParams): InferOutput<S> {
  const fields = entriesOf(unwrap(schema)) ?? {};
  const read = (name: string, text: string): unknown => {
    if (text === '') return true;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const isFlag = field !== undefined && unwrap(field).type === 'boolean';
    return isFlag && (text === '1' || text === '0') ? text === '1' : text;
  };
  const texts = Object.fromEntries([...params].map(([name, text]) => [name, read(name, text)]));
  return parseValue(schema, texts, 'invalid-query', 'Query-parameter validation failed');
}

/**
 * Parses a JSON body to the schema's output.
 * @throws ServiceError `invalid-body` with the issues
 */
export function parseBody<const S extends GenericSchema>(schema: S, json: unknown): InferOutput<S> {
  const prefix = 'POST Body validation failed';
  const body = withoutEmptyList(json);
  if (!isPlainObject(body)) {
    const message = 'The body must be an object, such as {"url":"https://example.com/"}';
    throw toError('invalid-body', prefix, { issues: [{ path: '', message, standsAlone: false }], more: 0 });
  }
  return parseValue(schema, body, 'invalid-body', prefix);
}

/**
 * Coerces and checks a value.
 * @param prefix start of the message; omitted when every issue is a whole sentence
 * @throws ServiceError with the code and the issues
 */
export function parseValue<const S extends GenericSchema>(
  schema: S,
  value: unknown,
  code: ErrorCode,
  prefix: string,
): InferOutput<S> {
  const coerced = coerce(schema, value);
  const oversized = firstOversized(schema, coerced);
  if (oversized) throw toError(code, prefix, { issues: [issueAt(oversized.path, oversized.reason)], more: 0 });
  const { result, isCut } = parseLimited(schema, coerced);
  const lists = misplacedLists(schema, coerced).map((keys) => issueAt(keys, 'must be an object, got a list'));
  if (result.success && lists.length === 0) return result.output;
  const { issues, more } = describeIssues(schema, result.issues ?? [], lists);
  throw toError(code, prefix, { issues, more: isCut ? reportLimits.foundIssues : more }, isCut);
}

class TooManyIssues extends Error {}

/** Validates a value; above 1,000 issues it starts over and stops at the first. */
function parseLimited<const S extends GenericSchema>(
  schema: S,
  value: unknown,
): { result: SafeParseResult<S>; isCut: boolean } {
  let found = 0;
  // valibot calls this for every issue.
  const message = (issue: BaseIssue<unknown>) => {
    if (++found > reportLimits.foundIssues) throw new TooManyIssues();
    return issue.message;
  };
  try {
    return { result: safeParse(schema, value, { message }), isCut: false };
  } catch (error) {
    if (!(error instanceof TooManyIssues)) throw error;
    return { result: safeParse(schema, value, { abortEarly: true }), isCut: true };
  }
}

/** Paths of lists where the schema expects an object: valibot accepts a list as an object. */
function misplacedLists(schema: GenericSchema, value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const inner = unwrap(schema);
  const alternatives = alternativesOf(inner);
  if (alternatives.length > 0) {
    // At most one alternative is an object.
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

/** @param isCut whether there are more issues than `more` says */
function toError(code: ErrorCode, prefix: string, { issues, more }: Description, isCut = false): ServiceError {
  const start = issues.every((issue) => issue.standsAlone) ? '' : `${prefix}: `;
  let room = reportLimits.messageCharacters - start.length - 40;
  const lines: string[] = [];
  for (const { message } of issues) {
    if (lines.length > 0 && message.length > room) break;
    lines.push(message);
    room -= message.length + 1;
  }
  const left = more + issues.length - lines.length;
  if (left > 0) lines.push(`… and ${isCut ? 'more than ' : ''}${left} more`);
  return new ServiceError(code, start + lines.join('\n'), {
    issues: issues.map(({ path, message }) => ({ path, message })),
  });
}
