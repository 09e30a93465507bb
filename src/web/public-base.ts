/** Finds the address under which a caller knows the server: addresses in its answers begin with it. */
import type { Config } from '../base/config/config.ts';
import { bracketed, isAddressIn, rangeOf } from '../base/schema/request/addresses.ts';

/**
 * The public base address for a caller, without a slash at its end: EXTERNAL; otherwise the host that its request names,
 * as a trusted proxy saw it; otherwise the address that the server listens on.
 * @param client the client's end of the connection; undefined when there is none
 */
export type PublicBase = (headers: Headers, client: string | undefined) => string;

/** @param listensAt tells the base address that the server listens on */
export function createPublicBase(
  { EXTERNAL, TRUSTED_PROXIES }: Pick<Config, 'EXTERNAL' | 'TRUSTED_PROXIES'>,
  listensAt: () => string,
): PublicBase {
  const external = EXTERNAL?.replace(/(?<!\/)\/+$/, '');
  const trusted = TRUSTED_PROXIES.map(rangeOf);
  return (headers, client) => {
    if (external !== undefined) return external;
    const byProxy = client !== undefined && isAddressIn(client, trusted);
    const isSecure = byProxy && /^(?:https|wss)$/i.test(firstOf(headers.get('x-forwarded-proto')));
    const scheme = isSecure ? 'https' : 'http';
    const forwarded = byProxy ? usableHost(firstOf(headers.get('x-forwarded-host')), scheme) : undefined;
    const host = forwarded ?? usableHost(headers.get('host') ?? '', scheme);
    return host === undefined ? listensAt() : `${scheme}://${host}`;
  };
}

/** The base address of a server that listens on this host and port. */
export function listeningAddress(host: string, port: number): string {
  return `http://${usableName(bracketed(host))}:${port}`;
}

/** The first of a list, as the proxy next to the client has written it. */
function firstOf(header: string | null): string {
  return header?.split(',', 1)[0]?.trim() ?? '';
}

/** Longest name of a host, a final dot, a colon and a port (RFC 1035 section 2.3.4). */
const maxHostLength = 253 + 1 + 1 + 5;

/** Host and port as a URL of this scheme writes them; undefined for what is no host: it must not get into an answer. */
function usableHost(text: string, scheme: string): string | undefined {
  if (text.length > maxHostLength || !/^[\w.:[\]-]+$/.test(text)) return undefined;
  const source = `${scheme}://${text}/`;
  if (!URL.canParse(source)) return undefined;
  const { hostname, port } = new URL(source);
  return `${usableName(hostname)}${port && `:${port}`}`;
}

/** Nobody can connect to an unspecified address from another machine; `localhost` is right on this one. */
function usableName(host: string): string {
  return host === '0.0.0.0' || host === '[::]' ? 'localhost' : host;
}
