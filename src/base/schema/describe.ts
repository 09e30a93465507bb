// Describes in words what a schema expects ("a number from 0 to 100"), and turns valibot's issues into messages for
// clients. Values of secret fields are not shown.

import { distance } from 'fastest-levenshtein';
import type { BaseIssue, GenericSchema } from 'valibot';
import { type Issue, truncate } from '../errors.ts';
import { reportLimits } from '../limits.ts';
import { redact } from '../telemetry/log.ts';
import {
  actionsOf,
  alternativesOf,
  choicesOf,
  entriesOf,
  fieldsAt,
  innerOf,
  isSecret,
  literalOf,
  schemaAt,
  unwrap,
} from './introspect.ts';
import { isPlainObject, isRecord } from './record.ts';

type AnyIssue = BaseIssue<unknown>;

/** An issue; one whose message is a whole sentence stands alone, without path and prefix. */
export interface DescribedIssue extends Issue {
  readonly standsAlone: boolean;
}

const maxShownCharacters = 60;
/** Characters of a value that are searched for secrets: far more than are displayed. */
const redactedCharacters = 4_000;

/** Describes valid values, as the end of the sentence "… must be". */
function expectation(schema: GenericSchema): string {
  const inner = unwrap(schema);
  switch (inner.type) {
    case 'string':
      return stringText(schema);
    case 'number':
      return numberText(schema);
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'literal':
      return JSON.stringify(literalOf(inner));
    case 'picklist':
      return choiceText(choicesOf(inner));
    case 'array':
      return listText(innerOf(inner));
    case 'union': {
      const texts = [...new Set(alternativesOf(inner).map(expectation))];
      return texts
        .map((text, index) => (text === `a list of ${texts[index - 1]}` ? 'a list of these' : text))
        .join(' or ');
    }
    case 'record':
    case 'object':
    case 'loose_object':
    case 'strict_object':
      return 'an object';
    default:
      return 'a different value';
  }
}

function listText(item: GenericSchema | undefined): string {
  const text = item ? expectation(item) : '';
  if (text === 'a string' || text === 'a number' || text === 'an object') return `a list of ${text.split(' ')[1]}s`;
  return text === '' ? 'a list' : `a list of ${text}`;
}

function stringText(schema: GenericSchema): string {
  const actions = actionsOf(schema);
  const nonEmpty = actions.some((action) => action['type'] === 'non_empty');
  const most = actions.find((action) => action['type'] === 'max_length')?.['requirement'];
  return `${nonEmpty ? 'a non-empty string' : 'a string'}${most === undefined ? '' : ` of at most ${String(most)} characters`}`;
}

function numberText(schema: GenericSchema): string {
  const actions = actionsOf(schema);
  const limit = (type: string) => actions.find((action) => action['type'] === type)?.['requirement'];
  const [from, to, above] = [limit('min_value'), limit('max_value'), limit('gt_value')];
  const noun = actions.some((action) => action['type'] === 'integer') ? 'a whole number' : 'a number';
  if (from !== undefined && to !== undefined) return `${noun} from ${String(from)} to ${String(to)}`;
  if (above !== undefined && to !== undefined) return `${noun} above ${String(above)} and up to ${String(to)}`;
  if (from !== undefined) return `${noun} of at least ${String(from)}`;
  if (above !== undefined) return `${noun} above ${String(above)}`;
  return to === undefined ? noun : `${noun} of at most ${String(to)}`;
}

function choiceText(choices: readonly unknown[]): string {
  const texts = choices.map((choice) => JSON.stringify(choice));
  return texts.length === 1 ? (texts[0] ?? '') : `one of ${texts.join(', ')}`;
}

/** The issues that are reported, and how many more there are. */
export interface Description {
  issues: DescribedIssue[];
  more: number;
}

/** The first issues as messages, in order and without duplicates. The others are only counted, not described. */
export function describeIssues(
  schema: GenericSchema,
  issues: readonly AnyIssue[],
  before: readonly DescribedIssue[] = [],
): Description {
  const told = new Map<string, DescribedIssue>();
  let more = 0;
  const report = (describe: () => DescribedIssue) => {
    if (told.size >= reportLimits.issues) return void more++;
    const issue = describe();
    told.set(issue.message, issue);
  };
  for (const issue of before) report(() => issue);
  for (const issue of issues) for (const describe of describeIssue(schema, issue, [])) report(describe);
  return { issues: [...told.values()], more };
}

/** Created on first use: it loads language data, which takes longer than a request. */
let inWords: Intl.ListFormat | undefined;

