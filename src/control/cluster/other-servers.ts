/** Forwards requests to another server and returns its responses (library httpxy for HTTP). */
import { Agent, type IncomingMessage } from 'node:http';
import { systemCodeOf } from '../../base/runtime/disk.ts';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { proxyFetch } from 'httpxy';
import { type OpenedSocket, openSocket } from '../../base/runtime/http/socket-bridge.ts';

/** Time in milliseconds within which a server must accept a connection; otherwise it is considered unreachable. */
const connectLimitMs = 2_000;

/** A server could not be reached. */
export class UnreachableError extends Error {
  /** True when its machine reports that nothing listens there, or that no host has the address. */
  readonly isGone: boolean;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'UnreachableError';
    this.isGone = systemCodeOf(cause) === 'ECONNREFUSED';
  }
}

/** Host and port where another server listens. */
interface NodeEndpoint {
  host: string;
  port: number;
}

/** Called with each IP address that a server's hostname resolves to. */
export type AddressListener = (address: string, port: number) => void;

class Connections extends Agent {
  readonly #onAddress: AddressListener;

  constructor(onAddress: AddressListener, keepAlive: boolean) {
    super({ keepAlive, maxFreeSockets: 32 });
    this.#onAddress = onAddress;
  }

  override createConnection({ host, port }: { host?: string; port?: number }): Socket {
    return connectTo({ host: host ?? '', port: port ?? 0 }, this.#onAddress);
  }
}

function connectTo({ host, port }: NodeEndpoint, onAddress: AddressListener): Socket {
  const socket = connect({ host, port, noDelay: true });
  const onConnectTimeout = () => socket.destroy(new Error(`no connection to ${host} within ${connectLimitMs} ms`));
  const timer = setTimeout(onConnectTimeout, connectLimitMs);
  socket.on('lookup', (error, address) => error ?? onAddress(address, port));
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
  return socket;
}

function toHeaders(answered: IncomingMessage['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answered)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  return headers;
}

/**
 * Headers that apply to a single connection (RFC 9110 section 7.6.1), and those that declare the length of a body: the
 * length comes from the body actually sent, never from the client.
 */
const hopByHopHeaders = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

function endToEnd(headers: Iterable<[string, string]>, connection: string | null | undefined): Record<string, string> {
  const named = (connection ?? '').toLowerCase().split(',');
  const left = new Set([...hopByHopHeaders, ...named.map((name) => name.trim())]);
  return Object.fromEntries([...headers].filter(([name]) => !left.has(name)));
}

/** Methods whose bodies Node's client sends without framing, unless a header declares their length. */
const unframed = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

const endpointOf = ({ hostname, port }: URL): NodeEndpoint => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port === '' ? 80 : port),
});

export class OtherServers {
  readonly #onAddress: AddressListener;
  readonly #keepAlive: Connections;
  /** For requests that httpxy sends with `Connection: close`, regardless of how the other server responds to that. */
  readonly #single: Connections;

  constructor(onAddress: AddressListener) {
    this.#onAddress = onAddress;
    this.#keepAlive = new Connections(onAddress, true);
    this.#single = new Connections(onAddress, false);
  }

  /**
   * Sends a request to another server, unchanged except for these headers, and returns the response.
   * @param to the server's http: URL; path and query are those of the request
   * @throws UnreachableError; the signal's abort reason
   */
  async passOn(to: URL, request: Request, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const { method, body } = request;
    const sent: Record<string, string> = {
      ...endToEnd(request.headers, request.headers.get('connection')),
      ...headers,
    };
    // For these methods Node's client would send a body without any length: the server would read its bytes as the next
    // request.
    const isUnframed = body && unframed.has(method);
    if (isUnframed) sent['transfer-encoding'] = 'chunked';
    const options = { agent: isUnframed ? this.#single : this.#keepAlive };
    try {
      return await proxyFetch(endpointOf(to), request.url, { method, headers: sent, body, signal }, options);
    } catch (cause) {
      signal.throwIfAborted();
      throw new UnreachableError(cause);
    }
  }

  /**
   * Opens a WebSocket to another server, over a connection that serves no other request.
   * @param request the client's handshake
   * @param own the headers of this server, which replace those of the client
   * @returns the open socket, or the server's response when its status is not 101
   * @throws UnreachableError; the signal's abort reason
   */
  async passUpgradeOn(
    to: URL,
    { url, headers }: Request,
    own: Record<string, string>,
    signal: AbortSignal,
  ): Promise<OpenedSocket | Response> {
    const { pathname, search } = new URL(url);
    const address = new URL(`${pathname}${search}`, to);
    address.protocol = 'ws:';
    const place = endpointOf(to);
    const through = () => connectTo(place, this.#onAddress);
    // A client may name any header in `Connection`, which is then not forwarded: add this server's headers afterward.
    const sent = { ...endToEnd(withoutHandshake(headers), headers.get('connection')), ...own };
    try {
      const protocols = headers.get('sec-websocket-protocol');
      const opened = await openSocket({ address, protocols, headers: sent, through }, signal);
      if (!('refusal' in opened)) return opened;
      const { statusCode: status = 502, headers: answered } = opened.refusal;
      // The chunks are buffers; Node's type says `any`.
      const body = Readable.toWeb(opened.refusal) as ReadableStream<Uint8Array>;
      return new Response(body, { status, headers: toHeaders(answered) });
    } catch (cause) {
      signal.throwIfAborted();
      throw new UnreachableError(cause);
    }
  }
}

/** The headers of a client's handshake, without those that belong to its own connection. */
const withoutHandshake = (headers: Headers) => [...headers].filter(([name]) => !name.startsWith('sec-websocket-'));
