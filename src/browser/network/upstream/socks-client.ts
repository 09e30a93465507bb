/**
 * Asks a SOCKS proxy for a connection. This is a separate module so that the library is loaded only for the first such
 * proxy.
 */
import { SocksClient } from 'socks';
import type { Socket } from '../../../base/runtime/tcp.ts';
import { upstreamLimitMs } from './forwarder.ts';

/**
 * @param socket a socket connected to the proxy
 * @throws Error when the proxy refuses
 */
export async function connectThroughSocks(
  socket: Socket,
  proxy: URL,
  destination: { host: string; port: number },
): Promise<void> {
  await SocksClient.createConnection({
    proxy: { host: proxy.hostname, port: Number(proxy.port), type: 5 },
    command: 'connect',
    destination,
    existing_socket: socket,
    timeout: upstreamLimitMs,
  });
}
