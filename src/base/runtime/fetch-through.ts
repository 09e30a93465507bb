/** Sends the server's own HTTP requests through a proxy (using undici). Redirects are not followed. */
import { type Dispatcher, fetch, ProxyAgent, Socks5ProxyAgent } from 'undici';

interface OutgoingRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

/** Dispose of it once its bytes have been passed on: until then they count toward the limit on all responses. */
interface IncomingResponse extends Disposable {
  status: number;
  headers: { name: string; value: string }[];
  /** Decoded: without its content encoding. */
  body: Uint8Array;
}

export interface ProxiedFetch extends Disposable {
  /** @throws ResponseTooLarge; rejects when the proxy or the site fails, or the signal aborts */
  fetch(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingResponse>;
}

/** Hop-by-hop headers, and headers that are wrong for a decoded body. */
const hopHeaders = new Set(['connection', 'content-encoding', 'content-length', 'keep-alive', 'transfer-encoding']);
/** Request headers that undici sets itself. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'expect']);
/** Size of a decoded response above which it is canceled. */
const maxBodyBytes = 32 * 2 ** 20;
/** Total size of responses through all proxies that browsers have not taken yet. */
const maxTotalBytes = 256 * 2 ** 20;
let totalBytes = 0;

/** A response exceeds a limit; the message is for the page that requested it. */
export class ResponseTooLarge extends Error {}

/** @param server `http://host:port` or `socks5://host:port` */
export function fetchThrough(server: string, options: { insecure: boolean }): ProxiedFetch {
  const requestTls = { rejectUnauthorized: !options.insecure };
  const agent: Dispatcher = server.startsWith('socks')
    ? new Socks5ProxyAgent(server, { requestTls })
    : new ProxyAgent({ uri: server, requestTls });
  return {
    async fetch({ url, method, headers, body: sentBody }, signal) {
      const sent = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
      const response = await fetch(url, {
        method,
        headers: sent,
        redirect: 'manual',
        dispatcher: agent,
        signal,
        ...(sentBody === undefined ? {} : { body: sentBody }),
      });
      const received = [...response.headers].filter(
        ([name]) => !hopHeaders.has(name.toLowerCase()) && name.toLowerCase() !== 'set-cookie',
      );
      const cookies = response.headers.getSetCookie().map((value) => ({ name: 'set-cookie', value }));
      const body = await readBody(response.body);
      return {
        ...body,
        status: response.status,
        headers: [...received.map(([name, value]) => ({ name, value })), ...cookies],
      };
    },
    [Symbol.dispose]: () => void agent.destroy().catch(() => {}),
  };
}

/** Reads the body and counts its bytes until disposal. Leaving the loop early cancels the rest of the response. */
async function readBody(
  stream: AsyncIterable<Uint8Array> | null,
): Promise<Pick<IncomingResponse, 'body'> & Disposable> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let counted = true;
  const release = () => {
    if (counted) totalBytes -= size;
    counted = false;
  };
  try {
    for await (const chunk of stream ?? []) {
      size += chunk.length;
      totalBytes += chunk.length;
      const megabytes = (bytes: number) => `${bytes / 2 ** 20} MB`;
      if (size > maxBodyBytes) {
        throw new ResponseTooLarge(
          `The response is larger than ${megabytes(maxBodyBytes)}, the limit for requests through "proxy". Load it without "proxy", or start the browser with that proxy.`,
        );
      }
      if (totalBytes > maxTotalBytes) {
        throw new ResponseTooLarge(
          `Responses through "proxy" currently total more than ${megabytes(maxTotalBytes)}. Send fewer concurrent requests.`,
        );
      }
      chunks.push(chunk);
    }
  } catch (error) {
    release();
    throw error;
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return { body, [Symbol.dispose]: release };
}
