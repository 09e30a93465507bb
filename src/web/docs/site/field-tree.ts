/** Arranges fields with dotted names as a tree, and finds the fields that many lists share. */
import type { Field } from './model.ts';

/** A field with the fields of the object that it holds. */
export interface FieldNode {
  field: Field;
  /** The part of the name that the field above it does not have: `margin` of `options.margin`. */
  leaf: string;
  inner: FieldNode[];
}

/** @returns the fields that no other field of the list holds, each with those below it */
export function fieldTree(fields: readonly Field[]): FieldNode[] {
  const nodes = new Map<string, FieldNode>();
  const roots: FieldNode[] = [];
  for (const field of fields) {
    const [, owner = '', leaf = field.name] = /^(.+?)(?:\[\])*\.([^.]+)$/.exec(field.name) ?? [];
    const holder = nodes.get(owner);
    const node: FieldNode = { field, leaf: holder === undefined ? field.name : leaf, inner: [] };
    (holder?.inner ?? roots).push(node);
    nodes.set(field.name, node);
  }
  return roots;
}

/** The name of the outermost field: `options` of `options.margin.top`, `cookies` of `cookies[].name`. */
const topOf = (name: string): string => /^[^.[]+/.exec(name)?.[0] ?? name;

const definition = ({ name, type }: Field): string => `${name}: ${type}`;

/** The top fields that at least so many of the lists have, with the same type and the fields inside them. */
export function sharedFields(lists: readonly (readonly Field[])[], least: number): Field[] {
  const times = new Map<string, number>();
  for (const field of lists.flat()) times.set(definition(field), (times.get(definition(field)) ?? 0) + 1);
  const shared = new Map<string, Field>();
  for (const field of lists.flat()) {
    const own = field.name === topOf(field.name);
    const isShared = own ? (times.get(definition(field)) ?? 0) >= least : shared.has(topOf(field.name));
    if (isShared && !shared.has(field.name)) shared.set(field.name, field);
  }
  return [...shared.values()];
}

/** Splits a list into its own fields and those that it shares with other lists. */
export function splitFields(
  fields: readonly Field[],
  shared: readonly Field[],
): { own: readonly Field[]; common: readonly Field[] } {
  const known = new Set(shared.map(definition));
  const common = new Set(
    fields.filter((field) => field.name === topOf(field.name) && known.has(definition(field))).map(({ name }) => name),
  );
  return {
    own: fields.filter(({ name }) => !common.has(topOf(name))),
    common: fields.filter(({ name }) => common.has(topOf(name))),
  };
}

/** What a call is about stands with its own fields, however many calls take it. */
const subjects: readonly string[] = ['url', 'html'];

/** The body fields that most REST routes take. */
export function commonBodyFields(bodies: readonly (readonly Field[])[]): Field[] {
  return sharedFields(bodies, bodies.length / 2).filter(({ name }) => !subjects.includes(topOf(name)));
}
