/**
 * Communicates with one viewer: sends images as fast as the viewer draws them, skips all waiting images except the
 * newest, and rejects messages that the viewer may not send.
 */
import * as v from 'valibot';
import { closedBecause } from '../../base/runtime/http/frames.ts';
import { liveViewLimits } from '../../base/limits.ts';
import { JsonTooLarge, parseJson } from '../../base/schema/json-text.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import type { TextSocket } from '../../base/runtime/http/text-socket.ts';
import { type ServerMessage, type ViewerMessage, viewerMessages } from './protocol/messages.ts';
import { messageOf, type LiveFrame } from './protocol/picture.ts';

/** RFC 6455 section 7.4.1. */
const closeCodes = { normal: 1000, policy: 1008, tooLong: 1009 } as const;

/** Transit time of an image, in ms, above which only one is sent at a time: the next would be outdated on arrival. */
const slowMs = 200;

/** Maximum length of messages other than `paste`, in characters. */
const maxMessageLength = 65_536;

/** Messages that a view-only viewer may send. */
const watching: ReadonlySet<string> = new Set(['ack', 'visible']);

const schemas = new Map(
  Object.entries(viewerMessages).map(([name, entries]) => [name, v.strictObject({ t: v.literal(name), ...entries })]),
);

export interface ViewerOptions {
  socket: Pick<TextSocket, 'close' | 'closed' | 'onText' | 'send' | 'sendBinary'>;
  interactive: boolean;
  /** Receives every valid message except `ack` and `visible`. */
  onMessage(message: ViewerMessage): void;
  /** Called when the viewer has become ready for an image, visible or hidden. */
  changed(): void;
}

export class Viewer {
  readonly #options: ViewerOptions;
  /** Unacknowledged images: their numbers and sizes in bytes, and when they were sent. */
  readonly #sent: { seq: number; bytes: number; at: number }[] = [];
  /** How long the last acknowledged image took to arrive, in milliseconds. */
  #tookMs = 0;
  #waiting: LiveFrame | undefined;
  /** Whether the person can see the image. */
  visible = false;
  #lastSeq = 0;
  /** Number of messages that the viewer may still send immediately. */
  #allowance: number = liveViewLimits.messagesAtOnce;
  #countedAt = performance.now();

  constructor(options: ViewerOptions) {
    this.#options = options;
  }

  /** Starts to read messages. */
  listen(): void {
    this.#options.socket.onText((text) => this.#receive(text));
  }

  /** Whether another image may be sent. */
  get ready(): boolean {
    if (!this.visible) return false;
    const bytes = this.#sent.reduce((sum, each) => sum + each.bytes, 0);
    const most = this.#tookMs > slowMs ? 1 : liveViewLimits.unacknowledged;
    return this.#sent.length < most && (bytes === 0 || bytes < liveViewLimits.unacknowledgedBytes);
  }

  send(message: ServerMessage): void {
    this.#options.socket.send(JSON.stringify(message));
  }

  /** Sends an image now, or later unless a newer one arrives first. */
  show(picture: LiveFrame): void {
    if (!this.visible) return;
    if (!this.ready) {
      this.#waiting = picture;
      return;
    }
    this.#waiting = undefined;
    this.#sent.push({ seq: picture.seq, bytes: picture.bytes.length, at: performance.now() });
    this.#lastSeq = picture.seq;
    this.#options.socket.sendBinary(messageOf(picture));
  }

  /** Sends the newest image, unless the viewer has it or it is already waiting. */
  catchUp(picture: LiveFrame): void {
    if (this.#lastSeq < picture.seq && this.#waiting?.seq !== picture.seq) this.show(picture);
  }

  /** Sends the final message and then closes the connection. */
  end(message: Extract<ServerMessage, { t: 'end' }>): void {
    this.send(message);
    this.#options.socket.close(closeCodes.normal, closedBecause('connection', message.text));
  }

  #receive(text: string): void {
    if (!this.#counts()) {
      const { messagesPerSecond } = liveViewLimits;
      return this.#refuse(`a viewer may send ${messagesPerSecond} messages a second`);
    }
    const message = this.#parse(text);
    if (!message) return;
    if (message.t === 'ack') return this.#acknowledged(message.seq);
    if (message.t === 'visible') {
      this.visible = message.on;
      if (!message.on) {
        // Nobody is looking at the sent and waiting images.
        this.#sent.length = 0;
        this.#waiting = undefined;
        this.#lastSeq = 0;
      }
      return this.#options.changed();
    }
    this.#options.onMessage(message);
  }

  /** Returns undefined for messages that are rejected or that this viewer may not send. */
  #parse(text: string): ViewerMessage | undefined {
    if (text.length > maxMessageLength && !text.startsWith('{"t":"paste"')) {
      return this.#refuse(`a message may have ${maxMessageLength} characters`);
    }
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      if (error instanceof JsonTooLarge) return this.#refuse(`a message ${error.message}`, closeCodes.tooLong);
      return this.#refuse('a message is no JSON');
    }
    const name = isPlainObject(value) ? value['t'] : undefined;
    const schema = typeof name === 'string' ? schemas.get(name) : undefined;
    if (!schema) return this.#refuse('a message has no known "t"');
    if (!this.#options.interactive && !watching.has(String(name))) return undefined;
    const checked = v.safeParse(schema, value, { abortEarly: true });
    if (!checked.success) {
      const [issue] = checked.issues;
      return this.#refuse(`"${String(name)}": ${issue.path?.[0]?.key ?? 'the message'} is wrong`);
    }
    // The schemas are keyed by the message names in the type.
    return checked.output as ViewerMessage;
  }

  #acknowledged(seq: number): void {
    while (this.#sent[0] !== undefined && this.#sent[0].seq <= seq) {
      this.#tookMs = performance.now() - this.#sent[0].at;
      this.#sent.shift();
    }
    if (seq > this.#lastSeq) return;
    const waiting = this.#waiting;
    if (waiting && this.ready) this.show(waiting);
    this.#options.changed();
  }

  /** Rate-limits messages with a token bucket. @returns false when the viewer has exceeded the limit */
  #counts(): boolean {
    const now = performance.now();
    const { messagesPerSecond, messagesAtOnce } = liveViewLimits;
    const grown = this.#allowance + ((now - this.#countedAt) / 1_000) * messagesPerSecond;
    this.#countedAt = now;
    this.#allowance = Math.min(messagesAtOnce, grown) - 1;
    return this.#allowance >= 0;
  }

  #refuse(why: string, code: number = closeCodes.policy): undefined {
    this.#options.socket.close(code, closedBecause('connection', why));
  }
}
