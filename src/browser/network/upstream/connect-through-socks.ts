/** Asks a SOCKS proxy for a connection. */
import { SocksClient } from 'socks';
import { credentialsOf, portOf } from '../../../base/config/proxy-url.ts';
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
  const { username, password } = credentialsOf(proxy) ?? { username: '', password: '' };
  await SocksClient.createConnection({
    proxy: {
      host: proxy.hostname,
      port: portOf(proxy),
      type: proxy.protocol.startsWith('socks4') ? 4 : 5,
      userId: username,
      password,
    },
    command: 'connect',
    destination,
    existing_socket: socket,
    timeout: upstreamLimitMs,
  });
}
