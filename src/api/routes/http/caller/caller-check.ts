/**
 * Refuses clients before any route is matched: by the address that a request comes from, the hostname that it was sent
 * to, and the page that sent it. A developer's browser is inside the network that a server without a token trusts, and
 * runs untrusted pages: any of them could send requests to the server and open sockets.
 */
import type { Accounts } from '../../../../control/accounts/accounts.ts';
import type { Config } from '../../../../base/config/config.ts';
import { ServiceError } from '../../../../base/errors.ts';
import { type LinearPattern, linearPattern } from '../../../../base/runtime/regexp/linear-regexp.ts';
import {
  isInternalName,
  isPrivateAddress,
  parseAddress,
  rangeOf,
  unbracketed,
} from '../../../../base/schema/request/addresses.ts';
import { bearerOf } from '../auth.ts';
import { namedOrigins } from './cors.ts';

/**
 * Returns why a request is refused; undefined if it is not.
 * @param address the client's end of the connection; undefined when there is none
 * @param changes whether a GET of this URL changes something, or opens a socket
 */
type CallerCheck = (request: Request, address: string | undefined, changes: boolean) => ServiceError | undefined;

export function createCallerCheck(config: Config, accounts: Accounts): CallerCheck {
  const { EXTERNAL, HOST, ALLOWED_HOSTS, ALLOWED_CLIENTS } = config;
  const external = EXTERNAL === undefined ? undefined : new URL(EXTERNAL);
  const clients = ALLOWED_CLIENTS.map(rangeOf);
  const hosts = [...ALLOWED_HOSTS, HOST, ...(external ? [external.hostname] : [])].map(hostPattern);
  const fromCors = namedOrigins(config);

  return ({ headers, method, url }, address, changes) => {
    if (!accounts.requiresToken) {
      const foreign = [address, ...forwardedFor(headers)].find(
        (each) => each !== undefined && !isPrivateAddress(each, clients),
      );
      if (foreign !== undefined) return foreignAddress(foreign);
    } else if (!hasAmbientCredentials(headers) || accounts.accepts(bearerOf(headers, new URL(url).searchParams))) {
      // A route that needs a token refuses requests without a valid one; the other routes are open to everybody.
      return undefined;
    }
    // Browsers store Basic passwords per hostname: with tokens, the hostname needs no further check.
    const host = headers.get('host');
    if (!accounts.requiresToken && host !== null && !isOwnHost(host)) return foreignHost(host);
    const origin = headers.get('origin');
    if (origin !== null)
      return isOwnOrigin(origin, host, EXTERNAL) || fromCors(origin) ? undefined : foreignOrigin(origin);
    const site = headers.get('sec-fetch-site');
    const reads = ['GET', 'HEAD', 'OPTIONS'].includes(method) && !changes;
    return reads || (site !== 'cross-site' && site !== 'same-site') ? undefined : foreignPage();
  };

  function isOwnHost(host: string): boolean {
    const name = hostNameOf(host);
    if (name === undefined) return false;
    return parseAddress(name) !== undefined || isInternalName(name) || hosts.some((pattern) => pattern.test(name));
  }
}

/** True if a browser may have added the credentials automatically: Basic credentials on a request that a page made. */
function hasAmbientCredentials(headers: Headers): boolean {
  const basic = /^basic\b/i.test(headers.get('authorization') ?? '');
  return basic && (headers.has('origin') || headers.has('sec-fetch-site'));
}

/** The addresses in X-Forwarded-For, without ports. */
function forwardedFor(headers: Headers): string[] {
  const text = headers.get('x-forwarded-for');
  if (text === null || text.trim() === '') return [];
  return text.split(',').map((each) => {
    const [, host] = /^(\[.+\]|[\d.]+):\d+$/.exec(each.trim()) ?? [];
    return unbracketed(host ?? each.trim());
  });
}

/** The name or address in a Host header, without port, brackets and final dot; undefined for an invalid header. */
function hostNameOf(host: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}/`)) return undefined;
  return unbracketed(new URL(`http://${host}/`).hostname).replace(/\.$/, '');
}

/** A glob of ALLOWED_HOSTS: `*` matches any number of characters. */
function hostPattern(glob: string): LinearPattern {
  const wanted = glob.toLowerCase();
  // Most are plain names: RE2 would take a tenth of the startup time.
  if (!wanted.includes('*')) return { test: (name) => name === wanted };
  const pattern = linearPattern(`^${wanted.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);
  return pattern ?? { test: () => false };
}

const shown = (text: string) => JSON.stringify(text.slice(0, 100));

function foreignAddress(address: string): ServiceError {
  return new ServiceError(
    'unauthorized',
    `This server has no TOKEN and serves only clients in private networks, not ${shown(address)}. Set TOKEN, or add the address to ALLOWED_CLIENTS.`,
  );
}

function foreignHost(host: string): ServiceError {
  return new ServiceError(
    'forbidden-caller',
    `This server has no TOKEN and does not accept the hostname ${shown(host)}, which may belong to another site. Add it to ALLOWED_HOSTS, set EXTERNAL to the public URL, or set TOKEN.`,
  );
}

function foreignOrigin(origin: string): ServiceError {
  return new ServiceError(
    'forbidden-caller',
    `Pages from ${shown(origin)} cannot use this server without a token. Send the token as ?token= or Authorization: Bearer, or allow the origin with CORS=true and CORS_ALLOW_ORIGIN (* is not enough).`,
  );
}

function foreignPage(): ServiceError {
  return new ServiceError(
    'forbidden-caller',
    'Pages from other sites cannot change anything here without a token (Sec-Fetch-Site). Send the token as ?token= or Authorization: Bearer.',
  );
}

/**
 * True if the host and port of the origin are those of the request or of the server's public URL. Ignores the scheme,
 * because TLS may end at a proxy.
 * @param host the Host header of the request
 * @param external EXTERNAL; undefined when it is not set
 */
export function isOwnOrigin(origin: string, host: string | null, external: string | undefined): boolean {
  const page = URL.canParse(origin) ? new URL(origin) : undefined;
  if (!page || !/^https?:$/.test(page.protocol)) return false;
  if (external !== undefined && page.host === new URL(external).host) return true;
  const port = page.port || (page.protocol === 'https:' ? '443' : '80');
  const own = host?.toLowerCase();
  return own === page.host || own === `${page.hostname}:${port}`;
}
