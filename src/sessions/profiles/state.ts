/** Parses profile state from a client or a page: accepts well-formed entries and counts the rest. */
import { ServiceError } from '../../base/errors.ts';
import { profileLimits } from '../../base/limits.ts';
import type { StoredData, StoredDatabase } from '../../browser/injected/vault/storage-state.ts';
import type { NetworkPolicy } from '../../browser/network/policy.ts';
import { isPlainObject } from '../../base/schema/record.ts';

export interface StoredCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  /** Seconds since 1970; -1 for a session cookie. */
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite?: 'Strict' | 'Lax' | 'None';
  /** Not Medium, which is the default. */
  priority?: 'Low' | 'High';
  /** The top-level site to which the cookie is limited (CHIPS). */
  partitionKey?: string;
  /** Playwright's name: whether it is limited to frames with another site between them and the top. */
  _crHasCrossSiteAncestor?: boolean;
}

type StoredStore = StoredDatabase['stores'][number];

export interface StoredOrigin extends StoredData {
  origin: string;
}

/** Has the format of Playwright's `storageState`. */
export interface ProfileState {
  cookies: StoredCookie[];
  origins: StoredOrigin[];
}

/** The stored profile of a browser. */
export interface BrowserProfile {
  name: string;
  /** Initial state of the browser; undefined when a person logs in to save the profile. */
  state: ProfileState | undefined;
}

const nothingOmitted = () => ({
  skippedMalformedCookies: 0,
  skippedPrivateCookies: 0,
  skippedMalformedOrigins: 0,
  skippedPrivateOrigins: 0,
  truncatedOrigins: 0,
  skippedMalformedIdbDatabases: 0,
  truncatedIdbDatabases: 0,
  skippedMalformedIdbStores: 0,
  truncatedIdbEntries: 0,
});

/** Number of omitted entries, by reason. */
export type OmittedCounts = ReturnType<typeof nothingOmitted>;

/** Decides by the network policy which sites are private. */
export type SitePolicy = Pick<NetworkPolicy, 'refusal'>;

/**
 * @param given untrusted `cookies` and `origins`
 * @param whenTooLarge `fit` leaves out, and counts, origins that do not fit after the preceding ones
 * @throws ServiceError `invalid-body` when the state exceeds the maximum size of a profile; with `fit`, only when the
 *   cookies alone exceed it
 */
export function readState(
  given: { cookies?: unknown; origins?: unknown },
  policy: SitePolicy,
  whenTooLarge: 'refuse' | 'fit' = 'refuse',
): { state: ProfileState; leftOut: OmittedCounts } {
  const leftOut = nothingOmitted();
  const cookies = new Map<string, StoredCookie>();
  for (const each of listOf(given.cookies)) {
    const cookie = readCookie(each);
    if (!cookie) leftOut.skippedMalformedCookies++;
    else if (isPrivate(policy, cookie.domain.replace(/^\./, ''), cookie.secure ? 443 : 80)) {
      leftOut.skippedPrivateCookies++;
    } else {
      const { domain, path, name, partitionKey, _crHasCrossSiteAncestor } = cookie;
      cookies.set(JSON.stringify([domain, path, name, partitionKey, _crHasCrossSiteAncestor]), cookie);
    }
  }
  const origins = new Map<string, StoredOrigin>();
  for (const each of listOf(given.origins)) {
    const url = isPlainObject(each) ? originOf(each['origin']) : undefined;
    if (!url || !isPlainObject(each)) leftOut.skippedMalformedOrigins++;
    else if (isPrivate(policy, url.hostname, Number(url.port) || (url.protocol === 'https:' ? 443 : 80))) {
      leftOut.skippedPrivateOrigins++;
    } else if (origins.size >= profileLimits.origins && !origins.has(url.origin)) leftOut.truncatedOrigins++;
    else origins.set(url.origin, readOrigin(url.origin, each, leftOut));
  }
  const state = { cookies: [...cookies.values()], origins: [...origins.values()].filter(holdsAnything) };
  if (whenTooLarge === 'fit') {
    const fitting = originsThatFit(state);
    leftOut.truncatedOrigins += state.origins.length - fitting.length;
    state.origins = fitting;
  }
  requireFits(state);
  return { state, leftOut };
}

