/**
 * Joins a client's WebSocket with one on the browser's side ("server"): frames are forwarded unchanged in both
 * directions, with back-pressure. Hooks can inspect and drop small frames, and messages can be inserted between frames.
 * Server messages are parsed beyond their frame headers only when a hook needs them.
 */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { type Frame, FrameStream, type PassingMessage } from './frame-stream.ts';
import { closedBecause, encodeClose, encodeFrame, encodeMaskedHeader, opcodes } from './frames.ts';

export interface JoinHooks {
  /** Called with each client text message of at most `inspectBytes`; returning false drops it. */
  onClientText?: (message: PassingMessage) => boolean;
  /** Like `onClientText`, for messages to the client. */
  onServerText?: (message: PassingMessage) => boolean;
  /** Longest client payload that is inspected, in bytes. Default 65,536; longer ones pass uninspected. */
  inspectBytes?: number;
  /**
   * Called for a client message that cannot be inspected because it is too long or fragmented. With this hook, such a
   * message is not forwarded (one that is too long ends all traffic from the client), and a binary one ends the
   * connection with code 1003.
   */
  onClientUnseen?: () => void;
  /**
   * True when the server's close frames are meaningless to a client: they are treated as an end without a close frame.
   */
  ignoreServerClose?: boolean;
  /** Called at the first sign that the client ends the connection; the close itself may take longer. */
  onClientEnd?: () => void;
  /** Called when the server ends without a close frame; returns the close code and reason for the client. */
  onServerEnd(): Promise<CloseReason>;
  /** Interval of pings to the client in milliseconds; a client that is silent for two of them is disconnected. */
  pingEveryMs: number;
}

/** A close code from RFC 6455 section 7.4 (or 4000 to 4999) and an explanation. */
export interface CloseReason {
  code: number;
  reason: string;
}

/** Who ended the connection: the client, the browser's side, or `close()`. */
export type JoinEnd = 'client' | 'server' | 'us';

const defaultInspectBytes = 65_536;
/** Time for a message in transit to end and for the client to reply to our close frame, in milliseconds. */
const closeGraceMs = 1_500;
/** A client with more unread bytes than this is disconnected when we send it another message. */
const maxUnreadBytes = 2 ** 24;
const notReading: CloseReason = {
  code: 1013,
  reason: closedBecause('connection', 'the client does not read what it is sent'),
};

/** A connection after its handshake. */
export interface JoinSide {
  socket: Socket;
  /** Bytes that arrived with the handshake. */
  head: Buffer;
}

export class SocketJoin {
  /** Resolves once when both sides are closed. */
  readonly ended: Promise<JoinEnd>;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #hooks: JoinHooks;
  readonly #fromClient: FrameStream;
  readonly #fromServer: FrameStream;
  readonly #timer: ReturnType<typeof setInterval>;
  #endedBy: JoinEnd | undefined;
  #closing: CloseReason | undefined;
  #closeSeen = false;
  #heard = true;
  #silentBeats = 0;
  /** Whether the client's socket has drained since the last beat. */
  #clientTook = true;
  #stillBeats = 0;
  /** The pong for the client's latest ping, while it reads nothing. */
  #latePong: Buffer | undefined;
  /** Number of active holds: while above zero, the client is not read. */
  #holds = 0;

