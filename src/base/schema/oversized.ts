/**
 * Finds lists and maps that are longer than their schema allows, before validation, which would check and report every
 * entry.
 */
import type { GenericSchema } from 'valibot';
import { listLimits } from '../limits.ts';
import { actionsOf, alternativesOf, entriesOf, innerOf, unwrap } from './introspect.ts';
import { isPlainObject } from './record.ts';

export interface Oversized {
  path: readonly string[];
  /** The end of a sentence that says why it is refused. */
  reason: string;
}

/** Maximum number of entries that a schema allows: its own limit, and never more than the global limit. */
function maxEntries(schema: GenericSchema): number {
  const limits = actionsOf(schema).flatMap(({ type, requirement }) =>
    (type === 'max_length' || type === 'max_entries') && typeof requirement === 'number' ? [requirement] : [],
  );
  return Math.min(listLimits.names, ...limits);
}

/** Whether the value itself has too many entries; the entries are not checked. */
export function isOversized(schema: GenericSchema, value: unknown): boolean {
  return sizeProblem(schema, value) !== undefined;
}

function sizeProblem(schema: GenericSchema, value: unknown): string | undefined {
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return undefined;
  const length = isList ? value.length : Object.keys(value).length;
  // Nearly all values are this small, and every limit is at least this high.
  if (length < 10) return undefined;
  const inner = unwrap(schema);
  const hasLimit = isList ? inner.type === 'array' : inner.type === 'record' || entriesOf(inner) !== undefined;
  if (!hasLimit) return undefined;
  const most = maxEntries(schema);
  return length > most ? `has ${length} ${isList ? 'entries' : 'keys'}; at most ${most} are allowed` : undefined;
}

/** Finds the first list or map in the value with too many entries; undefined when there is none. */
export function firstOversized(
  schema: GenericSchema,
  value: unknown,
  path: readonly string[] = [],
): Oversized | undefined {
  const reason = sizeProblem(schema, value);
  if (reason !== undefined) return { path, reason };
  const inner = unwrap(schema);
  const alternatives = alternativesOf(inner);
  if (alternatives.length > 0) {
    const fitting = alternatives.find((option) => holds(option, value));
    return fitting && firstOversized(fitting, value, path);
  }
  const entries = entriesOf(inner);
  const others = innerOf(inner);
  if (!Array.isArray(value) && !isPlainObject(value)) return undefined;
  for (const [key, each] of Object.entries(value)) {
    const next = entries ? (Object.hasOwn(entries, key) ? entries[key] : undefined) : others;
    const found = next && firstOversized(next, each, [...path, key]);
    if (found) return found;
  }
  return undefined;
}

/** Whether an alternative is of the same kind as the value. */
function holds(option: GenericSchema, value: unknown): boolean {
  const inner = unwrap(option);
  return Array.isArray(value)
    ? inner.type === 'array'
    : isPlainObject(value) && (inner.type === 'record' || entriesOf(inner) !== undefined);
}
