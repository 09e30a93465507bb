// Defines small schemas that several responses share.

import * as v from 'valibot';

/** A field with its description for the documentation. */
export function member<const S extends v.GenericSchema>(schema: S, text: string) {
  return v.pipe(schema, v.description(text));
}

/** A schema that becomes an OpenAPI component with this name. */
export function named<const S extends v.GenericSchema>(name: string, schema: S) {
  return v.pipe(schema, v.title(name));
}

/** An object that becomes an OpenAPI component with this name. */
export function namedObject<const Members extends v.ObjectEntries>(name: string, members: Members) {
  return named(name, v.object(members));
}

/** A read-only list. */
export function listOf<const S extends v.GenericSchema>(item: S) {
  return v.pipe(v.array(item), v.readonly());
}

/** An object that may have fields that the schema does not list. */
export function openObject<const Members extends v.ObjectEntries>(members: Members) {
  return v.objectWithRest(members, v.unknown());
}

/** An object with arbitrary names and values. */
export const anyMembers = v.pipe(v.record(v.string(), v.unknown()), v.readonly());

export const timestamp = (text: string) => member(v.number(), `${text}, in milliseconds since 1970.`);
