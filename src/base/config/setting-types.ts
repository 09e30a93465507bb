// Converts the text of a setting to its value. Each kind describes in words what it expects, for errors, help and docs.

import * as v from 'valibot';
import { parseRange } from '../schema/request/addresses.ts';
import { type Ed25519Key, parseEd25519Jwk, parseEd25519Public } from '../runtime/crypto/ed25519.ts';
import { maxTimerMs } from '../runtime/deadline.ts';
import { cityLimits } from '../limits.ts';
import { isProxyTemplate } from './proxy-template.ts';
import { problemOfCities } from './proxy-cities.ts';

/** Directories that defaults and paths of settings may depend on. */
export interface HostDirectories {
  readonly tmpdir: string;
  readonly homedir: string;
}

export interface SettingType<T> {
  /** Describes valid values: "a whole number from 0 to 65535". */
  readonly expected: string;
  readonly schema: v.GenericSchema<string, T>;
  /** Explains what is wrong with a long text that the schema refuses; shown instead of the text. */
  readonly problemOf?: (text: string) => string | undefined;
  /** True when the empty string is a value; for other kinds it means "not set". */
  readonly emptyIsValue?: boolean;
  /** `~` is replaced with the home directory. */
  readonly isPath?: boolean;
}

/** True when a value was set at all. Docker Compose passes unset variables as empty strings. */
export const hasText = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';

/** Where verifiers look for the key directory (draft-ietf-webbotauth-httpsig-protocol). */
const wellKnown = '/.well-known/http-message-signatures-directory';

export const trimmed = v.pipe(v.string(), v.trim());

/** Anything except `false` is true, including the empty string (compatibility.mdx#settings). */
export const flag: SettingType<boolean> = {
  expected: 'true or false',
  emptyIsValue: true,
  schema: v.pipe(
    trimmed,
    v.transform((text) => text !== 'false'),
  ),
};

export const text: SettingType<string> = { expected: 'a string', schema: trimmed };

export const path: SettingType<string> = { expected: 'a path', schema: trimmed, isPath: true };

/** Several strings, separated by commas; at least one, so that a stray comma does not mean "none". */
export const list: SettingType<string[]> = {
  expected: 'a comma-separated list',
  schema: v.pipe(trimmed, v.transform(splitList), v.nonEmpty()),
};

/** Chrome DevTools Protocol methods, or whole domains, separated by commas. */
export const protocolMethods: SettingType<string[]> = {
  expected: 'a comma-separated list of methods and domains such as SystemInfo.getInfo or DeviceAccess.*',
  schema: v.pipe(
    list.schema,
    v.check((items) => items.every((item) => /^[A-Z][A-Za-z]*\.(?:\*|[a-z][A-Za-z]*)$/.test(item))),
  ),
};

/** IP addresses and ranges, separated by commas. */
export const addressRanges: SettingType<string[]> = {
  expected: 'a comma-separated list of IP addresses and ranges such as 203.0.113.7 or 198.51.100.0/24',
  schema: v.pipe(
    list.schema,
    v.check((items) => items.every((item) => parseRange(item) !== undefined)),
  ),
};

/** Hostnames, separated by commas; `*` matches any characters. */
export const hostNames: SettingType<string[]> = {
  expected: 'a comma-separated list of hostnames such as browsers.example.com or *.default, without ports',
  schema: v.pipe(
    list.schema,
    v.check((items) => items.every((item) => /^[\w.*-]+$/.test(item))),
  ),
};

/** Sources for the frame-ancestors directive of a Content-Security-Policy, separated by spaces. */
export const frameAncestors: SettingType<string> = {
  expected: "*, 'none', or sources such as 'self' and https://app.example.com, separated by spaces",
  schema: v.pipe(
    trimmed,
    v.regex(
      /^(?:\*|'none'|(?:'self'|https?:|(?:https?:\/\/)?(?:\*\.)?[\w.-]+(?::(?:\d+|\*))?)(?: +(?:'self'|https?:|(?:https?:\/\/)?(?:\*\.)?[\w.-]+(?::(?:\d+|\*))?))*)$/,
    ),
  ),
};

