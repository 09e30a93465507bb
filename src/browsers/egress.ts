/**
 * The only way out for pages: a SOCKS5 proxy (RFC 1928, CONNECT only) inside the server. It resolves each name
 * itself, checks every address against the network policy and connects to the address it checked, so that neither a
 * redirect, a WebSocket, a worker nor a name that changes its address between check and use gets past the policy.
 *
 *   browser ──SOCKS5──▶ egress ──TCP──▶ the checked address
 */
import {
  connectTo,
  joinSockets,
  listenOnLoopback,
  resolveName,
  type Socket,
  type TcpListener,
} from '../runtime/socket.ts';
import { type NetworkPolicy, parseAddress } from './network-policy.ts';

/** What became of the last connection to a host and port. */
export type EgressOutcome = { address: string } | { refused: string } | { error: string };

export interface Egress extends AsyncDisposable {
  /** Loopback port of the proxy. */
  readonly port: number;
  /** The last outcome for this host and port, for error messages and X-Response-IP; remembered for 1,000 pairs. */
  outcome(host: string, port: number): EgressOutcome | undefined;
  /** Connections open now, browser side. */
  connections(): number;
}

/** A site that does not accept a connection within this time counts as unreachable. */
const connectTimeoutMs = 30_000;
/** A client that has not finished its greeting by then is dropped. */
const handshakeTimeoutMs = 10_000;
const rememberedOutcomes = 1_000;

/** Reply codes of RFC 1928 section 6. */
const reply = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  refused: 5,
  commandNotSupported: 7,
} as const;

export async function startEgress(policy: NetworkPolicy): Promise<Egress> {
  const outcomes = new Map<string, EgressOutcome>();
  const remember = (host: string, port: number, outcome: EgressOutcome) => {
    const key = `${host}:${port}`;
    outcomes.delete(key);
    outcomes.set(key, outcome);
    if (outcomes.size > rememberedOutcomes) outcomes.delete(outcomes.keys().next().value ?? '');
  };
  const listener: TcpListener = await listenOnLoopback((socket) => {
    serve(socket, policy, remember).catch(() => socket.destroy());
  });
  const release = policy.protectPort(listener.port);
  return {
    port: listener.port,
    outcome: (host, port) => outcomes.get(`${host.replace(/^\[|\]$/g, '')}:${port}`),
    connections: listener.count,
    [Symbol.asyncDispose]: async () => {
      release();
      await listener.close();
    },
  };
}

async function serve(
  client: Socket,
  policy: NetworkPolicy,
  remember: (host: string, port: number, outcome: EgressOutcome) => void,
): Promise<void> {
  client.setTimeout(handshakeTimeoutMs, () => client.destroy());
  const reader = new ByteReader(client);
  const [version, methodCount = 0] = await reader.take(2);
  if (version !== 5) return void client.destroy();
  await reader.take(methodCount);
  client.write(Uint8Array.of(5, 0));
  const [, command, , addressType] = await reader.take(4);
  const host = await readHost(reader, addressType);
  const [high = 0, low = 0] = await reader.take(2);
  const port = high * 256 + low;
  if (command !== 1 || host === undefined) return answer(client, reply.commandNotSupported);

  const upstream = await connect(host, port, policy, remember);
  if (typeof upstream === 'number') return answer(client, upstream);
  if (client.destroyed) return void upstream.destroy();
  client.setTimeout(0);
  client.write(replyBytes(reply.succeeded));
  const rest = reader.release();
  if (rest.length > 0) upstream.write(rest);
  joinSockets(client, upstream);
}

/** A connected socket, or the reply code that says why there is none. */
async function connect(
  host: string,
  port: number,
  policy: NetworkPolicy,
  remember: (host: string, port: number, outcome: EgressOutcome) => void,
): Promise<Socket | number> {
  let addresses: string[];
  try {
    addresses = await addressesOf(host);
  } catch {
    remember(host, port, { error: 'ENOTFOUND' });
    return reply.hostUnreachable;
  }
  const refusals = addresses.map((address) => policy.refusal(address, port));
  const allowed = addresses.filter((_, index) => refusals[index] === undefined);
  if (allowed.length === 0) {
    remember(host, port, { refused: refusals.find((refusal) => refusal !== undefined) ?? 'no address' });
    return reply.notAllowed;
  }
  let code = 'ECONNREFUSED';
  for (const address of allowed) {
    try {
      const socket = await connectTo(address, port, connectTimeoutMs / allowed.length);
      remember(host, port, { address });
      return socket;
    } catch (error) {
      code = error instanceof Error && 'code' in error ? String(error.code) : code;
    }
  }
  remember(host, port, { error: code });
  return code === 'ECONNREFUSED' ? reply.refused : reply.hostUnreachable;
}

/** All addresses of a name or address, as browsers understand it. Rejects with the resolver's error. */
export async function addressesOf(host: string): Promise<string[]> {
  if (parseAddress(host)) return [host];
  // RFC 6761 section 6.3: browsers take every name under .localhost for the machine itself.
  if (/(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  return resolveName(host);
}

function answer(client: Socket, code: number): void {
  client.end(replyBytes(code));
}

function replyBytes(code: number): Uint8Array {
  return Uint8Array.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
}

async function readHost(reader: ByteReader, addressType: number | undefined): Promise<string | undefined> {
  if (addressType === 1) return [...(await reader.take(4))].join('.');
  if (addressType === 3) {
    const [length = 0] = await reader.take(1);
    return new TextDecoder().decode(await reader.take(length)).replace(/^\[|\]$/g, '');
  }
  if (addressType !== 4) return undefined;
  const bytes = await reader.take(16);
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((bytes[2 * i] ?? 0) * 256 + (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  return groups.join(':');
}

/** Reads exact numbers of bytes from a socket, then lets go of it. */
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
      if (this.#socket.destroyed) throw new Error('the browser closed the connection during the greeting');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const taken = this.#bytes.slice(0, count);
    this.#bytes = this.#bytes.slice(count);
    return taken;
  }

  /** Stops reading and gives back what arrived too early. */
  release(): Uint8Array {
    this.#socket.pause();
    this.#socket.off('data', this.#onData);
    this.#socket.off('close', this.#onClose);
    return this.#bytes;
  }
}
