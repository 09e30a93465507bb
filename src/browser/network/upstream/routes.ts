/**
 * Routes the connections of one browser through proxies by destination host, and all others through the egress. The
 * browser makes its requests itself: unlike with a request made by the server, the TLS fingerprint is that of the
 * browser.
 *
 *   browser ──SOCKS5──▶ here ──▶ the proxy of the first matching route, otherwise the egress
 */
import { connectTo, type Socket } from '../../../base/runtime/tcp.ts';
import { bracketed } from '../../../base/schema/request/addresses.ts';
import type { Egress } from '../egress.ts';
import type { NetworkPolicy } from '../policy.ts';
import { type Dial, listenForSocks, reply } from '../socks-server.ts';
import { upstreamLimitMs } from './forwarder.ts';

interface Route {
  matches(host: string, port: number): boolean;
  /** URL of a ProxyLease: `http://127.0.0.1:port` or `socks5://127.0.0.1:port`. */
  proxyServer: string;
}

export interface Routes extends AsyncDisposable {
  /** For the browser: `socks5://127.0.0.1:port`. */
  readonly server: string;
  /**
   * Routes matching connections this way from now on, unless an earlier route matches too.
   * @returns a function that removes the route
   */
  add(route: Route): () => void;
}

/** Maximum size of the response head to CONNECT, in bytes. */
const maxHeadBytes = 16_384;

export async function startRoutes(policy: NetworkPolicy, egress: Pick<Egress, 'dial'>): Promise<Routes> {
  const routes: Route[] = [];
  const dial: Dial = async (host, port, client) => {
    const route = routes.find((each) => each.matches(host, port));
    if (!route) return egress.dial(host, port);
    const { isOwnPeer } = await import('../../../base/runtime/address/peer-process.ts');
    // The proxy behind a route has a password and is reserved for browsers on this server.
    return (await isOwnPeer(client)) ? dialThrough(new URL(route.proxyServer), host, port) : reply.notAllowed;
  };
  const listener = await listenForSocks(dial);
  const unprotect = policy.protectPort(listener.port);
  return {
    server: `socks5://127.0.0.1:${listener.port}`,
    add(route) {
      routes.push(route);
      return () => {
        const place = routes.indexOf(route);
        if (place >= 0) routes.splice(place, 1);
      };
    },
    async [Symbol.asyncDispose]() {
      unprotect();
      await listener.close();
    },
  };
}

/** Connects through one of the server's own proxies, which checks the target. */
async function dialThrough(proxy: URL, host: string, port: number): Promise<Socket | number> {
  const proxyPort = Number(proxy.port);
  let socket: Socket | undefined;
  try {
    socket = await connectTo(proxy.hostname, proxyPort, upstreamLimitMs);
    if (proxy.protocol === 'http:') return (await connected(socket, host, port)) ? socket : refused(socket);
    // Loads the library only for the first such proxy.
    const { connectThroughSocks } = await import('./connect-through-socks.ts');
    await connectThroughSocks(socket, proxy, { host, port });
    return socket;
  } catch {
    // The proxy has already logged the reason.
    return refused(socket);
  }
}

function refused(socket: Socket | undefined): number {
  socket?.destroy();
  return reply.failure;
}

/**
 * Asks an HTTP proxy for a tunnel (RFC 9110, section 9.3.6). @returns false when the proxy does not open one in time
 */
function connected(socket: Socket, host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let head = new Uint8Array();
  const settle = (given: boolean) => {
    socket.off('data', read);
    socket.off('close', fail);
    socket.setTimeout(0);
    resolve(given);
  };
  const fail = () => settle(false);
  const read = (chunk: Uint8Array) => {
    head = Uint8Array.of(...head, ...chunk);
    const text = new TextDecoder('latin1').decode(head);
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return head.length > maxHeadBytes ? fail() : undefined;
    socket.pause();
    settle(/^HTTP\/1\.[01] 200\b/.test(text));
    // The remaining bytes belong to the tunnel.
    if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
    return undefined;
  };
  socket.on('data', read);
  socket.once('close', fail);
  socket.setTimeout(upstreamLimitMs, fail);
  const target = `${bracketed(host)}:${port}`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  return promise;
}