  constructor(
    { socket: client, head: clientHead }: JoinSide,
    { socket: server, head: serverHead }: JoinSide,
    hooks: JoinHooks,
  ) {
    this.#client = client;
    this.#server = server;
    this.#hooks = hooks;
    const limit = hooks.inspectBytes ?? defaultInspectBytes;
    const unseen = hooks.onClientUnseen && (() => this.#clientUnseen());
    this.#fromClient = new FrameStream(server, limit, (frame) => this.#clientFrame(frame), unseen);
    this.#fromServer = new FrameStream(client, defaultInspectBytes, (frame) => this.#serverFrame(frame));
    this.#fromClient.looking = true;
    this.#fromServer.looking = hooks.onServerText !== undefined;
    this.ended = new Promise((resolve) => {
      let open = 2;
      const closed = () => {
        if (--open > 0) return;
        clearInterval(this.#timer);
        resolve(this.#endedBy ?? 'client');
      };
      client.once('close', closed);
      server.once('close', closed);
    });
    this.#timer = setInterval(() => this.#beat(), hooks.pingEveryMs);
    this.#connect(clientHead, serverHead);
  }

  /** Sends a text message to the client, between two messages of the server. */
  sendToClient(text: string): void {
    // Back-pressure holds back the browser's messages while the client does not read; our own have to be counted.
    if (this.#client.writableLength > maxUnreadBytes) return this.close(notReading);
    if (!this.#closing) this.#fromServer.insert(encodeFrame(opcodes.text, Buffer.from(text), false));
  }

  /** Sends a text message, or its UTF-8 bytes, to the server, between two messages of the client. */
  sendToServer(message: string | Uint8Array): void {
    // The bytes of a long message are not copied.
    const payload = typeof message === 'string' ? Buffer.from(message) : message;
    this.#fromClient.insert(encodeMaskedHeader(opcodes.text, payload.length), payload);
  }

  /** Stops reading from the client until the promise resolves; data that has already arrived is still shown. */
  hold(until: Promise<void>): void {
    this.#holds++;
    this.#client.pause();
    void until.then(() => {
      if (--this.#holds === 0) this.#client.resume();
    });
  }

  /** Sends the client a close frame after the server's message in transit, then ends both sides within 1.5 s. */
  close(reason: CloseReason): void {
    if (this.#closing || this.#endedBy) return;
    this.#endedBy = 'us';
    this.#sayGoodbye(reason);
  }

  #sayGoodbye(reason: CloseReason): void {
    this.#closing = reason;
    this.#fromServer.whenBetween(() => {
      this.#client.write(encodeClose(reason.code, reason.reason, false));
      this.#client.end();
      this.#server.destroy();
    });
    this.#cutLater();
  }

  /** Destroys both sockets if they do not close in time. */
  #cutLater(): void {
    const timer = setTimeout(() => {
      this.#client.destroy();
      this.#server.destroy();
    }, closeGraceMs);
    void this.ended.then(() => clearTimeout(timer));
  }

  #connect(clientHead: Buffer, serverHead: Buffer): void {
    const client = this.#client;
    const server = this.#server;
    const pump = (from: Socket, to: Socket, stream: FrameStream) => {
      from.on('data', (chunk: Buffer) => {
        if (from === client) this.#heard = true;
        if (!stream.feed(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (from !== client || this.#holds === 0) from.resume();
      });
      from.on('error', () => from.destroy());
    };
    pump(client, server, this.#fromClient);
    pump(server, client, this.#fromServer);
    client.once('end', () => this.#clientGone());
    client.once('close', () => this.#clientGone());
    server.once('end', () => this.#serverGone());
    server.once('close', () => this.#serverGone());
    if (serverHead.length > 0) this.#fromServer.feed(serverHead);
    if (clientHead.length > 0) this.#fromClient.feed(clientHead);
    client.on('drain', () => {
      this.#clientTook = true;
      if (this.#latePong) this.#fromServer.insert(this.#latePong);
      this.#latePong = undefined;
    });
    client.resume();
    server.resume();
  }

  #clientGone(): void {
    this.#endedBy ??= 'client';
    this.#hooks.onClientEnd?.();
    this.#client.destroy();
    this.#server.destroy();
  }

  #serverGone(): void {
    if (this.#closing || this.#endedBy === 'client') return;
    this.#endedBy ??= 'server';
    if (this.#closeSeen) {
      // The client has received the server's own close frame.
      this.#client.end();
      return this.#cutLater();
    }
    this.#closing = { code: 1011, reason: '' };
    void this.#hooks.onServerEnd().then((reason) => this.#sayGoodbye(reason));
  }

  #clientFrame(frame: Frame): boolean {
    const { opcode } = frame.header;
    const seesAll = this.#hooks.onClientUnseen !== undefined;
    if (seesAll && opcode === opcodes.binary) {
      this.close({ code: 1003, reason: closedBecause('connection', 'send text messages') });
      return false;
    }
    if (seesAll && opcode < opcodes.close && (!frame.header.fin || opcode === opcodes.continuation)) {
      return this.#clientUnseen();
    }
    if (opcode === opcodes.text) {
      return !this.#hooks.onClientText || !frame.header.fin || this.#hooks.onClientText(frame);
    }
    if (opcode === opcodes.ping) {
      this.#pong(encodeFrame(opcodes.pong, Buffer.from(frame.payload()), false));
      return false;
    }
    // A pong is the reply to one of our own pings.
    if (opcode === opcodes.pong) return false;
    if (opcode === opcodes.close) {
      this.#endedBy ??= 'client';
      this.#hooks.onClientEnd?.();
      if (!this.#closing) {
        const echo = encodeFrame(opcodes.close, Buffer.from(frame.payload()).subarray(0, 2), false);
        this.#closing = { code: 1000, reason: '' };
        this.#fromServer.whenBetween(() => this.#client.end(echo));
        this.#cutLater();
      }
      this.#server.destroy();
      return false;
    }
    return true;
  }

  /** Replies to a ping; while the client reads nothing, only to the latest. */
  #pong(frame: Buffer): void {
    if (this.#client.writableNeedDrain) this.#latePong = frame;
    else this.#fromServer.insert(frame);
  }

  #clientUnseen(): boolean {
    this.#hooks.onClientUnseen?.();
    return false;
  }

  #serverFrame(frame: Frame): boolean {
    if (frame.header.opcode === opcodes.close) {
      if (this.#hooks.ignoreServerClose) {
        this.#server.destroy();
        return false;
      }
      this.#closeSeen = true;
    }
    if (frame.header.opcode === opcodes.ping) {
      this.#fromClient.insert(encodeFrame(opcodes.pong, Buffer.from(frame.payload()), true));
      return false;
    }
    if (frame.header.opcode !== opcodes.text || !frame.header.fin) return true;
    return !this.#hooks.onServerText || this.#hooks.onServerText(frame);
  }

  #beat(): void {
    this.#silentBeats = this.#heard ? 0 : this.#silentBeats + 1;
    this.#heard = false;
    // A client that still writes is cut as well: writing does not make up for not reading.
    if (this.#client.writableLength > 0 && !this.#clientTook && this.#stillBeats++ > 0) return this.#clientGone();
    if (this.#clientTook || this.#client.writableLength === 0) this.#stillBeats = 0;
    this.#clientTook = false;
    // A paused client is not silent: the server cannot keep up with it.
    if (this.#silentBeats >= 2 && !this.#client.isPaused()) return this.#clientGone();
    if (this.#closing) return;
    this.#fromServer.insert(encodeFrame(opcodes.ping, Buffer.alloc(0), false));
  }
}
