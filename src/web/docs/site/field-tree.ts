/** Arranges fields with dotted names as a tree, and finds the fields that many lists share. */
import type { Field } from './model.ts';

/** A field with its nested fields. */
export interface FieldNode {
  field: Field;
  /** The last part of the name, without the name of its parent: `margin` of `options.margin`. */
  leaf: string;
  inner: FieldNode[];
}

/** @returns the top-level fields of the list, each with its nested fields */
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

/** Returns the name of the outermost field: `options` of `options.margin.top`, `cookies` of `cookies[].name`. */
const topOf = (name: string): string => /^[^.[]+/.exec(name)?.[0] ?? name;

const definition = ({ name, type }: Field): string => `${name}: ${type}`;

/** Returns the top-level fields that at least `least` lists have with the same type, and their nested fields. */
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

/** The subject of a request: always listed with the route's own fields, even if many routes accept it. */
const subjects: readonly string[] = ['url', 'html'];

/** Returns the body fields that most REST routes accept. */
export function commonBodyFields(bodies: readonly (readonly Field[])[]): Field[] {
  return sharedFields(bodies, bodies.length / 2).filter(({ name }) => !subjects.includes(topOf(name)));
}
