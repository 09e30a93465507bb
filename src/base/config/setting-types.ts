// Converts the text of a setting to its value. Each kind describes in words what it expects, for errors, help and docs.

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
  /** Converts the text, without surrounding whitespace; undefined when it is invalid. */
  readonly parse: (text: string) => T | undefined;
  /** Explains what is wrong with a long text that `parse` refuses; shown instead of the text. */
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

const textThat = (expected: string, fits: (text: string) => boolean): SettingType<string> => ({
  expected,
  parse: (value) => (fits(value) ? value : undefined),
});

/** Several strings, separated by commas; at least one, so that a stray comma does not mean "none". */
const listOf = (items: string, fits: (item: string) => boolean): SettingType<string[]> => ({
  expected: `a comma-separated list${items}`,
  parse(value) {
    const found = splitList(value);
    return found.length > 0 && found.every(fits) ? found : undefined;
  },
});

const numberThat = (expected: string, pattern: RegExp, min: number, max: number): SettingType<number> => ({
  expected,
  parse: (value) => (pattern.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined),
});

/** Anything except `false` is true, including the empty string (compatibility.mdx#settings). */
export const flag: SettingType<boolean> = {
  expected: 'true or false',
  emptyIsValue: true,
  parse: (value) => value !== 'false',
};

export const text = textThat('a string', () => true);

export const path: SettingType<string> = { ...textThat('a path', () => true), isPath: true };

export const list = listOf('', () => true);

/** Chrome DevTools Protocol methods, or whole domains. */
export const protocolMethods = listOf(' of methods and domains such as SystemInfo.getInfo or DeviceAccess.*', (item) =>
  /^[A-Z][A-Za-z]*\.(?:\*|[a-z][A-Za-z]*)$/.test(item),
);

export const addressRanges = listOf(
  ' of IP addresses and ranges such as 203.0.113.7 or 198.51.100.0/24',
  (item) => parseRange(item) !== undefined,
);

/** Hostnames; `*` matches any characters. */
export const hostNames = listOf(' of hostnames such as browsers.example.com or *.default, without ports', (item) =>
  /^[\w.*-]+$/.test(item),
);

const frameSources =
  /^(?:\*|'none'|(?:'self'|https?:|(?:https?:\/\/)?(?:\*\.)?[\w.-]+(?::(?:\d+|\*))?)(?: +(?:'self'|https?:|(?:https?:\/\/)?(?:\*\.)?[\w.-]+(?::(?:\d+|\*))?))*)$/;

/** Sources for the frame-ancestors directive of a Content-Security-Policy, separated by spaces. */
export const frameAncestors = textThat(
  "*, 'none', or sources such as 'self' and https://app.example.com, separated by spaces",
  (value) => frameSources.test(value),
);

export const directories = listOf(' of absolute paths', (item) => item.startsWith('/'));

function isWebAddress(value: string): boolean {
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
  return numberThat(`a whole number ${range}`, /^[-+]?\d+$/, min, max);
}

export const decimal = (min: number, max: number): SettingType<number> =>
  numberThat(`a number from ${min} to ${max}`, /^(?:\d+(?:\.\d+)?|\.\d+)$/, min, max);

const countedMs = numberThat(
  'a whole number of milliseconds; -1 or 0 for no limit',
  /^\+?\d+$/,
  0,
  Number.MAX_SAFE_INTEGER,
);

/** Milliseconds; -1 and 0 both mean no limit and become 0. */
export const limitMs: SettingType<number> = {
  ...countedMs,
  parse: (value) => (value === '-1' ? 0 : countedMs.parse(value)),
};

/**
 * A duration in milliseconds; "none" is not allowed, because something that waits for the end must not wait forever.
 */
export const durationMs: SettingType<number> = {
  ...integer(0, maxTimerMs),
  expected: `a whole number of milliseconds from 0 (immediately) to ${maxTimerMs}`,
};

export const url = textThat('an absolute http or https URL', isWebAddress);

/** A contact: a web page or an email address. */
export const contact = textThat(
  'an absolute http or https URL, or mailto: with an email address',
  (value) => URL.canParse(value) && (isWebAddress(value) || /^mailto:[^\s@?]+@[^\s@?]+(?:\?[^\s]*)?$/i.test(value)),
);

/** URLs of web pages. */
export const urls = listOf(' of absolute http or https URLs', isWebAddress);

