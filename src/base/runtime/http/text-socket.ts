/**
 * Exchanges messages with a WebSocket client that sends only text: reads with the parser of `ws`, writes whole frames,
 * pings, and throttles a client that requests more than it reads.
 */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { requirePackage } from '../../program/assets.ts';
import { isLong, turnBefore } from '../deadline.ts';
import { FrameOutbox, type OutboxLimits } from './frame-outbox.ts';
import { closedBecause, opcodes } from './frames.ts';

type TextListener = (text: string) => Promise<void> | undefined | void;
type BytesListener = (bytes: Buffer) => Promise<void> | undefined | void;

/** Limits of all sockets of a server. */
export interface SocketLimits extends Omit<OutboxLimits, 'unreadBytes'> {
  /** Interval of pings in milliseconds; a client that is silent for two of them is disconnected. */
  pingEveryMs: number;
}

/** Limits of one socket. */
export interface TextSocketLimits extends Pick<OutboxLimits, 'unreadBytes'> {
  /** Longest message from the client, including all fragments, in bytes. */
  messageBytes: number;
  /** Called at each ping, for events with the same interval. */
  onPing?: () => void;
}

/** Time in milliseconds after which a client that does not reply to our close frame is disconnected. */
const closeGraceMs = 1_500;
/** While a client leaves more bytes than this unread, nothing more is read from it. */
const heldBackBytes = 2 ** 23;
/** The defaults of `ws`. */
const receiverLimits = { maxFragments: 16_384, maxBufferedChunks: 262_144 } as const;

const notReading = closedBecause('connection', 'the client does not read what it is sent');

/** Close codes for invalid client messages (RFC 6455 section 7.4.1), by the error codes of `ws`. */
const closeCodes: Readonly<Record<string, number>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
};

export class TextSocket {
  /** The negotiated subprotocol, or an empty string. */
  readonly protocol: string;
  readonly #socket: Socket;
  readonly #head: Buffer;
  readonly #limits: SocketLimits & TextSocketLimits;
  readonly #outbox: FrameOutbox;
  readonly #closed = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #silentBeats = 0;
  /** Number of active holds: while above zero, the socket is not read. */
  #holds = 0;
  #heldBack = false;
  /** Number of messages waiting to be decoded. */
  #waiting = 0;
  /** Resolves when the last of them has been passed on. */
  #passed = Promise.resolve();

