/** Checks whether a server can listen at an address. */
import { createServer } from 'node:net';
import { lookup } from 'node:dns/promises';

/** Listens at an address for a moment. @throws the system error when the address is taken or cannot be bound */
export async function tryListening(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

/**
 * Returns a host that can be bound: a system without /etc/hosts cannot resolve `localhost`, which still means loopback
 * (RFC 6761 section 6.3).
 */
export async function bindableHost(host: string): Promise<string> {
  if (host !== 'localhost') return host;
  return lookup(host).then(
    () => host,
    () => '127.0.0.1',
  );
}
