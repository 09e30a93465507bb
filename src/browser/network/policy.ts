/**
 * Decides which addresses and schemes a page may reach; does no I/O. The egress proxy passes resolved addresses, the
 * routes pass the URLs of requests.
 */
import { ServiceError } from '../../base/errors.ts';
import { redact } from '../../base/telemetry/log.ts';
import {
  type Address,
  type AddressRange,
  formsOf,
  isInRange,
  parseAddress,
  rangeOf,
  unbracketed,
} from '../../base/schema/request/addresses.ts';

export interface NetworkPolicyOptions {
  /** Refuse loopback, private and unique-local addresses too. */
  blockPrivateNetwork: boolean;
  /** Let pages and requests open `file:` URLs. */
  allowFileProtocol: boolean;
  /** Addresses of this machine: the server's own ports are protected on each of them. */
  ownAddresses: () => string[];
}

/** Schemes that a request may name; all others (`chrome:`, `devtools:`, `view-source:`, `blob:` …) are refused. */
const openSchemes = new Set(['http:', 'https:', 'data:', 'about:']);

/** Never reachable: link-local ranges and the fixed addresses where clouds hand out credentials. */
const alwaysRefused = ranges([
  ['169.254.0.0/16', 'a link-local address'],
  ['fe80::/10', 'a link-local address'],
  ['fd00:ec2::254/128', 'a cloud metadata address'],
  ['fd00:ec2::23/128', 'a cloud metadata address'],
  ['fd20:ce::254/128', 'a cloud metadata address'],
  ['fd00:42::42/128', 'a cloud metadata address'],
  ['100.100.100.200/32', 'a cloud metadata address'],
  ['168.63.129.16/32', 'a cloud metadata address'],
  ['192.0.0.192/32', 'a cloud metadata address'],
]);

const loopback = ranges([
  ['127.0.0.0/8', 'a loopback address'],
  ['::1/128', 'a loopback address'],
]);

/** Not the address of a host; Linux routes connections to it to the machine itself. */
const unspecified = ranges([
  ['0.0.0.0/8', 'the unspecified address'],
  ['::/128', 'the unspecified address'],
]);
const loopbackOfIpv6 = rangeOf('::1/128');

const privateNetworks = ranges([
  ['10.0.0.0/8', 'a private address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.168.0.0/16', 'a private address'],
  ['100.64.0.0/10', 'a shared (carrier) address'],
  ['192.0.0.0/24', 'a reserved address'],
  ['198.18.0.0/15', 'a reserved address'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved address'],
  ['fc00::/7', 'a unique-local address'],
  ['fec0::/10', 'a site-local address'],
  ['ff00::/8', 'a multicast address'],
]);

export class NetworkPolicy {
  readonly #options: NetworkPolicyOptions;
  readonly #ownPorts = new Set<number>();
  /** Ports of other servers in the cluster and of Valkey, with the addresses where they listen. */
  readonly #servers = new Map<number, Map<string, Address>>();

  constructor(options: NetworkPolicyOptions) {
    this.#options = options;
  }

  /**
   * Prevents pages from reaching a port on this machine (the server's, the egress proxy's or a browser's).
   * @returns a function that undoes this
   */
  protectPort(port: number): () => void {
    this.#ownPorts.add(port);
    return () => this.#ownPorts.delete(port);
  }

  /**
   * Prevents pages from reaching another server in the cluster. A server at an address of this machine is protected on
   * all of the machine's addresses.
   * @param address an IP address; a name has no effect
   */
  protectServer(address: string, port: number): void {
    const parsed = parseAddress(address);
    const known = this.#servers.get(port) ?? new Map<string, Address>();
    this.#servers.set(port, known);
    for (const form of parsed ? formsOf(parsed) : []) known.set(form.toNormalizedString(), form);
  }

  /** True when a document or sub-resource of this URL's scheme may be loaded. */
  allowsScheme(url: URL): boolean {
    return openSchemes.has(url.protocol) || (url.protocol === 'file:' && this.#options.allowFileProtocol);
  }

  /**
   * Checks the URL of a request before any browser sees it.
   * @param field the dotted name of the field, for the message
   * @throws ServiceError `invalid-body` if the text is not an absolute URL, `forbidden-destination` for a refused URL
   */
  checkUrl(text: string, field = 'url'): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url) {
      throw new ServiceError(
        'invalid-body',
        `"${field}" must be an absolute URL such as https://example.com/, got ${JSON.stringify(redact(text).slice(0, 200))}`,
        { issues: [{ path: field, message: 'must be an absolute URL' }] },
      );
    }
    if (!this.allowsScheme(url) || (url.protocol === 'about:' && url.pathname !== 'blank')) {
      throw refusedNavigation(text, `${url.protocol} URLs cannot be opened here; use http: or https:`);
    }
    if (url.protocol === 'http:' || url.protocol === 'https:') {
      const host = unbracketed(url.hostname);
      if (parseAddress(host)) {
        const refusal = this.refusal(host, Number(url.port) || (url.protocol === 'https:' ? 443 : 80));
        if (refusal) throw refusedNavigation(text, refusal);
      }
    }
    return url;
  }

  /**
   * Returns why a connection to this address is refused, or undefined when it is allowed. Anything unparseable is
   * refused.
   */
  refusal(address: string, port: number): string | undefined {
    const parsed = parseAddress(address);
    if (!parsed) return `${address} is not an IP address`;
    for (const form of formsOf(parsed)) {
      // ::1 embeds 0.0.0.1 (RFC 4291 section 2.5.5.1), but no system routes it to 0.0.0.1.
      const always =
        find(alwaysRefused, form) ?? (isInRange(loopbackOfIpv6, parsed) ? undefined : find(unspecified, form));
      if (always) return `${address} is ${always}`;
      if (this.#ownPorts.has(port) && this.#isHere(form)) return `port ${port} belongs to this service`;
      if (this.#isServer(form, port)) return `${address} is a server of this cluster`;
      if (!this.#options.blockPrivateNetwork) continue;
      const kind = find(loopback, form) ?? find(privateNetworks, form);
      if (kind) return `${address} is ${kind} and BLOCK_PRIVATE_NETWORK is on`;
    }
    return undefined;
  }

  #isServer(address: Address, port: number): boolean {
    const known = this.#servers.get(port);
    if (known === undefined) return false;
    return (
      known.has(address.toNormalizedString()) ||
      (this.#isHere(address) && [...known.values()].some((each) => this.#isHere(each)))
    );
  }

  /** True for an address of this machine. */
  #isHere(address: Address): boolean {
    if (find(loopback, address) !== undefined || find(unspecified, address) !== undefined) return true;
    const text = address.toNormalizedString();
    return this.#options.ownAddresses().some((own) => parseAddress(own)?.toNormalizedString() === text);
  }
}

/** The error (403) for a navigation that is not allowed, with the reason. */
export function refusedNavigation(url: string, reason: string): ServiceError {
  return new ServiceError(
    'forbidden-destination',
    // Redacting megabytes would take long; no credential is nearly as long as this.
    `Navigation to "${redact(url.slice(0, 20_000)).slice(0, 200)}" is not allowed: ${reason}`,
  );
}

interface KindOfRange {
  readonly range: AddressRange;
  /** Description of its addresses, for messages. */
  readonly kind: string;
}

function ranges(entries: [cidr: string, kind: string][]): KindOfRange[] {
  return entries.map(([cidr, kind]) => ({ range: rangeOf(cidr), kind }));
}

function find(list: readonly KindOfRange[], address: Address): string | undefined {
  return list.find(({ range }) => isInRange(range, address))?.kind;
}
