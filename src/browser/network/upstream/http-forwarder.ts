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

/** Reports failed plain requests; proxy-chain itself reports failed tunnels only. */
class ReportingServer extends Server {
  onFailure: ((target: string, status: number) => void) | undefined;

  override failRequest(...args: Parameters<Server['failRequest']>): void {
    const [request, error] = args;
    const status = error instanceof RequestError ? error.statusCode : 500;
    if (status !== refusedStatus) this.onFailure?.(request.url ?? '', status);
    super.failRequest(...args);
  }
}

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
    prepareRequestFunction: async ({ hostname, port, request }) => {
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
        upstreamProxyUrl: upstream.url().href,
        dnsLookup: lookup,
        httpAgent: connections.http,
        httpsAgent: connections.https,
        customTag: { host, port },
      };
    },
  });
  server.onFailure = (target, status) => {
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (!url) return;
    const reason = status === credentialsStatus ? badCredentials(407) : 'the connection to it failed';
    upstream.failed(url.hostname, Number(url.port) || 80, reason);
  };
  server.on('tunnelConnectFailed', ({ response, customTag }: TunnelFailure) => {
    const { statusCode } = response;
    const reason =
      statusCode === 407 || statusCode === 401
        ? badCredentials(statusCode)
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

interface TunnelFailure {
  response: { statusCode: number };
  customTag: { host: string; port: number };
}

type Stats = ReturnType<Server['getConnectionStats']>;

function badCredentials(status: number): string {
  return `it rejected the username or password (${status})`;
}

/** Bytes sent to and received from the upstream proxy; 0 for a connection that never reached it. */
function bytesOf(stats: Stats): number {
  return (stats?.trgTxBytes ?? 0) + (stats?.trgRxBytes ?? 0);
}