  /**
   * Takes over a connection after its handshake.
   * @param head bytes that arrived with the handshake
   */
  constructor(socket: Socket, head: Buffer, protocol: string, limits: SocketLimits & TextSocketLimits) {
    this.protocol = protocol;
    this.#socket = socket;
    this.#head = head;
    this.#limits = limits;
    this.#outbox = new FrameOutbox(socket, limits, () => this.#end(1013, notReading, true));
    this.#timer = setInterval(() => this.#beat(), limits.pingEveryMs);
    const gone = () => {
      clearInterval(this.#timer);
      this.#over();
      socket.destroy();
    };
    socket.once('close', gone);
    socket.once('end', gone);
    socket.on('error', () => socket.destroy());
  }

  /** Aborts when either side has closed the connection, or the client has begun to close it. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Bytes that the client has not taken yet. */
  get waitingBytes(): number {
    return this.#outbox.waitingBytes;
  }

  /** Queues a message; closes the connection with code 1013 when too much is already unread. */
  send(text: string): void {
    this.sendBytes([Buffer.from(text)]);
  }

  /** Like `send`, but with the UTF-8 bytes of a message, which must not change afterward. */
  sendBytes(parts: readonly Buffer[]): void {
    this.#outbox.send(parts, opcodes.text);
  }

  /** Like `sendBytes`, for a binary message. */
  sendBinary(parts: readonly Buffer[]): void {
    this.#outbox.send(parts, opcodes.binary);
  }

  /** Resolves when the client has read nearly everything, or the connection has ended. */
  drained(): Promise<void> {
    return this.#outbox.drained();
  }

  /**
   * Starts reading: calls back with each text message. A binary message ends the connection with code 1003, one that is
   * too long with 1009, one that violates the protocol with 1002 or 1007. After a long message, the next one waits for
   * the promise of the listener.
   */
  onText(listener: TextListener): void {
    this.onBytes((data) => listener(data.toString()));
  }

  /** Like `onText`, with the UTF-8 bytes of the messages. */
  onBytes(listener: BytesListener): void {
    const { Receiver } = requirePackage<typeof import('ws')>('ws');
    const receiver = new Receiver({ isServer: true, maxPayload: this.#limits.messageBytes, ...receiverLimits });
    receiver.on('message', (data: Buffer, isBinary: boolean) => {
      if (this.#closed.signal.aborted) return;
      if (isBinary) this.close(1003, closedBecause('connection', 'send text messages'));
      else this.#pass(data, listener);
      this.#holdBack();
    });
    receiver.on('ping', (data: Buffer) => this.#outbox.control(opcodes.pong, data));
    receiver.on('conclude', (code: number) => {
      // 1005 means a close frame without a code.
      const end = () => this.#end(code === 1005 ? 1000 : code, '', false);
      if (this.#waiting === 0) end();
      else void this.#passed.then(end);
    });
    receiver.on('error', (error: Error & { code?: string }) => {
      const code = closeCodes[error.code ?? ''] ?? 1002;
      const tooLong = `a message may have at most ${this.#limits.messageBytes} bytes`;
      this.#end(code, closedBecause('connection', code === 1009 ? tooLong : error.message), false);
    });
    receiver.on('drain', () => {
      if (this.#holds === 0) this.#socket.resume();
    });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#silentBeats = 0;
      // After a close frame, only the end of the connection matters.
      if (!this.#closed.signal.aborted && !receiver.write(chunk)) this.#socket.pause();
    });
    if (this.#head.length > 0) receiver.write(this.#head);
    this.#socket.resume();
  }

  /** Hands a message on. A long one is decoded in its own turn, and those that arrived with it wait behind it. */
  #pass(data: Buffer, listener: BytesListener): void {
    if (this.#waiting === 0 && !isLong(data)) return void listener(data);
    this.#waiting++;
    this.#passed = this.#passInTurn(data, listener, this.#passed);
    this.hold(this.#passed);
  }

  async #passInTurn(data: Buffer, listener: BytesListener, before: Promise<void>): Promise<void> {
    await before;
    await turnBefore(data);
    try {
      if (this.#closed.signal.aborted) return;
      const handling = listener(data);
      if (isLong(data)) await handling;
    } finally {
      this.#waiting--;
    }
  }

  /** Sends a close frame after everything queued; cuts the connection when the client does not close within 1.5 s. */
  close(code: number, reason: string): void {
    this.#end(code, reason, false);
  }

  #end(code: number, reason: string, drop: boolean): void {
    if (this.#closed.signal.aborted) return;
    this.#outbox.close(code, reason, drop);
    this.#over();
    const timer = setTimeout(() => this.#socket.destroy(), closeGraceMs);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  #over(): void {
    if (!this.#closed.signal.aborted) this.#closed.abort(new Error('the client closed the connection'));
  }

  /** Stops reading from a client that leaves much unread: further requests would only add to it. */
  #holdBack(): void {
    if (this.#heldBack || this.#outbox.waitingBytes <= heldBackBytes) return;
    this.#heldBack = true;
    this.hold(this.#outbox.drained().then(() => void (this.#heldBack = false)));
  }

  /** Stops reading until the promise resolves. */
  hold(until: Promise<void>): void {
    this.#holds++;
    this.#socket.pause();
    void until.then(() => {
      if (--this.#holds === 0) this.#socket.resume();
    });
  }

  #beat(): void {
    if (this.#closed.signal.aborted) return;
    // A client that is held back cannot show that it is alive; the outbox sees whether it reads.
    if (!this.#socket.isPaused() && this.#silentBeats++ >= 2) return void this.#socket.destroy();
    this.#outbox.control(opcodes.ping, Buffer.alloc(0));
    this.#limits.onPing?.();
  }
}
