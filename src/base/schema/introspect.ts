// Reads what coercion, error messages and documentation need from valibot schemas, which are plain objects.

import type { GenericSchema } from 'valibot';
import { isPlainObject, isRecord } from './record.ts';

export function isSchema(value: unknown): value is GenericSchema {
  return isRecord(value) && value['kind'] === 'schema';
}

function member(schema: object, name: string): unknown {
  return isRecord(schema) ? schema[name] : undefined;
}

/** The schema inside `optional`, `nullable` and similar wrappers; the schema itself when there is none. */
export function unwrap(schema: GenericSchema): GenericSchema {
  const wrapped = member(schema, 'wrapped');
  return isSchema(wrapped) ? unwrap(wrapped) : schema;
}

/** Caches fields: schemas are constant, and every value needs the fields of its schema. */
const knownEntries = new WeakMap<object, Record<string, GenericSchema>>();

/** The fields of an object schema by name; undefined for anything else. */
export function entriesOf(schema: GenericSchema): Readonly<Record<string, GenericSchema>> | undefined {
  const entries = member(schema, 'entries');
  if (!isPlainObject(entries)) return undefined;
  let known = knownEntries.get(entries);
  if (!known) {
    known = Object.fromEntries(
      Object.entries(entries).flatMap(([name, entry]) => (isSchema(entry) ? [[name, entry] as const] : [])),
    );
    knownEntries.set(entries, known);
  }
  return known;
}

/** The alternatives of a union; empty for anything else. */
export function alternativesOf(schema: GenericSchema): GenericSchema[] {
  const options = member(schema, 'options');
  return Array.isArray(options) ? options.filter(isSchema) : [];
}

/** The strings and numbers that a picklist allows; empty for anything else. */
export function choicesOf(schema: GenericSchema): unknown[] {
  const options = member(schema, 'options');
  return schema.type === 'picklist' && Array.isArray(options) ? options : [];
}

/** The schema of a list's items or a map's values. */
export function innerOf(schema: GenericSchema): GenericSchema | undefined {
  const inner = member(schema, schema.type === 'array' ? 'item' : 'value');
  return isSchema(inner) ? inner : undefined;
}

export function literalOf(schema: GenericSchema): unknown {
  return member(schema, 'literal');
}

/** Every action of the schema's pipe, including those of nested pipes and wrapped schemas. */
export function actionsOf(schema: GenericSchema): Record<string, unknown>[] {
  const wrapped = member(schema, 'wrapped');
  const pipe = member(schema, 'pipe');
  const own = Array.isArray(pipe)
    ? pipe.flatMap((item, index): Record<string, unknown>[] => {
        if (!isRecord(item)) return [];
        if (item['kind'] !== 'schema') return [item];
        // The first item of a pipe is its schema; later schemas describe the output.
        return index === 0 && isSchema(item) ? actionsOf(item) : [];
      })
    : [];
  return isSchema(wrapped) ? [...actionsOf(wrapped), ...own] : own;
}

/** The text that `v.description` set on the schema or on one around it. */
export function descriptionOf(schema: GenericSchema): string | undefined {
  const text = actionsOf(schema).findLast((action) => action['type'] === 'description')?.['description'];
  return typeof text === 'string' ? text : undefined;
}

/** True when the schema, or one around it, carries `v.metadata({ [name]: true })`. */
function isMarked(schema: GenericSchema, name: string): boolean {
  return actionsOf(schema).some(({ metadata }) => isRecord(metadata) && metadata[name] === true);
}

/** True for a secret, whose values are never shown. */
export const isSecret = (schema: GenericSchema): boolean => isMarked(schema, 'secret');

/** Paths of the fields without effect; `*` means each item of a list. Constant, so computed once per schema. */
export function ignoredPaths(schema: GenericSchema): readonly (readonly string[])[] {
  let known = knownIgnored.get(schema);
  if (!known) knownIgnored.set(schema, (known = findIgnored(schema)));
  return known;
}

const knownIgnored = new WeakMap<GenericSchema, readonly (readonly string[])[]>();

function findIgnored(schema: GenericSchema): string[][] {
  const inner = unwrap(schema);
  const alternatives = alternativesOf(inner);
  if (alternatives.length > 0) return alternatives.flatMap(findIgnored);
  const item = inner.type === 'array' ? innerOf(inner) : undefined;
  if (item) return findIgnored(item).map((path) => ['*', ...path]);
  return Object.entries(entriesOf(inner) ?? {}).flatMap(([name, entry]) =>
    isMarked(entry, 'ignored') ? [[name]] : findIgnored(entry).map((path) => [name, ...path]),
  );
}

/** Whether a map ignores a key, for a map with `v.metadata({ ignoredKeys })`. */
export function ignoredKeysOf(schema: GenericSchema): ((key: string) => boolean) | undefined {
  const found = actionsOf(schema).find(({ metadata }) => isRecord(metadata) && metadata['ignoredKeys'] !== undefined);
  // The only metadata with this name, that of `ignoresHeaders`, is such a function.
  return isRecord(found?.['metadata']) ? (found['metadata']['ignoredKeys'] as (key: string) => boolean) : undefined;
}

/** A field that other fields may deprive of its effect. */
interface OverriddenField {
  /** Path of the object whose fields the rule reads. */
  of: readonly string[];
  /** Path of the field in that object. */
  path: readonly string[];
  /** Whether the field has no effect, given the parsed object. */
  rule: (value: unknown) => boolean;
}

/** The fields that `overridden` marks in a schema and its objects. Constant, so computed once per schema. */
export function overriddenFields(schema: GenericSchema): readonly OverriddenField[] {
  let known = knownOverridden.get(schema);
  if (!known) knownOverridden.set(schema, (known = findOverridden(schema, [])));
  return known;
}

const knownOverridden = new WeakMap<GenericSchema, readonly OverriddenField[]>();

function findOverridden(schema: GenericSchema, of: readonly string[]): OverriddenField[] {
  const own = actionsOf(schema).flatMap(({ metadata }) => {
    const rules = isRecord(metadata) ? metadata['overridden'] : undefined;
    if (!isRecord(rules)) return [];
    return Object.entries(rules).map(([name, rule]) => ({
      of,
      path: name.split('.'),
      // `overridden` accepts only such functions.
      rule: rule as OverriddenField['rule'],
    }));
  });
  const entries = Object.entries(entriesOf(unwrap(schema)) ?? {});
  return [...own, ...entries.flatMap(([name, entry]) => findOverridden(entry, [...of, name]))];
}

/** The schema at a path of keys, looking into every alternative of a union; undefined when there is none. */
export function schemaAt(schema: GenericSchema, path: readonly string[]): GenericSchema | undefined {
  const inner = unwrap(schema);
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  for (const alternative of alternativesOf(inner)) {
    const found = schemaAt(alternative, path);
    if (found) return found;
  }
  const entries = entriesOf(inner);
  const next = entries ? (Object.hasOwn(entries, key) ? entries[key] : undefined) : innerOf(inner);
  return next && schemaAt(next, rest);
}

/** The fields of the object at a path; for a union, those of its first alternative that is an object. */
export function fieldsAt(schema: GenericSchema, path: readonly string[]): Record<string, GenericSchema> | undefined {
  const found = schemaAt(schema, path);
  if (!found) return undefined;
  const inner = unwrap(found);
  return (
    entriesOf(inner) ??
    alternativesOf(inner)
      .map((option) => entriesOf(unwrap(option)))
      .find(Boolean)
  );
}