/** PROFILES_KEY, CLUSTER_SECRET: short secrets chosen by people can be guessed. */
export const secretText = textThat(
  'a string of at least 16 characters, such as the output of `openssl rand -base64 32`',
  (value) => value.length >= 16,
);

/** An abbreviated count. */
export const roundCount = textThat('a number such as 950, 12K or 1.2M', (value) =>
  /^\d{1,7}(?:[.,]\d{1,3})?[KkMm]?$/.test(value),
);

/** RESIDENTIAL_PROXY_URL. */
export const proxyTemplate = textThat(
  'a proxy URL with placeholders, http://user[-country-{country}][-city-{city}][-session-{session}]:password@host:port; supported: {country}, {COUNTRY}, {city}, {state} and {session}; only {country} is allowed after the @',
  isProxyTemplate,
);

/** RESIDENTIAL_PROXY_CITIES: entries such as `de:Berlin`, which `citiesOf` reads. */
export const proxyCities: SettingType<string[]> = {
  expected: `a comma-separated list of at most ${cityLimits.listed} cities, each after its two-letter country code, such as de:Berlin,de:Hamburg,us:New York`,
  parse(value) {
    const entries = splitList(value);
    return problemOfCities(entries) === undefined ? entries : undefined;
  },
  problemOf: (value) => problemOfCities(splitList(value)),
};

/** WEB_BOT_AUTH_KEY. */
export const ed25519Jwk: SettingType<Ed25519Key> = {
  expected: 'an Ed25519 private key as a JSON Web Key: {"kty":"OKP","crv":"Ed25519","d":"…","x":"…"}',
  parse: parseEd25519Jwk,
};

/** KEY_PUBLIC; converted to the 32 bytes in the URL-safe Base64 of RFC 7515. */
export const ed25519Public: SettingType<string> = {
  expected:
    'an Ed25519 public key: a JSON Web Key {"kty":"OKP","crv":"Ed25519","x":"…"}, only its member x, or PEM that starts with -----BEGIN PUBLIC KEY-----',
  parse: parseEd25519Public,
};

/**
 * WEB_BOT_AUTH_DIRECTORY: an https origin, optionally followed by the path of the key directory; converted to the
 * origin.
 */
export const directoryOrigin: SettingType<string> = {
  expected: 'an https URL without a path such as https://bots.example.com',
  parse: (value) => (URL.canParse(value) && isDirectory(new URL(value)) ? new URL(value).origin : undefined),
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

const pairsKind = (example: string, pair: RegExp): SettingType<Record<string, string>> => ({
  expected: `comma-separated name=value pairs such as ${example}`,
  parse: (value) => pairsOf(value, pair),
});

/** OpenTelemetry attributes. */
export const attributes = pairsKind('region=eu, team=web', /^[^=]+=/);

/** Headers of HTTP requests. */
export const headers = pairsKind('authorization=Bearer%20abc', /^[\w!#$%&'*+.^`|~-]+=[\x20-\x7e]*$/);

export function choice<const C extends readonly [string, ...string[]]>(choices: C): SettingType<C[number]> {
  return {
    expected: choices.join(', ').replace(/, (?=[^,]*$)/, ' or '),
    parse: (value) => choices.find((each) => each === value.toLowerCase()),
  };
}

/** The URLs at which the servers in a cluster reach each other inside their network. */
export const nodeUrl = textThat('an http URL without a path, such as http://10.0.3.7:3000', isNodeAddress);
export const nodeUrls = listOf(' of http URLs without a path, such as http://10.0.3.7:3000', isNodeAddress);

function isNodeAddress(address: string): boolean {
  if (!isWebAddress(address)) return false;
  const { protocol, pathname, search, username } = new URL(address);
  return protocol === 'http:' && pathname === '/' && search === '' && username === '';
}

/** The first letters of a server's name; the same letters as in the server names inside ids. */
export const nodeName = textThat(
  'two characters, each a letter from a to z or a digit from 2 to 7, such as aa',
  (value) => /^[a-z2-7]{2}$/.test(value),
);

export const valkeyUrl = textThat(
  'a URL such as valkey://10.0.3.2:6379 or rediss://user:password@host:6380/0',
  (value) =>
    URL.canParse(value) && /^(?:valkey|redis)s?:$/.test(new URL(value).protocol) && new URL(value).hostname !== '',
);
