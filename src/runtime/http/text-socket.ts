/** Accepts WebSockets whose messages the server itself reads and writes (library `ws`): text only, limited, pinged. */
import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { closeReasonBytes } from './frames.ts';
import { type OutboxLimits, TextOutbox } from './text-outbox.ts';

export interface TextSocket {
  /** The negotiated subprotocol, or an empty string. */
  readonly protocol: string;
  /** Aborts when either side has closed the connection, or the client has begun to close it. */
  readonly closed: AbortSignal;
  /** Queues a message; closes the connection with code 1013 when too much is unread already. */
  send(text: string): void;
  /** Resolves when the client has read nearly all, or the connection has ended. */
  drained(): Promise<void>;
  /** Called with each text message; a binary one ends the connection with code 1003. */
  onText(listener: (text: string) => void): void;
  close(code: number, reason: string): void;
}

export interface TextSocketLimits extends OutboxLimits {
  /** Longest message of the client, in bytes. */
  messageBytes: number;
}

/** What Node's `upgrade` event provides. */
export interface Handshake {
  incoming: IncomingMessage;
  socket: Socket;
  /** Bytes that came after the request. */
  head: Buffer;
}

export interface AcceptOptions {
  /** Supported subprotocols, the preferred first. */
  protocols: readonly string[];
  limits: TextSocketLimits;
  /** Further headers of the answer. */
  headers: Readonly<Record<string, string>>;
}

const pingEveryMs = 30_000;
/** A client that does not answer our close frame is cut after this time, in milliseconds. */
const closeGraceMs = 1_500;

/** Answers the handshake of a client. */
export function acceptTextSocket(
  { incoming, socket, head }: Handshake,
  { protocols, limits, headers }: AcceptOptions,
): Promise<TextSocket> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  server.on('headers', (lines) => {
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  });
  return new Promise((resolve) => {
    server.handleUpgrade(incoming, socket, head, (client) => {
      const closed = new AbortController();
      let heard = true;
      const beat = setInterval(() => {
        if (!heard) return client.terminate();
        heard = false;
        client.ping();
      }, pingEveryMs);
      let onText: (text: string) => void = () => {};
      client.on('pong', () => (heard = true));
      client.on('message', (data: RawData, isBinary: boolean) => {
        heard = true;
        if (isBinary) client.close(1003, 'Send text messages');
        else onText(String(data));
      });
      // The socket was paused before the handshake.
      socket.resume();
      client.on('error', () => client.terminate());
      const end = () => closed.abort(new Error('the client closed the connection'));
      // `ws` emits `close` after the closing handshake; its readyState changes as soon as it has read a close frame.
      socket.on('data', () => {
        if (client.readyState !== WebSocket.OPEN) end();
      });
      client.on('close', () => {
        clearInterval(beat);
        end();
      });
      const close = (code: number, reason: string) => {
        client.close(code, closeReasonBytes(reason));
        setTimeout(() => client.terminate(), closeGraceMs).unref();
      };
      const outbox = new TextOutbox(client, limits, () => close(1013, 'The client does not read what it is sent'));
      resolve({
        protocol: client.protocol,
        closed: closed.signal,
        send: (text) => outbox.send(text),
        drained: () => outbox.drained(),
        onText: (listener) => (onText = listener),
        close,
      });
    });
  });
}
