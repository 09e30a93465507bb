/** Finds the base URL under which a client reaches the server; URLs in responses start with it. */
import type { Config } from '../base/config/config.ts';
import { bracketed, isAddressIn, rangeOf } from '../base/schema/request/addresses.ts';

/**
 * Returns the public base URL for a client, without a trailing slash: EXTERNAL, or else the host that the request
 * specifies, as a trusted proxy saw it, or else the URL that the server listens on.
 * @param client IP address of the client's end of the connection; undefined when there is none
 */
export type PublicBase = (headers: Headers, client: string | undefined) => string;

/** @param listensAt returns the base URL that the server listens on */
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

/** Returns the base URL of a server that listens on this host and port. */
export function listeningAddress(host: string, port: number): string {
  return `http://${usableName(bracketed(host))}:${port}`;
}

/** Returns the first item of a list header, which the proxy closest to the client has written. */
function firstOf(header: string | null): string {
  return header?.split(',', 1)[0]?.trim() ?? '';
}

/** Longest hostname with a trailing dot, a colon and a port (RFC 1035 section 2.3.4). */
const maxHostLength = 253 + 1 + 1 + 5;

/** Returns host and port as in a URL of this scheme; undefined for an invalid host, which must not be in a response. */
function usableHost(text: string, scheme: string): string | undefined {
  if (text.length > maxHostLength || !/^[\w.:[\]-]+$/.test(text)) return undefined;
  const source = `${scheme}://${text}/`;
  if (!URL.canParse(source)) return undefined;
  const { hostname, port } = new URL(source);
  return `${usableName(hostname)}${port && `:${port}`}`;
}

/** Replaces an unspecified address, to which other machines cannot connect, with `localhost`, which works locally. */
function usableName(host: string): string {
  return host === '0.0.0.0' || host === '[::]' ? 'localhost' : host;
}
