// Defines small schemas that several groups of fields share.

import * as v from 'valibot';
import { cityLimits, listLimits, patternLimits } from '../../limits.ts';
import { parseDomain } from './addresses.ts';

/** An optional field with its description for the documentation. */
export function field<const S extends v.GenericSchema>(schema: S, text: string) {
  return v.optional(v.pipe(schema, v.description(text)));
}

/** An optional field that clients send but that has no effect: responses list it in X-Ignored-Parameters. */
export function ignoredField<const S extends v.GenericSchema>(schema: S, why: string) {
  return v.optional(v.pipe(schema, v.description(`No effect: ${why}.`), v.metadata({ ignored: true })));
}

/**
 * Fields of an object, by dotted path, that other fields of the request deprive of their effect: responses list them in
 * X-Ignored-Parameters when the rule holds for the parsed object.
 */
export function overridden<Value>(rules: Readonly<Record<string, (value: Value) => boolean>>) {
  return v.metadata<Value, { overridden: typeof rules }>({ overridden: rules });
}

/** A list of at most `most` entries. */
export function listOf<const S extends v.GenericSchema>(item: S, most: number) {
  return v.pipe(v.array(item), v.maxLength(most));
}

/** An object whose keys the client chooses. */
export function mapOf<const S extends v.GenericSchema>(value: S, most: number = listLimits.names) {
  return v.pipe(v.record(v.string(), value), v.maxEntries(most));
}

/** A flag that is off unless it is set. */
export function flag(text: string) {
  return v.optional(v.pipe(v.boolean(), v.description(text)), false);
}

/** Milliseconds; 0 means no limit. */
export function timeoutMs(text: string) {
  return v.optional(v.pipe(v.number(), v.minValue(0), v.description(text)), 30_000);
}

/** Checks a value. @param problemsOf explains what is wrong with it; undefined for what is not */
export function checkAll<Value>(problemsOf: (value: Value) => readonly (string | undefined)[]) {
  return v.rawCheck<Value>(({ dataset, addIssue }) => {
    for (const message of dataset.typed ? problemsOf(dataset.value) : [])
      if (message !== undefined) addIssue({ message });
  });
}

export const requiredText = v.pipe(v.string(), v.nonEmpty());

/** Source of a JavaScript regular expression, without slashes and flags. */
export const regExpSource = v.pipe(
  v.string(),
  checkAll((source) => {
    const problem = patternProblem(source);
    return [problem && `must be the source of a JavaScript regular expression, such as "\\\\.png$": ${problem}`];
  }),
);

/** Explains why a string is not a valid pattern; undefined when it is valid. */
export function patternProblem(source: string): string | undefined {
  if (source.length > patternLimits.characters) {
    return `it has ${source.length} characters, at most ${patternLimits.characters} are allowed; split it into several`;
  }
  try {
    // oxlint-disable-next-line eslint/no-new -- throws for an invalid pattern
    new RegExp(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be parsed';
  }
}

const headerName = /^[!#$%&'*+.^_`|~\w-]+$/;

/** The values of several headers of one name, which Chromium reports as lines of one value. */
export const linesOf = (value: string): string[] => value.split(/\n */);

/** Undefined when a header may be sent, otherwise the end of the sentence that says why not. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!headerName.test(name)) return `has the invalid header name ${JSON.stringify(name)}; use letters, digits and -`;
  if (/[\0\r\n]/.test(value)) return `has a line break in the value of "${name}"; remove it`;
  return undefined;
}

/**
 * Headers of a request that only the browser can write, although answers contain them: those of a connection, and the
 * pseudo-headers of HTTP/2, such as `:path`.
 */
const writtenByBrowser =
  /^(?::.*|connection|content-length|host|keep-alive|sec-websocket-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** Whether a request ignores a header that a client sets, because only the browser can write it. */
export const isIgnoredHeader = (name: string): boolean => writtenByBrowser.test(name);

/** Marks a map of headers: responses list those that `isIgnoredHeader` names in X-Ignored-Parameters. */
export const ignoresHeaders = v.metadata<Record<string, string>, { ignoredKeys: typeof isIgnoredHeader }>({
  ignoredKeys: isIgnoredHeader,
});

export const httpHeaders = v.pipe(
  mapOf(v.string(), listLimits.headers),
  v.transform((headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !isIgnoredHeader(name)))),
  checkAll((headers) => Object.entries(headers).map(([name, value]) => headerProblem(name, value))),
  ignoresHeaders,
);

/** Country code of a proxy. */
export const countryCode = v.pipe(
  v.string(),
  v.check((code) => /^[a-z]{2}$/i.test(code), 'must be a two-letter country code such as "us"'),
);

const place = new RegExp(`^[\\p{L}\\p{M}\\d .,'_-]{1,${cityLimits.nameCharacters}}$`, 'u');

export const placeName = v.pipe(
  v.string(),
  v.check(
    (text) => place.test(text) && text.trim() !== '',
    `must be a name: at most ${cityLimits.nameCharacters} letters, digits, spaces and . , ' - _`,
  ),
);

/** One entry of a list of domains. */
const domain = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const read = parseDomain(dataset.value);
    if (read !== undefined) return read;
    const shown = JSON.stringify(dataset.value.slice(0, 100));
    addIssue({
      message: `contains ${shown}, which is not a domain: write "example.com", "*.example.com" or an IP address, without scheme, port or path`,
    });
    return NEVER;
  }),
);

/** A list of normalized domains. */
export const domainList = v.pipe(
  listOf(domain, listLimits.domains),
  v.check((all) => all.length > 0, 'must contain at least one domain'),
);
