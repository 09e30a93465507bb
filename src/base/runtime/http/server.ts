/**
 * Runs the HTTP server: web `Request` in, web `Response` out. The request's signal aborts when the client disconnects.
 */
import { createAdaptorServer } from '@hono/node-server';
import { createHash, timingSafeEqual } from 'node:crypto';
import { IncomingMessage, Server, ServerResponse } from 'node:http';
import { bindableHost, listen as listenAt } from '../address/listen-address.ts';
import { hostOf } from './host-header.ts';
import { limitConnections } from './idle-connections.ts';
import { type Outlet, Outlets, type OutletLimits } from './outlets.ts';
import { answerParserErrors, hostRefusal } from './parser-errors.ts';
import type { SocketLimits } from './text-socket.ts';
import { handleUpgrades, isWebSocket, type UpgradeHandler } from './upgrade.ts';

export interface HttpServer {
  /** The port that the server listens on (the system's choice when the option is 0). */
  port: number;
  /** Stops keeping connections open for further requests. */
  disableKeepAlive(): void;
  /** Stops accepting, closes idle connections immediately and the others after their response. */
  stopAccepting(): Promise<void>;
  /** Cuts all open connections. */
  cutConnections(): void;
}

/** Time limits for the headers and for the whole request, in milliseconds: slow senders must not hold sockets. */
const headersLimitMs = 20_000;
const requestLimitMs = 120_000;
/** How often these limits are checked, in milliseconds. */
const checkEveryMs = 2_000;
/**
 * How long an idle connection is kept open, in milliseconds. Load balancers keep theirs for 60 s: this server must not
 * close first, because that would cut a request that is on its way.
 */
const keptMs = 65_000;

/** @throws the system error when the address is taken or cannot be bound */
export async function listen(options: {
  host: string;
  port: number;
  /**
   * @param address the client's IP address
   * @param outlet tracks how the response reaches the client
   */
  fetch: (request: Request, address: string | undefined, outlet: Outlet) => Response | Promise<Response>;
  upgrade: UpgradeHandler;
  limits: OutletLimits & SocketLimits;
}): Promise<HttpServer> {
  const outlets = new Outlets(options.limits);
  let keepsConnections = true;
  const server = createAdaptorServer({
    fetch: (request, { incoming, outgoing }) => {
      // HTTP/2 is not served.
      if (!(incoming instanceof IncomingMessage && outgoing instanceof ServerResponse)) throw new Error('no HTTP/1');
      const address = incoming.socket.remoteAddress;
      const asksToStay = outgoing.shouldKeepAlive;
      return outlets.answer(incoming, outgoing, async (outlet) => {
        const response = await (hostRefusal(incoming) ?? options.fetch(request, address, outlet));
        const isLast = () => !keepsConnections || !asksToStay;
        if (incoming.complete || incoming.httpVersionMinor === 0) outgoing.shouldKeepAlive &&= !isLast();
        else {
          // Closing while the client is still sending could cost it the response (RFC 9112 section 9.6).
          outgoing.shouldKeepAlive = true;
          outgoing.once('finish', () => discardRest(incoming, isLast));
        }
        return response;
      });
    },
    // For HTTP/1.0 requests, which may lack a Host header.
    hostname: 'localhost',
    serverOptions: {
      shouldUpgradeCallback: isWebSocket,
      connectionsCheckingInterval: checkEveryMs,
      requireHostHeader: false,
    },
    // Otherwise the adapter would cut an upload half a second after its response.
    autoCleanupIncoming: false,
  });
  if (!(server instanceof Server)) throw new Error('the adapter made no HTTP/1 server');
  limitConnections(server);
  answerParserErrors(server);
  handleUpgrades(server, options);
  // For a Host that a URL would spell differently, the adapter returns an empty 400, or fails later.
  server.prependListener('request', (incoming: IncomingMessage) => {
    const { headers } = incoming;
    if (headers.host) headers.host = hostOf(headers.host);
    // OPTIONS * asks about the whole server (RFC 9112 section 3.2.4); the adapter has no URL for it.
    if (incoming.url === '*') incoming.url = '/';
  });
  server.headersTimeout = headersLimitMs;
  server.requestTimeout = requestLimitMs;
  server.keepAliveTimeout = keptMs;
  const port = await listenAt(server, await bindableHost(options.host), options.port);
  return {
    port,
    disableKeepAlive: () => (keepsConnections = false),
    stopAccepting: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    cutConnections: () => server.closeAllConnections(),
  };
}

/**
 * Discards what the client still sends after the response, until `requestLimitMs` ends it.
 * @param isLast whether the connection closes afterward
 */
function discardRest(incoming: IncomingMessage, isLast: () => boolean): void {
  const { socket } = incoming;
  const end = () => isLast() && socket.destroySoon();
  if (incoming.complete) end();
  else incoming.once('end', end);
  // A reader that has stopped halfway would pause the stream.
  incoming.removeAllListeners('data');
  incoming.resume();
}

/** Compares two strings in constant time, which reveals neither where they differ nor their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
