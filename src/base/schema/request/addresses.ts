// Parses and compares IP addresses, address ranges and URL hosts, for network rules, client checks and settings.
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses, such as `10.0.0.0/8`: one of its addresses and the prefix length in bits. */
export type AddressRange = readonly [base: Address, bits: number];

/** Removes the brackets that URLs and Host headers put around IPv6 addresses. */
export function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** Formats a host as in URLs, with IPv6 addresses in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Parses an address without brackets. Undefined for names.
 *
 * The URL parser normalizes the text first. It accepts spellings that ipaddr.js does not (a trailing dot, full-width
 * digits), and browsers connect to the address that it parses; it refuses zone ids, which ipaddr.js accepts.
 */
export function parseAddress(text: string): Address | undefined {
  const source = `http://${bracketed(text)}/`;
  if (!URL.canParse(source)) return undefined;
  const host = unbracketed(new URL(source).hostname);
  return ipaddr.isValid(host) ? ipaddr.parse(host) : undefined;
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; undefined for anything else. */
export function parseRange(text: string): AddressRange | undefined {
  const [, source = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const base = parseAddress(source);
  if (!base) return undefined;
  const most = base.kind() === 'ipv4' ? 32 : 128;
  const bits = length === undefined ? most : Number(length);
  return bits <= most ? [base, bits] : undefined;
}

/** Like `parseRange`. @throws Error for text that is not a range */
export function rangeOf(text: string): AddressRange {
  const range = parseRange(text);
  if (!range) throw new Error(`${text} is not an address range`);
  return range;
}

/** True when an address is in the range; always false for an address of the other family. */
export function isInRange([base, bits]: AddressRange, address: Address): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

/**
 * IPv6 ranges whose addresses embed an IPv4 address, and the offset of its first byte. ipaddr.js reads only mapped
 * addresses (`toIPv4Address`).
 */
const carriers = [
  // Compatible (RFC 4291 section 2.5.5.1) and mapped (2.5.5.2).
  { range: rangeOf('::/80'), at: 12 },
  // Translated: SIIT of RFC 2765 section 2.1.
  { range: rangeOf('::ffff:0:0:0/96'), at: 12 },
  // 6to4: RFC 3056.
  { range: rangeOf('2002::/16'), at: 2 },
  // NAT64: RFC 6052 and, for local use, RFC 8215.
  { range: rangeOf('64:ff9b::/32'), at: 12 },
  // Teredo (RFC 4380 section 4): the server's address, and the client's with all bits inverted.
  { range: rangeOf('2001::/32'), at: 4 },
  { range: rangeOf('2001::/32'), at: 12, inverted: true },
];

/** The address and the IPv4 addresses that it embeds: a connection to it may reach any of them. */
export function formsOf(address: Address): Address[] {
  const bytes = address.toByteArray();
  const carried = carriers
    .filter(({ range }) => isInRange(range, address))
    .map(({ at, inverted }) => bytes.slice(at, at + 4).map((byte) => (inverted === true ? byte ^ 0xff : byte)));
  return [address, ...carried.map((each) => ipaddr.fromByteArray(each))];
}

/** Addresses of machines that share a network with the server (RFC 1918, 6598, 4193, 3927, 4291). */
export const privateNetworks: readonly string[] = [
  '127.0.0.0/8',
  '::1',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
];

const privateRanges = privateNetworks.map(rangeOf);

/** Domains in which no public website can have a name, so DNS rebinding cannot use them. */
const innerDomains = ['localhost', 'local', 'internal', 'lan', 'home.arpa', 'test', 'svc', 'cluster.local'];

/** True for an address in a private network or in one of the further ranges; false for text that is not an address. */
export function isPrivateAddress(text: string, further: readonly AddressRange[] = []): boolean {
  return isAddressIn(text, [...privateRanges, ...further]);
}

/**
 * True for an address, with or without a zone, that is in one of the ranges or embeds an address that is; false for
 * other text.
 */
export function isAddressIn(text: string, ranges: readonly AddressRange[]): boolean {
  const address = parseAddress(text.split('%', 1)[0] ?? '');
  if (!address) return false;
  const forms = formsOf(address);
  return ranges.some((range) => forms.some((form) => isInRange(range, form)));
}

/** True for a name (not an address) that has no dot or belongs to an internal domain. */
export function isInternalName(name: string): boolean {
  return !name.includes('.') || innerDomains.some((domain) => name.endsWith(`.${domain}`));
}

/** Longest hostname, in characters (RFC 1035, section 2.3.4). */
const nameCharacters = 253;
const name = /^(?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]*[a-z\d_])?$/;

/**
 * Normalizes a domain in a list: `example.com`, `*.example.com` or an address, in lowercase and punycode. Undefined for
 * anything else, such as a URL.
 */
export function parseDomain(text: string): string | undefined {
  const host = unbracketed(text.trim());
  const address = parseAddress(host);
  if (address) return address.toNormalizedString();
  const wildcard = host.startsWith('*.') ? '*.' : '';
  const plain = normalHost(host.slice(wildcard.length));
  if (plain === undefined || plain.length > nameCharacters || !name.test(plain)) return undefined;
  return parseAddress(plain) ? undefined : wildcard + plain;
}

/**
 * True when a list covers a host: `example.com` covers itself and its subdomains, `*.example.com` only its subdomains,
 * an address only itself.
 * @param domains entries as `parseDomain` returns them
 * @param host host of a URL or of a connection: a name or an address, with or without brackets
 */
export function covers(domains: readonly string[], host: string): boolean {
  const address = parseAddress(unbracketed(host));
  if (address) return domains.includes(address.toNormalizedString());
  const plain = normalHost(host);
  if (plain === undefined) return false;
  return domains.some((domain) =>
    domain.startsWith('*.') ? plain.endsWith(domain.slice(1)) : plain === domain || plain.endsWith(`.${domain}`),
  );
}

/** Normalizes a name to lowercase and punycode, without the trailing dot; undefined for text that is not a name. */
function normalHost(host: string): string | undefined {
  if (/[/\\?#@:\s%[\]]/.test(host)) return undefined;
  const source = `http://${host}/`;
  return URL.canParse(source) ? new URL(source).hostname.replace(/\.$/, '') : undefined;
}
