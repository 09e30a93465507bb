/** Reads which fields a document selects under a step, for steps that need them before graphql-js resolves them. */
import {
  type FieldNode,
  getArgumentValues,
  getDirectiveValues,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export interface SelectedField {
  /** Key in the response: the alias, or the name. */
  key: string;
  name: string;
  nodes: readonly FieldNode[];
}

type Context = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/** Collects the selected fields by key, with fragments expanded and @skip and @include applied. */
export function selectedFields(context: Context, nodes: readonly FieldNode[]): SelectedField[] {
  const found = new Map<string, FieldNode[]>();
  const takes = (node: SelectionNode): boolean =>
    getDirectiveValues(GraphQLSkipDirective, node, context.variableValues)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, context.variableValues)?.['if'] !== false;
  const collect = (set: SelectionSetNode, spread: ReadonlySet<string>): void => {
    for (const node of set.selections) {
      if (!takes(node)) continue;
      if (node.kind === Kind.FIELD) {
        const key = node.alias?.value ?? node.name.value;
        found.set(key, [...(found.get(key) ?? []), node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        collect(node.selectionSet, spread);
      } else if (!spread.has(node.name.value)) {
        const fragment = context.fragments[node.name.value];
        if (fragment) collect(fragment.selectionSet, new Set([...spread, node.name.value]));
      }
    }
  };
  for (const node of nodes) if (node.selectionSet) collect(node.selectionSet, new Set());
  return [...found].map(([key, list]) => ({ key, name: list[0]?.name.value ?? key, nodes: list }));
}

/** Whether the document selects a field of this name directly under the step. */
export function selects(info: GraphQLResolveInfo, name: string): boolean {
  return selectedFields(info, info.fieldNodes).some((field) => field.name === name);
}

/** Whether the document itself sets an argument of the step; otherwise its value is the schema's default. */
export function givesArgument(
  { fieldNodes, variableValues }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'variableValues'>,
  name: string,
): boolean {
  const given = fieldNodes[0]?.arguments?.find((argument) => argument.name.value === name)?.value;
  return given?.kind === Kind.VARIABLE ? Object.hasOwn(variableValues.coerced, given.name.value) : given !== undefined;
}

/** Returns the argument values of a selected field. */
export function argumentsOf(
  context: Context,
  type: GraphQLObjectType,
  { name, nodes: [node] }: SelectedField,
): Record<string, unknown> {
  const definition = type.getFields()[name];
  return definition && node ? getArgumentValues(definition, node, context.variableValues) : {};
}

/**
 * Returns the values of a step's result that `@export` saves, by name. Skips lists, because a name has a single value.
 */
export function exportedValues(info: GraphQLResolveInfo, result: unknown): Map<string, string> {
  const values = new Map<string, string>();
  const directive = info.schema.getDirective('export');
  if (!directive) return values;
  const walk = (nodes: readonly FieldNode[], value: unknown): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const { name, nodes: below } of selectedFields(info, nodes)) {
      const member: unknown = Reflect.get(value, name);
      for (const node of below) {
        const as = getDirectiveValues(directive, node, info.variableValues)?.['as'];
        if (typeof as === 'string' && isScalar(member)) values.set(as, String(member));
      }
      walk(below, member);
    }
  };
  walk(info.fieldNodes, result);
  return values;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Replaces `${name}` with its exported value in every string of the arguments; unknown names stay unchanged. */
export function withExports<T>(value: T, exports: ReadonlyMap<string, string>): T {
  if (exports.size === 0) return value;
  const replace = (item: unknown): unknown => {
    if (typeof item === 'string') return item.replace(/\$\{(\w+)\}/g, (all, name: string) => exports.get(name) ?? all);
    if (Array.isArray(item)) return item.map(replace);
    if (typeof item === 'object' && item !== null) {
      return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, replace(member)]));
    }
    return item;
  };
  // The shape stays the same: strings are only replaced with strings.
  return replace(value) as T;
}