/** Describes a missing field, and which fields the object needs together. */
function missing(schema: GenericSchema, keys: readonly string[]): string {
  const fields = keys.length > 1 ? (fieldsAt(schema, keys.slice(0, -1)) ?? {}) : {};
  const needed = Object.keys(fields).filter((name) => fields[name]?.type !== 'optional');
  // For a union, the fields may belong to a different alternative.
  if (needed.length < 2 || !needed.includes(keys.at(-1) ?? '')) return 'is required';
  inWords ??= new Intl.ListFormat('en', { type: 'conjunction' });
  return `is required: ${inWords.format(needed)} are needed together`;
}

function* describeIssue(
  schema: GenericSchema,
  issue: AnyIssue,
  parent: readonly string[],
): Generator<() => DescribedIssue> {
  const items = issue.path ?? [];
  // A list in place of an object would be reported once per field.
  const list = items.findIndex((item) => item.type === 'object' && Array.isArray(item.input));
  const keys = [...parent, ...items.slice(0, list === -1 ? undefined : list).map((item) => String(item.key))];
  if (list !== -1) return yield () => issueAt(keys, `must be an object, got a list`);
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    // valibot reports only the first unknown field: report all.
    const known = fieldsAt(schema, keys.slice(0, -1)) ?? {};
    for (const name of Object.keys(items.at(-1)?.input ?? {})) {
      if (!Object.hasOwn(known, name)) yield () => describeUnknown(known, [...keys.slice(0, -1), name]);
    }
    return;
  }
  if (items.at(-1)?.origin === 'key' && issue.input === undefined)
    return yield () => issueAt(keys, missing(schema, keys));
  if (issue.type === 'union' && isRecord(issue.input)) {
    const nested = (issue.issues ?? []).filter((sub) => sub.path !== undefined);
    for (const sub of nested) yield* describeIssue(schema, sub, keys);
    if (nested.length > 0) return;
  }
  if (issue.type === 'check' || issue.type === 'raw_check' || issue.type === 'raw_transform') {
    const { message } = issue;
    return yield () => (/^["A-Z]/.test(message) ? standing(keys, message) : issueAt(keys, message));
  }
  yield () => {
    const found = schemaAt(schema, keys);
    if (!found) return issueAt(keys, `is invalid: ${issue.message}`);
    return issueAt(keys, `must be ${expectation(found)}${shown(found, issue.input)}`);
  };
}

/** An issue as a message: the path in quotes, then the reason. */
export function issueAt(keys: readonly string[], reason: string): DescribedIssue {
  const path = pathOf(keys);
  return {
    path,
    message: path === '' ? `The value ${reason}` : `"${truncate(path, maxShownCharacters)}" ${reason}`,
    standsAlone: false,
  };
}

function pathOf(keys: readonly string[]): string {
  return truncate(keys.join('.'), reportLimits.pathCharacters);
}

function standing(keys: readonly string[], message: string): DescribedIssue {
  return { path: pathOf(keys), message, standsAlone: true };
}

function describeUnknown(fields: Readonly<Record<string, GenericSchema>>, keys: readonly string[]): DescribedIssue {
  const name = keys.at(-1) ?? '';
  const known = Object.keys(fields);
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return issueAt(keys, `is not a known field; did you mean "${nearest}"?`);
  // A field one level too high, such as "format" next to "options", is the other common mistake.
  const home = known.find((field) => {
    const inner = fields[field];
    const nested = inner && entriesOf(unwrap(inner));
    return nested !== undefined && Object.hasOwn(nested, name);
  });
  if (home !== undefined) return issueAt(keys, `is not a known field here; it belongs in "${home}"`);
  return issueAt(keys, `is not a known field; known fields: ${known.join(', ')}`);
}

/** The known name that the client probably meant; undefined when none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 40) return undefined;
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, '');
  const limit = name.length < 4 ? 0 : name.length < 7 ? 1 : 2;
  const [best] = known
    .map((candidate) => ({ candidate, far: distance(plain(name), plain(candidate)) }))
    .toSorted((a, b) => a.far - b.far);
  return best && best.far <= limit ? best.candidate : undefined;
}

function shown(schema: GenericSchema, value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return ', got a list';
  if (isPlainObject(value)) return ', got an object';
  if (isSecret(schema)) return `, got a ${typeof value}`;
  return `, got ${typeof value === 'string' ? JSON.stringify(truncate(redact(value.slice(0, redactedCharacters)), maxShownCharacters)) : String(value)}`;
}
