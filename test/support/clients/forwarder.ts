// Forwards TCP connections from a port of its own, as a mapped port of a container does.
import { connect, createServer, type Socket } from 'node:net';

export interface Forwarder {
  port: number;
  /** How many connections have come so far. */
  count(): number;
  /** Ends every connection that is open. */
  cut(): void;
  close(): Promise<void>;
}

/** Forwards a free port of every local address to a port of 127.0.0.1. */
export async function startForwarder(to: number): Promise<Forwarder> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
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
      one.pipe(other);
    }
  });
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