/** Absolute directory paths, separated by commas. */
export const directories: SettingType<string[]> = {
  expected: 'a comma-separated list of absolute paths',
  schema: v.pipe(
    list.schema,
    v.check((items) => items.every((item) => item.startsWith('/'))),
  ),
};

export function isWebAddress(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

export function splitList(value: string): string[] {
  return value
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): SettingType<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return {
    expected: `a whole number ${range}`,
    schema: v.pipe(
      trimmed,
      v.check((value) => /^[-+]?\d+$/.test(value) && Number(value) >= min && Number(value) <= max),
      v.transform(Number),
    ),
  };
}

export function decimal(min: number, max: number): SettingType<number> {
  return {
    expected: `a number from ${min} to ${max}`,
    schema: v.pipe(
      trimmed,
      v.check((value) => /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(value) && Number(value) >= min && Number(value) <= max),
      v.transform(Number),
    ),
  };
}

/** Milliseconds; -1 and 0 both mean no limit and become 0. */
export const limitMs: SettingType<number> = {
  expected: 'a whole number of milliseconds; -1 or 0 for no limit',
  schema: v.pipe(
    trimmed,
    v.check((value) => /^(-1|\+?\d+)$/.test(value) && Number(value) <= Number.MAX_SAFE_INTEGER),
    v.transform((value) => Math.max(0, Number(value))),
  ),
};

/**
 * A duration in milliseconds; "none" is not allowed, because something that waits for the end must not wait forever.
 */
export const durationMs: SettingType<number> = {
  expected: `a whole number of milliseconds from 0 (immediately) to ${maxTimerMs}`,
  schema: integer(0, maxTimerMs).schema,
};

export const url: SettingType<string> = {
  expected: 'an absolute http or https URL',
  schema: v.pipe(trimmed, v.check(isWebAddress)),
};

/** A contact: a web page or an email address. */
export const contact: SettingType<string> = {
  expected: 'an absolute http or https URL, or mailto: with an email address',
  schema: v.pipe(
    trimmed,
    v.check(
      (value) => URL.canParse(value) && (isWebAddress(value) || /^mailto:[^\s@?]+@[^\s@?]+(?:\?[^\s]*)?$/i.test(value)),
    ),
  ),
};

/** URLs of web pages, separated by commas. */
export const urls: SettingType<string[]> = {
  expected: 'a comma-separated list of absolute http or https URLs',
  schema: v.pipe(
    list.schema,
    v.check((items) => items.every(isWebAddress)),
  ),
};

/** PROFILES_KEY, CLUSTER_SECRET: short secrets chosen by people can be guessed. */
export const secretText: SettingType<string> = {
  expected: 'a string of at least 16 characters, such as the output of `openssl rand -base64 32`',
  schema: v.pipe(trimmed, v.minLength(16)),
};

/** An abbreviated count. */
export const roundCount: SettingType<string> = {
  expected: 'a number such as 950, 12K or 1.2M',
  schema: v.pipe(trimmed, v.regex(/^\d{1,7}(?:[.,]\d{1,3})?[KkMm]?$/)),
};

/** RESIDENTIAL_PROXY_URL. */
export const proxyTemplate: SettingType<string> = {
  expected:
    'a proxy URL with placeholders, http://user[-country-{country}][-city-{city}][-session-{session}]:password@host:port; supported: {country}, {COUNTRY}, {city}, {state} and {session}; only {country} is allowed after the @',
  schema: v.pipe(trimmed, v.check(isProxyTemplate)),
};

