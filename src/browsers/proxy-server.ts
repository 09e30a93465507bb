/** A caller's own proxy (`--proxy-server`): it takes the egress proxy's place, so its address is checked here. */
import { ServiceError } from '../errors.ts';
import { addressesOf } from './egress.ts';
import { valuesOf } from './flags.ts';
import type { NetworkPolicy } from './network-policy.ts';

const schemes = new Set(['http:', 'https:', 'socks:', 'socks4:', 'socks5:', 'quic:']);
const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 };

/**
 * Checks every proxy that a caller's arguments name.
 * @throws ServiceError `invalid-launch` for what is no proxy, `forbidden-destination` for an address that is refused
 */
export async function checkProxyServers(args: readonly string[], policy: NetworkPolicy): Promise<void> {
  for (const value of valuesOf('--proxy-server', args)) {
    // Chromium's forms: `host:port`, `scheme://host:port`, `http=host:port;https=host:port`, lists with commas.
    for (const entry of value.split(/[;,]/)) await checkOne(entry.replace(/^\s*\w+=/, '').trim(), policy);
  }
}

async function checkOne(entry: string, policy: NetworkPolicy): Promise<void> {
  const text = entry.includes('://') ? entry : `http://${entry}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !schemes.has(url.protocol) || url.hostname === '') {
    throw new ServiceError(
      'invalid-launch',
      `--proxy-server must name a proxy such as http://host:8080 or socks5://host:1080. ` +
        'Connections without a proxy are made by the server itself: leave the argument out for them.',
      { issues: [{ path: 'launch.args', message: '--proxy-server must name a proxy' }] },
    );
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (defaultPorts[url.protocol] ?? 1080);
  const addresses = await addressesOf(host).catch(() => []);
  const refusal = addresses.map((address) => policy.refusal(address, port)).find((reason) => reason !== undefined);
  if (refusal !== undefined) {
    throw new ServiceError('forbidden-destination', `The proxy of --proxy-server is not allowed: ${refusal}.`);
  }
}
