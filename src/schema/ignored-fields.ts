// Finds the fields of a request that have no effect, so that its answer can name them.

import type { GenericSchema } from 'valibot';
import { ignoredPaths } from './introspect.ts';
import { isRecord } from './record.ts';

/** Dotted paths (`cookies[].size`) of the fields without effect that a value has. */
export function ignoredFieldsIn(schema: GenericSchema, value: unknown): string[] {
  return ignoredPaths(schema)
    .filter((path) => has(value, path))
    .map((path) => path.join('.').replaceAll('.*', '[]'));
}

function has(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (!isRecord(value)) return false;
  if (key === '*') return Array.isArray(value) && value.some((item) => has(item, rest));
  return Object.hasOwn(value, key) && has(value[key], rest);
}
