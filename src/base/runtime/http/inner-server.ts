/** Serves HTTP on a loopback port that the system chooses, only to connections from this process. */
import { createAdaptorServer } from '@hono/node-server';
import { Server } from 'node:http';
import { listen } from '../address/listen-address.ts';
import { hideFromOthers, isOwnPeer } from '../address/peer-process.ts';

export interface InnerServer {
  readonly port: number;
  /** Cuts every connection. */
  close(): Promise<void>;
}

/** Time limits for the headers and for a whole request, in milliseconds. */
const headersLimitMs = 5_000;
const requestLimitMs = 10_000;

export async function listenInternally(fetch: (request: Request) => Promise<Response>): Promise<InnerServer> {
  const server = createAdaptorServer({
    fetch: async (request, { incoming }) => {
      if (await isOwnPeer(incoming.socket)) return fetch(request);
      incoming.socket.destroy();
      return new Response(null, { status: 403 });
    },
    hostname: 'localhost',
  });
  if (!(server instanceof Server)) throw new Error('the adapter made no HTTP/1 server');
  server.headersTimeout = headersLimitMs;
  server.requestTimeout = requestLimitMs;
  // No page here accepts WebSockets: respond to such a request like any other.
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n'));
  hideFromOthers(server);
  const port = await listen(server, '127.0.0.1', 0);
  server.unref();
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
