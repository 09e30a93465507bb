// Converts strings to the numbers, flags, objects and lists that the schema expects: query values, and strings that
// clients put into JSON (compatibility.mdx#coercion). A value that does not convert is kept as it is, and then refused.

import { type GenericSchema, safeParse } from 'valibot';
import { ServiceError } from '../errors.ts';
import { jsonLimits } from '../limits.ts';
import { checkJson, JsonTooLarge, tooManyValues } from './json-text.ts';
import { isOversized } from './oversized.ts';
import { alternativesOf, choicesOf, entriesOf, innerOf, unwrap } from './introspect.ts';
import { isPlainObject, isRecord } from './record.ts';

/** Keys that could reach an object's prototype; they are removed from bodies. */
const droppedKeys = new Set(['__proto__', 'constructor', 'prototype']);
const numberText = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i;

/** How many values the JSON inside all strings of a request may still contain. */
interface Allowance {
  values: number;
}

/**
 * Converts the value to what the schema expects, where its text allows that. Lists and objects that are longer than the
 * schema allows are kept as they are.
 * @throws ServiceError `bad-request` when the value is nested too deep, or its strings contain JSON with too many
 *   values
 */
export function coerce(schema: GenericSchema, value: unknown): unknown {
  return coerceAt(schema, value, 0, { values: jsonLimits.values });
}

function coerceAt(schema: GenericSchema, value: unknown, depth: number, allowance: Allowance): unknown {
  checkDepth(depth);
  const inner = unwrap(schema);
  switch (inner.type) {
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'number':
      return toNumber(value);
    case 'picklist':
      return typeof value === 'string' && choicesOf(inner).includes(Number(value)) ? toNumber(value) : value;
    case 'union':
      return coerceUnion(inner, value, depth, allowance);
    case 'object':
    case 'loose_object':
    case 'strict_object':
    case 'record':
      return coerceObject(schema, withoutEmptyList(fromJson(value, '{', allowance)), depth, allowance);
    case 'array': {
      const list = fromJson(value, '[', allowance);
      const item = innerOf(inner);
      if (!Array.isArray(list) || !item || isOversized(schema, list)) return list;
      return list.map((entry) => coerceAt(item, entry, depth + 1, allowance));
    }
    case 'unknown':
    case 'any':
      return withoutDroppedKeys(value, depth);
    default:
      return value;
  }
}

function checkDepth(depth: number): void {
  if (depth <= jsonLimits.depth) return;
  throw new ServiceError('bad-request', `The JSON is nested deeper than ${jsonLimits.depth} levels; flatten it`);
}

/**
 * Coerces with the first alternative that the result fits; an object that fits none, with the alternative for objects.
 */
function coerceUnion(union: GenericSchema, value: unknown, depth: number, allowance: Allowance): unknown {
  const options = alternativesOf(union);
  for (const option of options) {
    const candidate = coerceAt(option, value, depth + 1, allowance);
    if (!isOversized(option, candidate) && safeParse(option, candidate, { abortEarly: true }).success) return candidate;
  }
  const structured = isRecord(value) || (typeof value === 'string' && /^\s*[[{]/.test(value));
  const objectLike = options.find((option) => entriesOf(unwrap(option)) !== undefined);
  return structured && objectLike ? coerceAt(objectLike, value, depth + 1, allowance) : value;
}

/**
 * Replaces an empty list with an empty object: PHP's `json_encode` cannot tell them apart (compatibility.mdx#coercion).
 */
export function withoutEmptyList(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? {} : value;
}

function coerceObject(whole: GenericSchema, value: unknown, depth: number, allowance: Allowance): unknown {
  if (!isPlainObject(value) || isOversized(whole, value)) return value;
  const schema = unwrap(whole);
  const entries = entriesOf(schema);
  const others = schema.type === 'record' ? innerOf(schema) : undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !droppedKeys.has(key))
      .map(([key, field]) => {
        const fieldSchema = entries && Object.hasOwn(entries, key) ? entries[key] : others;
        return [
          key,
          fieldSchema ? coerceAt(fieldSchema, field, depth + 1, allowance) : withoutDroppedKeys(field, depth + 1),
        ];
      }),
  );
}

function toNumber(value: unknown): unknown {
  if (typeof value !== 'string' || !numberText.test(value)) return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

function fromJson(value: unknown, opening: '{' | '[', allowance: Allowance): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || !value.trimStart().startsWith(opening)) return value;
  try {
    allowance.values -= checkJson(value);
    if (allowance.values < 0) throw tooManyValues(jsonLimits);
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new ServiceError('bad-request', `The JSON in a string ${error.message}`);
    return value;
  }
}

/** Removes dropped keys at every depth. Usually there are none; then it returns the value itself, without a copy. */
function withoutDroppedKeys(value: unknown, depth: number): unknown {
  if (!isRecord(value)) return value;
  checkDepth(depth);
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutDroppedKeys(item, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let replaced: Map<string, unknown> | undefined;
  let drops = false;
  for (const [key, item] of Object.entries(value)) {
    if (droppedKeys.has(key)) drops = true;
    else {
      const cleaned = withoutDroppedKeys(item, depth + 1);
      if (cleaned !== item) (replaced ??= new Map()).set(key, cleaned);
    }
  }
  if (!drops && !replaced) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !droppedKeys.has(key))
      .map(([key, item]) => [key, replaced?.get(key) ?? item]),
  );
}
