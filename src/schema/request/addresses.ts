// IP addresses as bytes, and ranges of them: what network rules, callers and settings are compared with.

/** A range of addresses, such as `10.0.0.0/8`. */
export interface AddressRange {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/**
 * The bytes of an address: 4 or 16. Spellings of IPv4 that URLs allow (decimal, octal, hexadecimal, short) are
 * understood, because the URL parser is what reads them. Undefined for names.
 */
export function parseAddress(text: string): Uint8Array | undefined {
  const isIpv6 = text.includes(':');
  const source = isIpv6 ? `http://[${text}]/` : `http://${text}/`;
  if (!URL.canParse(source)) return undefined;
  const host = new URL(source).hostname;
  return isIpv6 ? parseIpv6(host.slice(1, -1)) : parseIpv4(host);
}

function parseIpv4(host: string): Uint8Array | undefined {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? Uint8Array.from(host.split('.').map(Number)) : undefined;
}

/** Reads the canonical form that the URL parser writes: lower-case groups, at most one `::`, no dotted tail. */
function parseIpv6(host: string): Uint8Array {
  const [head = '', tail] = host.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** `10.0.0.0/8`, `fd00::/8` or a single address; undefined for anything else. */
export function parseRange(text: string): AddressRange | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const bytes = parseAddress(address);
  if (!bytes) return undefined;
  const bits = length === undefined ? bytes.length * 8 : Number(length);
  return bits <= bytes.length * 8 ? { bytes, bits } : undefined;
}

/** True when an address (its bytes) lies in the range. */
export function isInRange({ bytes, bits }: AddressRange, address: Uint8Array): boolean {
  if (bytes.length !== address.length) return false;
  for (let index = 0; index < bytes.length && index * 8 < bits; index++) {
    const mask = (0xff00 >> Math.min(8, bits - index * 8)) & 0xff;
    if (((bytes[index] ?? 0) & mask) !== ((address[index] ?? 0) & mask)) return false;
  }
  return true;
}

/** IPv4 addresses that an IPv6 address carries: mapped, compatible, translated (SIIT), 6to4, NAT64 and Teredo. */
export function embeddedIpv4(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length !== 16) return [];
  const starts = (prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte);
  const last = bytes.slice(12);
  // ::/80 holds compatible and mapped ones; RFC 2765's ::ffff:0:a.b.c.d has its ones two bytes before.
  if (starts([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) || starts([0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0])) return [last];
  if (starts([0x20, 0x02])) return [bytes.slice(2, 6)];
  if (starts([0x00, 0x64, 0xff, 0x9b])) return [last];
  if (starts([0x20, 0x01, 0, 0])) return [bytes.slice(4, 8), last.map((byte) => byte ^ 0xff)];
  return [];
}

/** Addresses of machines that share a network with the server (RFC 1918, 6598, 4193, 3927, 4291). */
const privateRanges = [
  '127.0.0.0/8',
  '::1',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
].map(rangeOf);

/** Names below these are given out by nobody outside: a page that changes its own address cannot have one. */
const innerDomains = ['localhost', 'local', 'internal', 'lan', 'home.arpa', 'test', 'svc', 'cluster.local'];

/** @throws Error for what is no range */
export function rangeOf(text: string): AddressRange {
  const range = parseRange(text);
  if (!range) throw new Error(`${text} is no range of addresses`);
  return range;
}

/** True for an address of a private network, or of one of the further ranges; false for what is no address. */
export function isPrivateAddress(text: string, further: readonly AddressRange[] = []): boolean {
  const bytes = parseAddress(text.replace(/%.*$/, ''));
  if (!bytes) return false;
  const forms = [bytes, ...embeddedIpv4(bytes)];
  return [...privateRanges, ...further].some((range) => forms.some((form) => isInRange(range, form)));
}

/** True for a name (no address) that has no dot or lies in a domain of inner networks. */
export function isInnerName(name: string): boolean {
  return !name.includes('.') || innerDomains.some((domain) => name.endsWith(`.${domain}`));
}
