/** Describes JSON schemas for tables: the type of a field as text, the fields of an object as rows. */
import { isJson, type Json } from './json.ts';
import type { Field } from './model.ts';

/** Follows a `$ref` inside an OpenAPI document; returns an empty object if the target does not exist. */
export function dereference(document: Json, value: unknown): Json {
  if (!isJson(value)) return {};
  const reference = value['$ref'];
  if (typeof reference !== 'string') return value;
  let found: unknown = document;
  for (const key of reference.slice(2).split('/')) found = isJson(found) ? found[key] : undefined;
  return dereference(document, found);
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

/** Returns the type as text: `number from 0 to 2`, `one of png, jpeg`, `list of strings`. */
export function describeType(schema: Json): string {
  const options = listOf(schema['anyOf'] ?? schema['oneOf']);
  if (options.length > 0) return [...new Set(options.map(describeType))].join(' or ');
  const choices = schema['enum'];
  if (Array.isArray(choices)) {
    const texts = choices.map((choice) => (choice === '' ? '""' : String(choice)));
    return texts.length === 1 ? String(texts[0]) : `one of ${texts.join(', ')}`;
  }
  if ('const' in schema) return JSON.stringify(schema['const']);
  switch (schema['type']) {
    case 'array': {
      const items = isJson(schema['items']) ? describeType(schema['items']) : 'anything';
      return `list of ${items.replace(/^(string|number|object|boolean|whole number)$/, '$1s')}`;
    }
    case 'integer':
    case 'number':
      return numberWords(schema);
    case 'string':
      return schema['format'] === 'password' ? 'string, secret' : 'string';
    case 'object':
      return isJson(schema['additionalProperties'])
        ? `map of ${describeType(schema['additionalProperties'])}`
        : 'object';
    case 'null':
    case 'boolean':
      return String(schema['type']);
    default:
      return 'anything';
  }
}

function numberWords(schema: Json): string {
  const noun = schema['type'] === 'integer' ? 'whole number' : 'number';
  const [from, above, to] = [schema['minimum'], schema['exclusiveMinimum'], schema['maximum']];
  const low = from === undefined ? (above === undefined ? '' : ` above ${String(above)}`) : ` from ${String(from)}`;
  return `${noun}${low}${to === undefined ? '' : ` to ${String(to)}`}`;
}

/** Returns the objects in a field, also inside lists and alternatives. */
function objectsIn(schema: Json): { object: Json; suffix: string }[] {
  if (isJson(schema['properties'])) return [{ object: schema, suffix: '' }];
  const options = listOf(schema['anyOf'] ?? schema['oneOf']).flatMap(objectsIn);
  if (options.length > 0) return options;
  if (!isJson(schema['items'])) return [];
  return objectsIn(schema['items']).map(({ object, suffix }) => ({ object, suffix: `[]${suffix}` }));
}

/** Returns every field of an object, nested ones with dotted names: `options.margin.top`, `cookies[].name`. */
export function fieldsOf(schema: Json, prefix = ''): Field[] {
  const properties = isJson(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).flatMap(([name, property]): Field[] => {
    if (!isJson(property)) return [];
    const path = `${prefix}${name}`;
    const byDefault = property['default'];
    const empty = isEmpty(byDefault);
    const own: Field = {
      name: path,
      type: describeType(property),
      required: required.includes(name),
      byDefault: empty ? undefined : JSON.stringify(byDefault),
      description: typeof property['description'] === 'string' ? property['description'] : '',
    };
    const [inner] = objectsIn(property);
    return [own, ...(inner === undefined ? [] : fieldsOf(inner.object, `${path}${inner.suffix}.`))];
  });
}

/** Returns the fields of the objects that a schema allows, also as entries of a list: `[].id`. */
export function fieldsIn(schema: Json): Field[] {
  const alternatives = objectsIn(schema).map(({ object, suffix }) =>
    fieldsOf(object, suffix === '' ? '' : `${suffix}.`),
  );
  return [...Map.groupBy(alternatives.flat(), ({ name }) => name).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const required = same.length === alternatives.length && same.every((field) => field.required);
    return [{ ...first, type: [...new Set(same.map(({ type }) => type))].join(' or '), required }];
  });
}

/** True for a default that is not worth showing: none, `[]` or `{}`. */
function isEmpty(value: unknown): boolean {
  return value === undefined || JSON.stringify(value) === '[]' || JSON.stringify(value) === '{}';
}
