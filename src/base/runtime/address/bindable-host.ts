/** Resolves the address that a server listens on. */
import { lookup } from 'node:dns/promises';

/** A system without /etc/hosts cannot resolve `localhost`; the name still means loopback (RFC 6761 section 6.3). */
export async function bindableHost(host: string): Promise<string> {
  if (host !== 'localhost') return host;
  return lookup(host).then(
    () => host,
    () => '127.0.0.1',
  );
}
