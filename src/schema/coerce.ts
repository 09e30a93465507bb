// Turns the texts of query strings, and the texts that clients put into JSON where a number or a flag belongs, into
// what the schema asks for (contract 3.1). It never makes text out of something else and reports nothing itself:
// what does not fit stays as it is and fails in the schema.

import { type GenericSchema, safeParse } from 'valibot';
import { ServiceError } from '../errors.ts';
import { alternativesOf, choicesOf, entriesOf, innerOf, isPlainObject, isRecord, unwrap } from './walk.ts';

/** Keys that name the machinery of objects; a body that holds them loses them. */
const droppedKeys = new Set(['__proto__', 'constructor', 'prototype']);
/** Real bodies nest less than ten deep; more would exhaust the stack here or in a consumer. */
const maxDepth = 100;

const numberText = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;

/** The value as the schema would have it, where its text allows that. Throws ServiceError `bad-request` when too deep. */
export function coerce(schema: GenericSchema, value: unknown): unknown {
  return coerceAt(schema, value, 0);
}

function coerceAt(schema: GenericSchema, value: unknown, depth: number): unknown {
  if (depth > maxDepth) {
    throw new ServiceError('bad-request', `The JSON is nested deeper than ${maxDepth} levels; flatten it`);
  }
  const inner = unwrap(schema);
  switch (inner.type) {
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'number':
      return toNumber(value);
    case 'picklist':
      return typeof value === 'string' && choicesOf(inner).includes(Number(value)) ? toNumber(value) : value;
    case 'union':
      return coerceUnion(inner, value, depth);
    case 'object':
    case 'loose_object':
    case 'strict_object':
    case 'record':
      return coerceObject(inner, fromJson(value, '{'), depth);
    case 'array': {
      const list = fromJson(value, '[');
      const item = innerOf(inner);
      return Array.isArray(list) && item ? list.map((entry) => coerceAt(item, entry, depth + 1)) : list;
    }
    case 'unknown':
    case 'any':
      return withoutDroppedKeys(value, depth);
    default:
      return value;
  }
}

/** The first alternative that the coerced value fits; without one, the alternative of the value's own kind. */
function coerceUnion(union: GenericSchema, value: unknown, depth: number): unknown {
  const options = alternativesOf(union);
  for (const option of options) {
    const candidate = coerceAt(option, value, depth + 1);
    if (safeParse(option, candidate).success) return candidate;
  }
  const structured = isRecord(value) || (typeof value === 'string' && /^\s*[[{]/.test(value));
  const objectLike = options.find((option) => entriesOf(unwrap(option)) !== undefined);
  return structured && objectLike ? coerceAt(objectLike, value, depth + 1) : value;
}

function coerceObject(schema: GenericSchema, value: unknown, depth: number): unknown {
  if (!isPlainObject(value)) return value;
  const entries = entriesOf(schema);
  const others = schema.type === 'record' ? innerOf(schema) : undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !droppedKeys.has(key))
      .map(([key, field]) => {
        const fieldSchema = entries && Object.hasOwn(entries, key) ? entries[key] : others;
        return [key, fieldSchema ? coerceAt(fieldSchema, field, depth + 1) : withoutDroppedKeys(field, depth + 1)];
      }),
  );
}

function toNumber(value: unknown): unknown {
  if (typeof value !== 'string' || !numberText.test(value)) return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

function fromJson(value: unknown, opening: '{' | '['): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith(opening)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function withoutDroppedKeys(value: unknown, depth: number): unknown {
  if (!isRecord(value)) return value;
  if (depth > maxDepth) {
    throw new ServiceError('bad-request', `The JSON is nested deeper than ${maxDepth} levels; flatten it`);
  }
  if (Array.isArray(value)) return value.map((item) => withoutDroppedKeys(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !droppedKeys.has(key))
      .map(([key, item]) => [key, withoutDroppedKeys(item, depth + 1)]),
  );
}
