/**
 * Serves the browser's side of a SOCKS5 proxy (RFC 1928, CONNECT only, on loopback). The `dial` function decides
 * whether and how to connect.
 *
 *   browser ──SOCKS5──▶ here ──dial()──▶ …
 */
import { unbracketed } from '../../base/schema/request/addresses.ts';
import { joinSockets, listenOnLoopback, type Socket, type TcpListener } from '../../base/runtime/tcp.ts';

/** Connects a client to its target. Resolves with the open socket, or with the SOCKS reply code of the failure. */
export type Dial = (host: string, port: number, client: Socket) => Promise<Socket | number>;

/** Time in milliseconds after which a browser connection is closed if it is idle and has not specified its target. */
const handshakeTimeoutMs = 10_000;

/** Reply codes of RFC 1928 section 6. */
export const reply = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  refused: 5,
  commandNotSupported: 7,
} as const;

/**
 * @param ownOnly see listenOnLoopback: true when `dial` uses the operator's password or address
 * @param handshakeMs how long a connection may be idle before it specifies its target
 */
export function listenForSocks(
  dial: Dial,
  { ownOnly = false, handshakeMs = handshakeTimeoutMs } = {},
): Promise<TcpListener> {
  return listenOnLoopback((socket) => {
    socket.setTimeout(handshakeMs, () => socket.destroy());
    serve(socket, dial).catch(() => socket.destroy());
  }, ownOnly);
}

async function serve(client: Socket, dial: Dial): Promise<void> {
  const reader = new ByteReader(client);
  const [version, methodCount = 0] = await reader.take(2);
  if (version !== 5) return void client.destroy();
  await reader.take(methodCount);
  client.write(Uint8Array.of(5, 0));
  const [, command, , addressType] = await reader.take(4);
  const host = await readHost(reader, addressType);
  const [high = 0, low = 0] = await reader.take(2);
  const port = high * 256 + low;
  if (command !== 1 || host === undefined) return sendReply(client, reply.commandNotSupported);

  // From here on, the time limit of `dial` applies.
  client.setTimeout(0);
  const upstream = await dial(host, port, client);
  if (typeof upstream === 'number') return sendReply(client, upstream);
  if (client.destroyed) return void upstream.destroy();
  client.write(replyBytes(reply.succeeded));
  const rest = reader.release();
  if (rest.length > 0) upstream.write(rest);
  joinSockets(client, upstream);
}

function sendReply(client: Socket, code: number): void {
  client.end(replyBytes(code));
}

function replyBytes(code: number): Uint8Array {
  return Uint8Array.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
}

async function readHost(reader: ByteReader, addressType: number | undefined): Promise<string | undefined> {
  if (addressType === 1) return [...(await reader.take(4))].join('.');
  if (addressType === 3) {
    const [length = 0] = await reader.take(1);
    const name = unbracketed(new TextDecoder().decode(await reader.take(length)));
    // Hostnames contain no control characters; SOCKS4a would end the name at a zero byte.
    return /\p{Cc}/u.test(name) ? undefined : name;
  }
  if (addressType !== 4) return undefined;
  const bytes = await reader.take(16);
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((bytes[2 * i] ?? 0) * 256 + (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  return groups.join(':');
}

/** Reads an exact number of bytes at a time from a socket, until `release`. */
class ByteReader {
  readonly #socket: Socket;
  #bytes = new Uint8Array();
  #wake: (() => void) | undefined;
  readonly #onData = (chunk: Uint8Array) => {
    const joined = new Uint8Array(this.#bytes.length + chunk.length);
    joined.set(this.#bytes);
    joined.set(chunk, this.#bytes.length);
    this.#bytes = joined;
    this.#wake?.();
  };
  readonly #onClose = () => this.#wake?.();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
    socket.once('close', this.#onClose);
  }

  async take(count: number): Promise<Uint8Array> {
    while (this.#bytes.length < count) {
      if (this.#socket.destroyed) throw new Error('the browser closed the connection during the handshake');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const taken = this.#bytes.slice(0, count);
    this.#bytes = this.#bytes.slice(count);
    return taken;
  }

  /** Stops reading and returns the bytes that arrived after the request. */
  release(): Uint8Array {
    this.#socket.pause();
    this.#socket.off('data', this.#onData);
    this.#socket.off('close', this.#onClose);
    return this.#bytes;
  }
}