/** RESIDENTIAL_PROXY_CITIES: entries such as `de:Berlin`, which `citiesOf` reads. */
export const proxyCities: SettingType<string[]> = {
  expected: `a comma-separated list of at most ${cityLimits.listed} cities, each after its two-letter country code, such as de:Berlin,de:Hamburg,us:New York`,
  schema: v.pipe(
    trimmed,
    v.transform(splitList),
    v.check((entries) => problemOfCities(entries) === undefined),
  ),
  problemOf: (value) => problemOfCities(splitList(value)),
};

/** WEB_BOT_AUTH_KEY. */
export const ed25519Jwk: SettingType<Ed25519Key> = {
  expected: 'an Ed25519 private key as a JSON Web Key: {"kty":"OKP","crv":"Ed25519","d":"…","x":"…"}',
  schema: v.pipe(
    trimmed,
    v.transform((value) => parseEd25519Jwk(value)),
    v.custom<Ed25519Key>((key) => key !== undefined),
  ),
};

/** KEY_PUBLIC; converted to the 32 bytes in the URL-safe Base64 of RFC 7515. */
export const ed25519Public: SettingType<string> = {
  expected:
    'an Ed25519 public key: a JSON Web Key {"kty":"OKP","crv":"Ed25519","x":"…"}, only its member x, or PEM that starts with -----BEGIN PUBLIC KEY-----',
  schema: v.pipe(
    trimmed,
    v.transform((value) => parseEd25519Public(value)),
    v.custom<string>((key) => key !== undefined),
  ),
};

/**
 * WEB_BOT_AUTH_DIRECTORY: an https origin, optionally followed by the path of the key directory; converted to the
 * origin.
 */
export const directoryOrigin: SettingType<string> = {
  expected: 'an https URL without a path such as https://bots.example.com',
  schema: v.pipe(
    trimmed,
    v.check((value) => URL.canParse(value) && isDirectory(new URL(value))),
    v.transform((value) => new URL(value).origin),
  ),
};

function isDirectory({ protocol, username, password, pathname, search, hash }: URL): boolean {
  const bare = username === '' && password === '' && search === '' && hash === '';
  return protocol === 'https:' && bare && (pathname === '/' || pathname === wellKnown);
}

/**
 * Parses name=value pairs, separated by commas; characters with a special meaning are percent-encoded in values (W3C
 * Baggage, as OpenTelemetry uses it).
 * @param pair pattern that a decoded `name=value` must match
 */
function pairsOf(value: string, pair: RegExp): Record<string, string> | undefined {
  const items = splitList(value).map((item) => /^([^=\s]+)\s*=\s*(.*)$/s.exec(item) ?? []);
  try {
    const pairs = items.map(([, ...parts]) => parts.map(decodeURIComponent));
    const fit = pairs.length > 0 && pairs.every((each) => pair.test(each.join('=')));
    return fit ? Object.fromEntries(pairs) : undefined;
  } catch {
    // An invalid percent sequence.
    return undefined;
  }
}

function pairsKind(example: string, pair: RegExp): SettingType<Record<string, string>> {
  return {
    expected: `comma-separated name=value pairs such as ${example}`,
    schema: v.pipe(
      trimmed,
      v.transform((value) => pairsOf(value, pair)),
      v.custom<Record<string, string>>((pairs) => pairs !== undefined),
    ),
  };
}

/** OpenTelemetry attributes. */
export const attributes = pairsKind('region=eu, team=web', /^[^=]+=/);

/** Headers of HTTP requests. */
export const headers = pairsKind('authorization=Bearer%20abc', /^[\w!#$%&'*+.^`|~-]+=[\x20-\x7e]*$/);

export function choice<const C extends readonly [string, ...string[]]>(choices: C): SettingType<C[number]> {
  return {
    expected: choices.join(', ').replace(/, (?=[^,]*$)/, ' or '),
    schema: v.pipe(
      trimmed,
      v.transform((value) => value.toLowerCase()),
      v.picklist(choices),
    ),
  };
}
