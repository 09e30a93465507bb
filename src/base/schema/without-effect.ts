// Finds parameters that a request contains but that have no effect, so that its response can list them
// (compatibility.mdx#parameters-without-effect).

import type { GenericSchema } from 'valibot';
import { entriesOf, ignoredKeysOf, ignoredPaths, overriddenFields, unwrap } from './introspect.ts';
import { isPlainObject, isRecord } from './record.ts';

/**
 * Dotted paths (`cookies[].size`) of the fields without effect in a value.
 * @param parsed the value that the schema made of it; decides which fields others deprive of their effect
 */
export function ignoredFieldsIn(schema: GenericSchema, value: unknown, parsed: unknown = value): string[] {
  const never = ignoredPaths(schema);
  const here = overriddenFields(schema)
    .filter(({ of, rule }) => has(value, of) && rule(valueAt(parsed, of)))
    .map(({ of, path }) => [...of, ...path]);
  const named = [...never, ...here].filter((path) => has(value, path));
  return [...named, ...ignoredKeysIn(schema, value)].map((path) => path.join('.').replaceAll('.*', '[]'));
}

/** Paths of the entries without effect in the maps of a value. */
function ignoredKeysIn(schema: GenericSchema, value: unknown): string[][] {
  const entries = entriesOf(unwrap(schema)) ?? {};
  return Object.entries(isRecord(value) ? value : {}).flatMap(([name, map]) => {
    const entry = isPlainObject(map) && Object.hasOwn(entries, name) ? entries[name] : undefined;
    const ignores = entry && ignoredKeysOf(entry);
    return ignores && isPlainObject(map) ? Object.keys(map).flatMap((key) => (ignores(key) ? [[name, key]] : [])) : [];
  });
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value);
}

function has(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (!isRecord(value)) return false;
  if (key === '*') return Array.isArray(value) && value.some((item) => has(item, rest));
  return Object.hasOwn(value, key) && has(value[key], rest);
}

/** Removes parameters that the schema does not contain. @returns their names */
export function removeUnknownParameters(schema: GenericSchema, params: URLSearchParams): string[] {
  const known = entriesOf(schema) ?? {};
  const unknown = [...new Set(params.keys())].filter((name) => !Object.hasOwn(known, name));
  for (const name of unknown) params.delete(name);
  return unknown;
}
