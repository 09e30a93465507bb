// Finds what a call was sent but does not act on, so that its answer can name it
// (compatibility.mdx#parameters-without-effect).

import type { GenericSchema } from 'valibot';
import { entriesOf, ignoredPaths } from './introspect.ts';
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

/** Removes the parameters that the schema does not know. @returns their names */
export function takeUnknownNames(schema: GenericSchema, params: URLSearchParams): string[] {
  const known = entriesOf(schema) ?? {};
  const unknown = [...new Set(params.keys())].filter((name) => !Object.hasOwn(known, name));
  for (const name of unknown) params.delete(name);
  return unknown;
}
