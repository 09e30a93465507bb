/**
 * Forwards a browser's traffic to an HTTP proxy with username and password, which would otherwise be visible on
 * Chromium's command line: plain requests are forwarded, everything else is tunneled (CONNECT).
 *
 *   browser ──HTTP──▶ here (proxy-chain) ──HTTP or HTTPS with credentials──▶ upstream ──▶ site
 */
import { RequestError, Server } from 'proxy-chain';
import { hideFromOthers, isOwnPeer } from '../../../base/runtime/address/peer-process.ts';
import { keepConnections, pinnedLookup, type Socket } from '../../../base/runtime/tcp.ts';
import { unbracketed } from '../../../base/schema/request/addresses.ts';
import type { Forwarder, Upstream } from './forwarder.ts';

/**
 * Reports failed plain requests; proxy-chain itself reports failed tunnels only. Where the URL of the upstream proxy has
 * no credentials, asks the browser for those that the proxy requires.
 */
class ReportingServer extends Server {
  onFailure: ((target: string, status: number) => void) | undefined;
  /** Whether the URL of the upstream proxy has no credentials. */
  asksBrowser = () => false;

  override failRequest(...args: Parameters<Server['failRequest']>): void {
    const [request, error] = args;
    const status = error instanceof RequestError ? error.statusCode : 500;
    if (status !== refusedStatus) this.onFailure?.(request.url ?? '', status);
    if (status !== credentialsStatus) return super.failRequest(...args);
    return super.failRequest(request, new RequestError(error.message, this.asksBrowser() ? 407 : 502));
  }

  override onConnect(...args: Parameters<Server['onConnect']>): Promise<void> {
    const [, socket] = args;
    const end = socket.end.bind(socket);
    // proxy-chain has no other hook between the response of the upstream proxy and its own.
    socket.end = (text?: unknown) => {
      const isRejected = typeof text === 'string' && text.startsWith(`HTTP/1.1 ${credentialsStatus} `);
      if (isRejected) return end(this.asksBrowser() ? tunnelChallenge : rejectedTunnel);
      return typeof text === 'string' ? end(text) : end();
    };
    return super.onConnect(...args);
  }
}

const emptyEnd = ['Connection: close', 'Content-Length: 0', '\r\n'].join('\r\n');
/** The browser repeats CONNECT on a new connection when it knows the credentials. */
const tunnelChallenge = `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\n${emptyEnd}`;
const rejectedTunnel = `HTTP/1.1 502 Bad Gateway\r\n${emptyEnd}`;

/** Status sent to the browser when the network policy refuses the target. */
const refusedStatus = 403;
/** proxy-chain's own status for a proxy that rejects the credentials. */
const credentialsStatus = 597;

export async function startHttpForwarder(upstream: Upstream): Promise<Forwarder> {
  const connections = keepConnections();
  const lookup = pinnedLookup(upstream.address);
  const server = new ReportingServer({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: async ({ hostname, port, request, username, password }) => {
      if (!(await isOwnPeer(request.socket))) {
        request.socket.destroy();
        throw new RequestError("Only this server's browsers may use this proxy.", refusedStatus);
      }
      const host = unbracketed(hostname);
      const route = await upstream.routeTo(host, port);
      // proxy-chain would continue for a browser that has disconnected in the meantime.
      if (request.socket.destroyed) throw new RequestError('The browser has disconnected.', refusedStatus);
      if (route === 'refused') throw new RequestError('The server does not allow this address.', refusedStatus);
      // socks5h: the egress resolves the name, as it does for pages without a proxy.
      if (route === 'direct') return { upstreamProxyUrl: `socks5h://127.0.0.1:${upstream.direct.port}` };
      upstream.succeeded(host, port);
      return {
        upstreamProxyUrl: withCredentials(upstream.url(), username, password).href,
        dnsLookup: lookup,
        httpAgent: connections.http,
        httpsAgent: connections.https,
        customTag: { host, port },
      };
    },
  });
  const credentialsReason = (status: number) =>
    server.asksBrowser()
      ? `it requires a username and a password (${status}): add them to its URL`
      : `it rejected the username or password (${status})`;
  server.asksBrowser = () => !hasCredentials(upstream.url());
  server.onFailure = (target, status) => {
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (!url) return;
    const reason = status === credentialsStatus ? credentialsReason(407) : 'the connection to it failed';
    upstream.failed(url.hostname, Number(url.port) || 80, reason);
  };
  server.on('tunnelConnectFailed', ({ response, customTag }: TunnelFailure) => {
    const { statusCode } = response;
    const reason =
      statusCode === 407 || statusCode === 401
        ? credentialsReason(statusCode)
        : `it responded with ${statusCode} instead of connecting to the site`;
    upstream.failed(customTag.host, customTag.port, reason);
  });
  const tunnels = new Map<number, Socket>();
  server.on('tunnelConnectResponded', ({ proxyChainId, socket }: { proxyChainId: number; socket: Socket }) => {
    tunnels.set(proxyChainId, socket);
  });
  let closedBytes = 0;
  server.on('connectionClosed', ({ connectionId, stats }: { connectionId: number; stats: Stats }) => {
    closedBytes += bytesOf(stats);
    // proxy-chain closes only its half: a site that does not close the other half would keep the tunnel open forever.
    tunnels.get(connectionId)?.destroy();
    tunnels.delete(connectionId);
  });
  hideFromOthers(server.server);
  await server.listen();
  return {
    port: server.port,
    server: `http://127.0.0.1:${server.port}`,
    bytes: () =>
      server.getConnectionIds().reduce((sum, id) => sum + bytesOf(server.getConnectionStats(id)), closedBytes),
    close: async () => {
      await server.close(true);
      connections.close();
    },
  };
}

const hasCredentials = ({ username, password }: URL) => username !== '' || password !== '';

/** Returns the URL with the credentials that the browser has sent, if it has none itself. */
function withCredentials(url: URL, username: string, password: string): URL {
  if (hasCredentials(url)) return url;
  const own = new URL(url);
  own.username = encodeURIComponent(username);
  own.password = encodeURIComponent(password);
  return own;
}

interface TunnelFailure {
  response: { statusCode: number };
  customTag: { host: string; port: number };
}

type Stats = ReturnType<Server['getConnectionStats']>;

/** Bytes sent to and received from the upstream proxy; 0 for a connection that never reached it. */
function bytesOf(stats: Stats): number {
  return (stats?.trgTxBytes ?? 0) + (stats?.trgRxBytes ?? 0);
}
