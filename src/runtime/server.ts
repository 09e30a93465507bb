/** The HTTP server: web `Request` in, web `Response` out, whose signal aborts when the client leaves. */
import { createAdaptorServer } from '@hono/node-server';
import { createHash, timingSafeEqual } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { Server } from 'node:http';
import { handleUpgrades, type UpgradeHandler } from './upgrade.ts';

export interface HttpServer {
  /** The port that is listened on (the system's choice when 0 was asked for). */
  port: number;
  /** Stops accepting, ends idle connections at once and the others when their answer is out. */
  stopAccepting(): Promise<void>;
  /** Cuts whatever is still open. */
  cutConnections(): void;
}

/** Longest time to send the headers, and the whole of a request, in milliseconds: slow senders must not hold sockets. */
const headersLimitMs = 20_000;
const requestLimitMs = 120_000;

/** @throws the system's error when the address is taken or may not be bound */
export async function listen(options: {
  host: string;
  port: number;
  /** @param address the other end of the connection */
  fetch: (request: Request, address: string | undefined) => Response | Promise<Response>;
  upgrade: UpgradeHandler;
}): Promise<HttpServer> {
  const server = createAdaptorServer({
    fetch: (request, { incoming }) => options.fetch(request, incoming.socket.remoteAddress),
    // For HTTP/1.0 requests, which may name no host.
    hostname: 'localhost',
  });
  if (!(server instanceof Server)) throw new Error('the adapter made no HTTP/1 server');
  handleUpgrades(server, options.upgrade);
  server.headersTimeout = headersLimitMs;
  server.requestTimeout = requestLimitMs;
  const host = await bindableHost(options.host);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    stopAccepting: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    cutConnections: () => server.closeAllConnections(),
  };
}

/** A system without /etc/hosts does not know `localhost`; the name means loopback all the same (RFC 6761 section 6.3). */
async function bindableHost(host: string): Promise<string> {
  if (host !== 'localhost') return host;
  return lookup(host).then(
    () => host,
    () => '127.0.0.1',
  );
}

/** Compares two texts in a time that tells nothing about where they differ, nor about their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
