// Forwards TCP connections from its own port, as a container's mapped port does, or as a proxy that terminates TLS.
import { readFileSync } from 'node:fs';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

export interface Forwarder {
  port: number;
  /** Number of connections so far. */
  count(): number;
  /** Closes every open connection. */
  cut(): void;
  close(): Promise<void>;
}

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name));

/** The certificate of forwarders that terminate TLS, for `localhost`. */
export const certificate = fixture('localhost-cert.pem');

/**
 * Forwards a free port of every local address to a port of 127.0.0.1.
 * @param tls `ends`: clients speak TLS, and the first request of each connection says so in X-Forwarded-Proto
 */
export async function startForwarder(to: number, { tls }: { tls?: 'ends' } = {}): Promise<Forwarder> {
  const open = new Set<Socket>();
  let count = 0;
  const forward = (client: Socket) => {
    count++;
    const target = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    target.pipe(client);
    if (tls === undefined) return void client.pipe(target);
    client.once('data', (head: Buffer) => {
      target.write(head.toString('latin1').replace('\r\n', '\r\nX-Forwarded-Proto: https\r\n'), 'latin1');
      client.pipe(target);
    });
  };
  const server =
    tls === undefined
      ? createTcpServer(forward)
      : createTlsServer({ key: fixture('localhost-key.pem'), cert: certificate }, forward);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the forwarder has no port');
  const cut = () => open.forEach((socket) => socket.destroy());
  return {
    port: address.port,
    count: () => count,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
