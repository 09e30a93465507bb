/** Plain TCP for the egress proxy: listen on loopback, connect to one checked address, look names up, join streams. */
import { lookup } from 'node:dns/promises';
import { connect, createServer, isIP, type Socket } from 'node:net';

export type { Socket } from 'node:net';
export { isIP };

export interface TcpListener {
  port: number;
  close(): Promise<void>;
  /** Connections that are open now. */
  count(): number;
}

/** Listens on a loopback port chosen by the system. */
export async function listenOnLoopback(onConnection: (socket: Socket) => void): Promise<TcpListener> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the loopback listener has no port');
  return {
    port: address.port,
    count: () => open.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** All addresses of a name, in the system's order. Rejects with the resolver's error code. */
export async function resolveName(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map((entry) => entry.address);
}

/** Connects to one address. Rejects with the system's error code (`ECONNREFUSED`, `ETIMEDOUT`, …). */
export function connectTo(address: string, port: number, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true });
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}

/** Copies both ways until either side ends; an error on one side ends the other. */
export function joinSockets(left: Socket, right: Socket): void {
  left.pipe(right);
  right.pipe(left);
  left.on('error', () => right.destroy());
  right.on('error', () => left.destroy());
  left.once('close', () => right.destroy());
  right.once('close', () => left.destroy());
}
