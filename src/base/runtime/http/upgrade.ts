/**
 * Handles WebSocket upgrades. Until the browser is ready, a client can be refused with an HTTP response and its body
 * (decisions.mdx#sockets-refused-before-the-upgrade).
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hostOf } from './host-header.ts';
import { countAsIdle, isAnswering } from './idle-connections.ts';
import { type SocketLimits, TextSocket, type TextSocketLimits } from './text-socket.ts';

/** @param address the client's IP address */
export type UpgradeHandler = (
  request: Request,
  upgrade: ClientUpgrade,
  address: string | undefined,
) => Promise<Response>;

/** RFC 6455 section 1.3. */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** How long a client may take to read a refusal and to close, in milliseconds. */
const refusalGraceMs = 10_000;
/** Bytes that a client may send before the response; a correct client sends none. */
const maxEarlyBytes = 65_536;

/**
 * Upgrades to protocols other than WebSocket, such as h2c, are ordinary requests (RFC 9110 section 7.8): Java's client
 * asks for h2c with the first request on every connection, even with a body.
 */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

interface UpgradeOptions {
  upgrade: UpgradeHandler;
  limits: SocketLimits;
}

/** Handles the upgrades of a server. */
export function handleUpgrades(server: Server, options: UpgradeOptions): void {
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    // Nothing may be written before the response to the previous request, and no real client sends this.
    if (isAnswering(socket)) return void socket.destroy();
    const { 'sec-websocket-key': key, 'sec-websocket-version': version } = incoming.headers;
    const isHandshake = key !== undefined && version === '13';
    const answered = isHandshake
      ? answerUpgrade(incoming, socket, head, options)
      : refuse(incoming, socket, noHandshake());
    answered.catch(() => socket.destroy());
  });
}

/** Creates an HTTP response on a socket that Node has detached for an upgrade; the socket closes after it. */
function responseOn(incoming: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  return response;
}

async function answerUpgrade(
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
  { upgrade: handle, limits }: UpgradeOptions,
): Promise<void> {
  socket.setNoDelay(true);
  socket.setTimeout(0);
  const gone = new AbortController();
  const early: Buffer[] = head.length > 0 ? [head] : [];
  let earlyBytes = head.length;
  // A socket reports that its client has disconnected only while it is being read.
  const onData = (chunk: Buffer) => {
    early.push(chunk);
    earlyBytes += chunk.length;
    if (earlyBytes > maxEarlyBytes) socket.destroy();
  };
  const onGone = () => {
    gone.abort(new Error('the client closed the connection'));
    socket.destroy();
  };
  socket.on('data', onData);
  socket.once('end', onGone);
  socket.once('close', onGone);
  const release = (): Buffer => {
    socket.pause();
    socket.off('data', onData);
    socket.off('end', onGone);
    return Buffer.concat(early);
  };
  const upgrade = new ClientUpgrade(incoming, socket, release, limits);
  const response = await handle(requestOf(incoming, gone.signal), upgrade, incoming.socket.remoteAddress).catch(
    () => new Response('Internal Server Error\n', { status: 500 }),
  );
  if (upgrade.accepted) return;
  upgrade.refused = true;
  release();
  await refuse(incoming, socket, response);
}

/** The request as routes see it; its signal aborts when the client disconnects, even after it was accepted. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    try {
      headers.append(incoming.rawHeaders[i] ?? '', incoming.rawHeaders[i + 1] ?? '');
    } catch {
      // Skip headers that the Fetch standard does not allow: no route reads them.
    }
  }
  const path = incoming.url?.startsWith('/') ? incoming.url : '/';
  // Routing does not use the hostname.
  return new Request(`http://${hostOf(incoming.headers.host ?? '')}${path}`, { headers, signal });
}

async function refuse(incoming: IncomingMessage, socket: Socket, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const answer = responseOn(incoming, socket);
  response.headers.forEach((value, name) => answer.appendHeader(name, value));
  answer.writeHead(response.status, { 'Content-Length': body.length }).end(body);
  // Read the rest for a while: closing with unread bytes resets the connection, and the client would lose the response.
  socket.resume();
  countAsIdle(socket);
  setTimeout(() => socket.destroy(), refusalGraceMs).unref();
}

export class ClientUpgrade {
  /** True once the client has received its 101 response. */
  accepted = false;
  /** True once the client has received a response other than 101. */
  refused = false;
  /** Returns additional headers for that 101 response; called when it is sent. */
  headers: () => Record<string, string> = () => ({});
  readonly #incoming: IncomingMessage;
  readonly #socket: Socket;
  readonly #release: () => Buffer;
  readonly #limits: SocketLimits;

  constructor(incoming: IncomingMessage, socket: Socket, release: () => Buffer, limits: SocketLimits) {
    this.#incoming = incoming;
    this.#socket = socket;
    this.#release = release;
    this.#limits = limits;
  }

  /**
   * Responds with 101; the server itself then exchanges messages with the client.
   * @param protocols supported subprotocols, preferred first; the first one that the client offers is chosen
   * @throws Error when the client has disconnected
   */
  accept(protocols: readonly string[], limits: TextSocketLimits): TextSocket {
    if (this.#socket.destroyed || this.refused) throw new Error('the client disconnected before its browser was ready');
    const offered = (this.#incoming.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const agreed = protocols.find((protocol) => offered.includes(protocol));
    const head = this.#answer(agreed);
    return new TextSocket(this.#socket, head, agreed ?? '', { ...this.#limits, ...limits });
  }

  /** Responds with 101. Returns what the client has sent since its request. */
  #answer(agreed: string | undefined): Buffer {
    const head = this.#release();
    this.accepted = true;
    const headers = {
      Upgrade: 'websocket',
      Connection: 'Upgrade',
      'Sec-WebSocket-Accept': acceptOf(this.#incoming.headers['sec-websocket-key'] ?? ''),
      ...(agreed ? { 'Sec-WebSocket-Protocol': agreed } : {}),
      ...this.headers(),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
    return head;
  }
}

/** RFC 6455 section 4.2.1: the key is required, and 13 is the only version. */
function noHandshake(): Response {
  const message = 'This is not a WebSocket handshake: it needs Sec-WebSocket-Key, and Sec-WebSocket-Version: 13.\n';
  return new Response(message, { status: 400, headers: { 'Sec-WebSocket-Version': '13' } });
}

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}${acceptSuffix}`).digest('base64');
}
