/**
 * Forwards a browser's traffic to a SOCKS proxy with username and password, which Chromium itself cannot send.
 *
 *   browser ──SOCKS5──▶ here ──SOCKS4a/5 with credentials──▶ upstream ──▶ site
 */
import { connectTo, type Socket } from '../../../base/runtime/tcp.ts';
import { portOf } from '../../../base/config/proxy-url.ts';
import { connectThroughSocks } from './connect-through-socks.ts';
import { listenForSocks, reply } from '../socks-server.ts';
import { type Forwarder, type Upstream, upstreamLimitMs } from './forwarder.ts';

export async function startSocksForwarder(upstream: Upstream): Promise<Forwarder> {
  const open = new Set<Socket>();
  let closedBytes = 0;
  const meter = (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closedBytes += bytesOf(socket);
    });
  };
  const listener = await listenForSocks((host, port) => dial(upstream, host, port, meter), { ownOnly: true });
  return {
    port: listener.port,
    server: `socks5://127.0.0.1:${listener.port}`,
    bytes: () => [...open].reduce((sum, socket) => sum + bytesOf(socket), closedBytes),
    close: async () => {
      await listener.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function dial(
  upstream: Upstream,
  host: string,
  port: number,
  meter: (socket: Socket) => void,
): Promise<Socket | number> {
  const route = await upstream.routeTo(host, port);
  if (route === 'refused') return reply.notAllowed;
  if (route === 'direct') return upstream.direct.dial(host, port);
  const url = upstream.url();
  try {
    const socket = await connectTo(upstream.address, portOf(url), upstreamLimitMs);
    meter(socket);
    await connectThroughSocks(socket, url, { host, port });
    upstream.succeeded(host, port);
    return socket;
  } catch (error) {
    // The library's error object contains the password: use only its message.
    upstream.failed(host, port, reasonOf(error instanceof Error ? error.message : ''));
    return reply.failure;
  }
}

/** The library reports a failure only as text (its constants.js). */
function reasonOf(message: string): string {
  if (/Authentication failed|authentication type/i.test(message)) return 'it rejected the username or password';
  if (/timed out/i.test(message)) return 'it did not respond in time';
  const rejected = /rejected connection - (\w+)/.exec(message)?.[1];
  if (rejected !== undefined) return `it could not connect to the site (${rejected})`;
  return /rejected connection/.test(message) ? 'it refused the connection' : 'the connection to it failed';
}

function bytesOf(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten;
}
