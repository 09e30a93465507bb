/**
 * Passes messages between a client's WebSocket and one that this server opens ("server"): that of a browser's process,
 * or of another server. Library `ws`.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { requirePackage } from '../../program/assets.ts';
import { orAborted } from '../deadline.ts';
import type { TextSocket } from './text-socket.ts';

export interface BridgeHooks {
  /** Called with the UTF-8 bytes of each client message, as `TextSocket.onBytes`. Default: forwards it. */
  onClientText?: (message: Buffer) => Promise<void> | undefined | void;
  /** Called with each server message of at most 65,536 bytes; longer ones pass unseen. Returning false drops it. */
  onServerText?: (message: Buffer) => boolean;
  /**
   * True when the server's close frames are meaningless to a client: they are treated as an end without a close frame.
   */
  ignoreServerClose?: boolean;
  /** Called at the first sign that the client ends the connection; the close itself may take longer. */
  onClientEnd?: () => void;
  /** Called when the server ends without a close frame; returns the close code and reason for the client. */
  onServerEnd(): Promise<CloseReason>;
}

/** A close code from RFC 6455 section 7.4 (or 4000 to 4999) and an explanation. */
export interface CloseReason {
  code: number;
  reason: string;
}

/** Longest message that `onServerText` sees, in bytes. */
const seenBytes = 65_536;
/** While one side leaves more bytes than this unread, nothing more is read from the other. */
const heldBackBytes = 2 ** 20;
/** Longest message from the server's side, in bytes. */
const maxMessageBytes = 2 ** 28;
const protocolHeader = 'sec-websocket-protocol';
/** Longest handshake, in milliseconds. */
const handshakeLimitMs = 15_000;
/** Close codes of `ws` for an end without a close frame, and for a close frame without a code. */
const [noFrame, noCode] = [1006, 1005];

/** A WebSocket that this server has opened. It is paused until a bridge reads it. */
export interface OpenedSocket {
  socket: WebSocket;
  /** The subprotocol that the other side has chosen; undefined for none. */
  protocol: string | undefined;
  /** Headers of its 101 response. */
  headers: IncomingMessage['headers'];
}

interface Handshake {
  address: URL;
  /** The Sec-WebSocket-Protocol header of the client. */
  protocols: string | null;
  headers: Record<string, string>;
  /** How to connect; a string is the path of a Unix socket. */
  through: string | (() => Socket);
}

/**
 * Opens a WebSocket, without compression, so that messages cost little.
 * @returns the other side's response when its status is not 101
 * @throws the connection's error; the abort reason of the signal
 */
export async function openSocket(
  { address, protocols, headers, through }: Handshake,
  signal: AbortSignal,
): Promise<OpenedSocket | { refusal: IncomingMessage }> {
  const { WebSocket } = requirePackage<typeof import('ws')>('ws');
  const socket = new WebSocket(address, {
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    skipUTF8Validation: true,
    // Servers accept a mask of zeros, and it costs nothing.
    generateMask: () => {},
    handshakeTimeout: handshakeLimitMs,
    headers: protocols === null ? headers : { ...headers, [protocolHeader]: protocols },
    createConnection: typeof through === 'string' ? () => connect(through) : through,
  });
  const { promise, resolve, reject } = Promise.withResolvers<OpenedSocket | { refusal: IncomingMessage }>();
  let answered: IncomingMessage['headers'] = {};
  socket.once('upgrade', ({ headers: received }: IncomingMessage) => {
    answered = { ...received };
    // The client's choice of protocols is passed on as text, and it decides about the answer: `ws` would close the
    // socket when none of them is chosen, or when it has not sent them itself.
    delete received[protocolHeader];
  });
  socket.once('open', () => {
    socket.pause();
    resolve({ socket, protocol: answered[protocolHeader], headers: answered });
  });
  socket.once('unexpected-response', (_request, refusal: IncomingMessage) => resolve({ refusal }));
  socket.on('error', reject);
  return orAborted(promise, signal).catch((error: unknown) => {
    socket.terminate();
    throw error;
  });
}

export class SocketBridge {
  /** Resolves once both sides are closed. */
  readonly ended: Promise<unknown>;
  readonly #client: TextSocket;
  readonly #server: WebSocket;
  readonly #hooks: BridgeHooks;

  /**
   * @param accept opens the client's socket
   * @throws any error that `accept` throws, after closing the server's socket
   */
  constructor({ socket: server }: OpenedSocket, accept: () => TextSocket, hooks: BridgeHooks) {
    let client: TextSocket;
    try {
      client = accept();
    } catch (error) {
      server.terminate();
      throw error;
    }
    this.#client = client;
    this.#server = server;
    this.#hooks = hooks;
    const { closed } = client;
    const clientEnded = new Promise<void>((resolve) => {
      const over = () => {
        hooks.onClientEnd?.();
        server.terminate();
        resolve();
      };
      if (closed.aborted) over();
      else closed.addEventListener('abort', over, { once: true });
    });
    const serverEnded = new Promise<void>((resolve) => server.once('close', () => resolve()));
    this.ended = Promise.all([clientEnded, serverEnded]);
    server.on('close', (code: number, reason: Buffer) => void this.#serverGone(code, reason));
    server.on('message', (data: Buffer, isBinary: boolean) => this.#toClient(data, isBinary));
    client.onBytes((message) => (hooks.onClientText ? hooks.onClientText(message) : this.sendToServer(message)));
    server.resume();
  }

  /** Sends a text message to the client. */
  sendToClient(text: string): void {
    this.#client.send(text);
  }

  /** Sends a text message, or its UTF-8 bytes, to the server. */
  sendToServer(message: string | Uint8Array): void {
    const server = this.#server;
    if (server.readyState !== server.OPEN) return;
    if (server.bufferedAmount < heldBackBytes) return server.send(message, { binary: false });
    this.#client.hold(new Promise((resolve) => server.send(message, { binary: false }, () => resolve())));
  }

  /** Closes the client's connection after what is queued for it, and the server's immediately. */
  close({ code, reason }: CloseReason): void {
    this.#client.close(code, reason);
  }

  #toClient(data: Buffer, isBinary: boolean): void {
    const client = this.#client;
    const seen = !isBinary && data.length <= seenBytes;
    if (seen && this.#hooks.onServerText?.(data) === false) return;
    if (isBinary) client.sendBinary([data]);
    else client.sendBytes([data]);
    if (client.waitingBytes <= heldBackBytes || this.#server.isPaused) return;
    this.#server.pause();
    void client.drained().then(() => this.#server.resume());
  }

  async #serverGone(code: number, reason: Buffer): Promise<void> {
    if (this.#client.closed.aborted) return;
    const hasCode = code !== noFrame && !this.#hooks.ignoreServerClose;
    if (!hasCode) return this.close(await this.#hooks.onServerEnd());
    this.close({ code: code === noCode ? 1000 : code, reason: reason.toString() });
  }
}
