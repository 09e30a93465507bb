/**
 * Provides plain TCP: listens on loopback, connects to one checked address, joins sockets. Also connects to Unix
 * sockets.
 */
import type { lookup as lookupOfCallbacks } from 'node:dns';
import { once } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, createServer, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen } from './address/listen-address.ts';

export type { Socket } from 'node:net';

export interface TcpListener {
  port: number;
  close(): Promise<void>;
  /** Number of open connections. */
  count(): number;
}

/**
 * Listens on a loopback port chosen by the system.
 * @param ownOnly closes connections from other users and other servers on the machine without a response, where the
 *   system can identify the peer; see peer-process.ts for the cost
 */
export async function listenOnLoopback(onConnection: (socket: Socket) => void, ownOnly: boolean): Promise<TcpListener> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  if (ownOnly) (await import('./address/peer-process.ts')).hideFromOthers(server);
  const port = await listen(server, '127.0.0.1', 0);
  server.unref();
  return {
    port,
    count: () => open.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** For errors of a connected socket: those who use it see that it closes. */
const ignore = () => {};

/**
 * Connects to a Unix socket; a path that starts with a NUL is a Linux abstract socket. Rejects with the system error.
 */
export async function connectToPath(path: string): Promise<Socket> {
  const socket = connect(path).on('error', ignore);
  await once(socket, 'connect');
  return socket;
}

/** Connects to one address. Rejects with the system error code (`ECONNREFUSED`, `ETIMEDOUT`, …). */
export async function connectTo(address: string, port: number, timeoutMs: number): Promise<Socket> {
  const socket = connect({ host: address, port, noDelay: true }).on('error', ignore);
  const timedOut = () => socket.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(timedOut, timeoutMs);
  try {
    await once(socket, 'connect');
    return socket;
  } finally {
    clearTimeout(timer);
  }
}

/** Copies data in both directions until either side ends; an error on one side ends the other. */
export function joinSockets(left: Socket, right: Socket): void {
  left.pipe(right);
  right.pipe(left);
  left.on('error', () => right.destroy());
  right.on('error', () => left.destroy());
  left.once('close', () => right.destroy());
  right.once('close', () => left.destroy());
}

export interface KeptConnections {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  close(): void;
}

/** Keeps connections to a proxy open for reuse by one request. `close` also cuts those in use. */
export function keepConnections(): KeptConnections {
  const open = new Set<Duplex>();
  let closed = false;
  // Destroying an agent is not enough: it no longer tracks tunnels, and serves later requests.
  const watched = <T extends Duplex | null | undefined>(socket: T): T => {
    if (!socket) return socket;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (closed) socket.destroy();
    return socket;
  };
  class WatchedHttpAgent extends HttpAgent {
    override createConnection(...args: Parameters<HttpAgent['createConnection']>) {
      return watched(super.createConnection(...args));
    }
  }
  class WatchedHttpsAgent extends HttpsAgent {
    override createConnection(...args: Parameters<HttpsAgent['createConnection']>) {
      return watched(super.createConnection(...args));
    }
  }
  const kept = { http: new WatchedHttpAgent({ keepAlive: true }), https: new WatchedHttpsAgent({ keepAlive: true }) };
  return {
    ...kept,
    close: () => {
      closed = true;
      kept.http.destroy();
      kept.https.destroy();
      for (const socket of open) socket.destroy();
    },
  };
}

/** A lookup function (as in node:dns) that resolves every name to one address. */
export function pinnedLookup(address: string): typeof lookupOfCallbacks {
  const found = { address, family: isIP(address) };
  const answer = (
    _host: string,
    options: { all?: boolean },
    callback: (error: null, address: string | (typeof found)[], family?: number) => void,
  ) => (options.all === true ? callback(null, [found]) : callback(null, address, found.family));
  // The overloads of node:dns cannot be written as one function; sockets call it only in the form above.
  return answer as unknown as typeof lookupOfCallbacks;
}
