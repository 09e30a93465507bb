// Defines small schemas that several answers share.

import * as v from 'valibot';

/** A member with its text for the documentation. */
export function member<const S extends v.GenericSchema>(schema: S, text: string) {
  return v.pipe(schema, v.description(text));
}

/** A schema that the OpenAPI document keeps among its components, under this name. */
export function named<const S extends v.GenericSchema>(name: string, schema: S) {
  return v.pipe(schema, v.title(name));
}

/** A list that its reader does not change. */
export function listOf<const S extends v.GenericSchema>(item: S) {
  return v.pipe(v.array(item), v.readonly());
}

/** An object that has further members, which the schema does not name. */
export function openObject<const Members extends v.ObjectEntries>(members: Members) {
  return v.objectWithRest(members, v.unknown());
}

/** An object whose names and values nobody can tell beforehand. */
export const anyMembers = v.pipe(v.record(v.string(), v.unknown()), v.readonly());

export const moment = (text: string) => member(v.number(), `${text}, in milliseconds since 1970.`);
