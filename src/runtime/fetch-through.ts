/** HTTP requests of the server itself through a proxy, on the library undici: one answer, redirects not followed. */
import { type Dispatcher, fetch, ProxyAgent, Socks5ProxyAgent } from 'undici';

export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

export interface IncomingAnswer {
  status: number;
  headers: { name: string; value: string }[];
  /** Decoded: without its content encoding. */
  body: Uint8Array;
}

export interface ProxiedFetch extends Disposable {
  /** Rejects when the proxy or the site fails, or the signal aborts. */
  fetch(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer>;
}

/** Headers of one connection, and those that no longer fit a decoded body. */
const hopHeaders = new Set(['connection', 'content-encoding', 'content-length', 'keep-alive', 'transfer-encoding']);
/** Headers that the library writes itself. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'expect']);
/** An answer that holds more is given up. */
const maxBodyBytes = 64 * 2 ** 20;

/** @param server `http://host:port` or `socks5://host:port` */
export function fetchThrough(server: string, options: { insecure: boolean }): ProxiedFetch {
  const requestTls = { rejectUnauthorized: !options.insecure };
  const agent: Dispatcher = server.startsWith('socks')
    ? new Socks5ProxyAgent(server, { requestTls })
    : new ProxyAgent({ uri: server, requestTls });
  return {
    async fetch({ url, method, headers, body }, signal) {
      const sent = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
      const response = await fetch(url, {
        method,
        headers: sent,
        redirect: 'manual',
        dispatcher: agent,
        signal,
        ...(body === undefined ? {} : { body }),
      });
      const received = [...response.headers].filter(
        ([name]) => !hopHeaders.has(name.toLowerCase()) && name.toLowerCase() !== 'set-cookie',
      );
      const cookies = response.headers.getSetCookie().map((value) => ({ name: 'set-cookie', value }));
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length > maxBodyBytes) throw new Error('the answer is too large');
      return {
        status: response.status,
        headers: [...received.map(([name, value]) => ({ name, value })), ...cookies],
        body: bytes,
      };
    },
    [Symbol.dispose]: () => void agent.destroy().catch(() => {}),
  };
}
