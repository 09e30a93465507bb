/** Listens at an address, or checks whether a server can. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Starts to listen. @returns the port @throws the system error when the address is taken or cannot be bound */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  // A connection that cannot be accepted, for example for lack of file descriptors, does not end the server.
  server.on('error', () => {});
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Listens at an address for a moment. @throws the system error when the address is taken or cannot be bound */
export async function tryListening(host: string, port: number): Promise<void> {
  const server = createServer();
  await listen(server, host, port);
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