/** @throws ServiceError `invalid-body` */
function requireFits(state: ProfileState): void {
  const bytes = bytesOf(state);
  if (bytes <= profileLimits.bytes) return;
  throw new ServiceError(
    'invalid-body',
    `A profile may be at most ${profileLimits.bytes} bytes, but this state has ${bytes}. Omit origins and databases that the login does not need.`,
    { issues: [{ path: 'state', message: `must be at most ${profileLimits.bytes} bytes` }] },
  );
}

function originsThatFit({ cookies, origins }: ProfileState): StoredOrigin[] {
  let left = profileLimits.bytes - bytesOf({ cookies, origins: [] });
  return origins.filter((origin) => {
    // Includes the comma before the next origin.
    const bytes = bytesOf(origin) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

function holdsAnything({ localStorage, indexedDB }: StoredOrigin): boolean {
  return localStorage.length > 0 || indexedDB.length > 0;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): value is string => typeof value === 'string';

/** Whether the network policy blocks a host that is an IP address or names this machine. */
function isPrivate(policy: SitePolicy, host: string, port: number): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  const address = bare === 'localhost' || bare.endsWith('.localhost') ? '127.0.0.1' : bare;
  // Other names are resolved, and their addresses checked, when connections are made.
  const isAddress = /^[\d.]+$/.test(address) || address.includes(':');
  return isAddress && policy.refusal(address, port) !== undefined;
}

function readCookie(value: unknown): StoredCookie | undefined {
  if (!isPlainObject(value)) return undefined;
  // Cookies of BrowserQL have null for what they lack.
  const given = Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
  const { name, value: content, domain, path = '/', expires = -1, httpOnly = false, secure = false, sameSite } = given;
  if (!isText(name) || !isText(content) || !isText(domain) || !isText(path)) return undefined;
  if (name.length + content.length > profileLimits.cookieCharacters || (name === '' && content === ''))
    return undefined;
  // oxlint-disable-next-line eslint/no-control-regex -- rejects control characters
  if (/[\0-\x1f\x7f;=]/.test(name) || /[\0-\x1f\x7f;]/.test(content) || !/^\/[^\0-\x1f\x7f;]*$/.test(path)) {
    return undefined;
  }
  if (!/^\.?[^\s./\\?#@%,;]+(?:\.[^\s./\\?#@%,;]+)*$/.test(domain)) return undefined;
  if (!URL.canParse(`http://${domain.replace(/^\./, '')}/`)) return undefined;
  if (typeof expires !== 'number' || typeof httpOnly !== 'boolean' || typeof secure !== 'boolean') return undefined;
  const partition = readPartition(given);
  if (!partition) return undefined;
  const { priority } = given;
  const plain: StoredCookie = { name, value: content, domain, path, expires, httpOnly, secure, ...partition };
  const cookie: StoredCookie = priority === 'Low' || priority === 'High' ? { ...plain, priority } : plain;
  if (sameSite === 'Strict' || sameSite === 'Lax' || sameSite === 'None') return { ...cookie, sameSite };
  return sameSite === undefined ? cookie : undefined;
}

/**
 * Reads the partition of a cookie in the forms of BrowserQL, Playwright, Puppeteer and the protocol; empty for a cookie without.
 * @returns undefined for a malformed one, and for an opaque site, which no browser can restore: without its partition,
 *   every site would receive the cookie
 */
function readPartition(value: Record<string, unknown>): Partial<StoredCookie> | undefined {
  const { partitionKey: key, partitionKeyOpaque, _crHasCrossSiteAncestor = false } = value;
  const { hasCrossSiteAncestor: inFrames = _crHasCrossSiteAncestor } = value;
  if (key === undefined) return partitionKeyOpaque === true ? undefined : {};
  const [site, crossed = false] = isPlainObject(key)
    ? [key['topLevelSite'] ?? key['sourceOrigin'], key['hasCrossSiteAncestor']]
    : [key, inFrames];
  if (!isText(site) || !URL.canParse(site) || typeof crossed !== 'boolean') return undefined;
  return { partitionKey: site, _crHasCrossSiteAncestor: crossed };
}

function readOrigin(origin: string, given: Record<string, unknown>, leftOut: OmittedCounts): StoredOrigin {
  const localStorage = listOf(given['localStorage']).flatMap((entry) => {
    if (!isPlainObject(entry)) return [];
    const { name, value } = entry;
    return isText(name) && isText(value) ? [{ name, value }] : [];
  });
  const databases: StoredDatabase[] = [];
  for (const each of listOf(given['indexedDB'])) {
    const database = readDatabase(each, leftOut);
    if (!database) leftOut.skippedMalformedIdbDatabases++;
    else if (databases.length >= profileLimits.databases) leftOut.truncatedIdbDatabases++;
    else databases.push(database);
  }
  return { origin, localStorage, indexedDB: databases };
}

function readDatabase(given: unknown, leftOut: OmittedCounts): StoredDatabase | undefined {
  if (!isPlainObject(given)) return undefined;
  const { name, version, stores } = given;
  if (!isText(name) || !Number.isSafeInteger(version) || typeof version !== 'number' || version < 1) return undefined;
  if (!Array.isArray(stores)) return undefined;
  const read: StoredStore[] = [];
  for (const each of stores) {
    const store = readStore(each, leftOut);
    if (!store || read.some((other) => other.name === store.name)) leftOut.skippedMalformedIdbStores++;
    else read.push(store);
  }
  return { name, version, stores: read };
}

function readStore(given: unknown, leftOut: OmittedCounts): StoredStore | undefined {
  if (!isPlainObject(given)) return undefined;
  const { name, autoIncrement = false, records, indexes = [] } = given;
  const path = readKeyPath(given);
  if (!isText(name) || typeof autoIncrement !== 'boolean' || !Array.isArray(records) || !path) return undefined;
  if (!Array.isArray(indexes)) return undefined;
  const readIndexes: StoredStore['indexes'] = [];
  for (const index of indexes) {
    const known = isPlainObject(index) ? readKeyPath(index) : undefined;
    if (!known || !isPlainObject(index)) return undefined;
    const { name: indexName, multiEntry = false, unique = false } = index;
    if (!isText(indexName) || typeof multiEntry !== 'boolean' || typeof unique !== 'boolean') return undefined;
    readIndexes.push({ name: indexName, ...known, multiEntry, unique });
  }
  const whole = records.filter((record) => isPlainObject(record));
  const kept = whole.slice(0, profileLimits.entries);
  leftOut.truncatedIdbEntries += records.length - kept.length;
  return { name, ...path, autoIncrement, indexes: readIndexes, records: kept.map(readRecord) };
}

function readKeyPath(given: Record<string, unknown>): { keyPath?: string; keyPathArray?: string[] } | undefined {
  const { keyPath, keyPathArray } = given;
  if (keyPathArray !== undefined && keyPathArray !== null) {
    return Array.isArray(keyPathArray) && keyPathArray.every(isText) ? { keyPathArray } : undefined;
  }
  if (keyPath === undefined || keyPath === null) return {};
  return isText(keyPath) ? { keyPath } : undefined;
}

/** Copies the known fields of a record. They come from JSON.parse, so none is inherited. */
function readRecord(record: Record<string, unknown>): Record<string, unknown> {
  const members = ['key', 'keyEncoded', 'value', 'valueEncoded'].filter((name) => Object.hasOwn(record, name));
  return Object.fromEntries(members.map((name) => [name, record[name]]));
}

/** Returns the URL of a string that is exactly an http or https origin, otherwise undefined. */
export function originOf(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return url.href === `${url.origin}/` ? url : undefined;
}
