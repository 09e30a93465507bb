/** Finds what a call was sent but does not act on, so that its answer can name it. */
import type { GenericSchema, InferOutput } from 'valibot';
import { entriesOf } from '../../schema/introspect.ts';
import { parseQuery } from '../../schema/parse.ts';
import { type CallKind, launchEffects, parameterEffects } from '../../schema/request/effects.ts';
import type { GivenLaunch } from '../../schema/request/launch.ts';
import type { BrowserQuery } from '../../schema/request/query.ts';
import type { Call } from './call.ts';

/**
 * Reads the query of a call; parameters that the schema does not know are named in the answer.
 * @throws ServiceError `invalid-query`
 */
export function readLenientQuery<const S extends GenericSchema>(call: Call, schema: S): InferOutput<S> {
  const params = new URLSearchParams(call.url.searchParams);
  call.ignore(takeUnknownNames(schema, params));
  return parseQuery(schema, params);
}

/** Removes the parameters that the schema does not know. @returns their names */
export function takeUnknownNames(schema: GenericSchema, params: URLSearchParams): string[] {
  const known = entriesOf(schema) ?? {};
  const unknown = [...new Set(params.keys())].filter((name) => !Object.hasOwn(known, name));
  for (const name of unknown) params.delete(name);
  return unknown;
}

const effectsOf = (effects: Readonly<Record<string, readonly CallKind[]>>, name: string) =>
  Object.hasOwn(effects, name) ? (effects[name] ?? []) : [];

/**
 * Removes from a query the parameters that calls of this kind do not act on.
 * @param params what the caller sent
 * @returns their names
 */
export function takeParametersWithoutEffect(kind: CallKind, query: BrowserQuery, params: URLSearchParams): string[] {
  const names = [...new Set(params.keys())].filter((name) => !effectsOf(parameterEffects, name).includes(kind));
  for (const name of names) Reflect.deleteProperty(query, name);
  return names;
}

/** The launch options that calls of this kind do not act on, as the caller wrote them; options that nobody knows too. */
export function launchWithoutEffect(kind: CallKind, given: GivenLaunch): string[] {
  return [...given].flatMap(([name, written]) => (effectsOf(launchEffects, name).includes(kind) ? [] : written));
}
