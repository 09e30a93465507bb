/**
 * Writes the events of a tab in chronological order. Events from the page arrive up to half a second late, those from
 * the protocol immediately, so all events are buffered briefly.
 */
import { replayLimits } from '../../../base/limits.ts';
import { type GrowingGzip, startGzip } from '../../../base/runtime/media/gzip.ts';
import { SerialQueue } from '../../../base/runtime/serial.ts';

/** How long events wait for earlier ones, in milliseconds. */
const waitMs = 800;
/** Flush immediately when the buffered events exceed this many characters. */
const waitingCharacters = 4_000_000;

/** An event from the protocol, stored as a custom rrweb event. */
export type ProtocolEvent =
  | { tag: 'navigation'; payload: { url: string; title?: string } }
  | { tag: 'console'; payload: { level: ConsoleLevel; text: string } }
  | { tag: 'request'; payload: RequestPayload }
  | { tag: 'resource'; payload: { url: string; data: string } }
  | { tag: 'notice'; payload: { text: string } };

export type ConsoleLevel = 'log' | 'info' | 'warning' | 'error' | 'debug';

interface RequestPayload {
  method: string;
  /** Without query parameter values. */
  url: string;
  /** Chromium's resource type, such as `Document` or `XHR`. */
  type: string;
  /** 0 when there was no response. */
  status: number;
  ms: number;
  error?: string;
}

/** The file that receives the events of a tab. */
export interface EventFile {
  append(piece: Uint8Array): Promise<void>;
  /** @returns the size of the file in bytes */
  close(): Promise<number>;
}

/** A waiting event. Events from the protocol are serialized as late as possible, because a title may still arrive. */
interface Waiting {
  timestamp: number;
  line: string | ProtocolEvent;
}

const fullNotice: ProtocolEvent = {
  tag: 'notice',
  payload: { text: 'The recording of this tab stops here: its file has reached the maximum size.' },
};

export class EventLog {
  readonly #file: EventFile;
  readonly #maxBytes: number;
  readonly #gzip: GrowingGzip = startGzip();
  #waiting: Waiting[] = [];
  #waitingCharacters = 0;
  readonly #writes = new SerialQueue();
  #bytes = 0;
  #characters = 0;
  #wroteFullNotice = false;
  /** Number of events written so far. */
  events = 0;
  #closed: Promise<number> | undefined;

  /** @param maxBytes maximum size of the compressed file. Default: 128 MiB */
  constructor(file: EventFile, maxBytes: number = replayLimits.fileBytes) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** True when the file has reached its maximum size: a notice is written, and later events are dropped. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes || this.#characters >= replayLimits.fileCharacters;
  }

  /** @param timestamp epoch milliseconds. @param line an rrweb event as JSON, or an event from the protocol */
  add(timestamp: number, line: string | ProtocolEvent): void {
    if (this.#closed || this.isFull) return;
    // The page's clock may be ahead of the server's.
    this.#waiting.push({ timestamp: Math.min(timestamp, Date.now()), line });
    this.#waitingCharacters += charactersOf(line);
    if (this.#waitingCharacters > waitingCharacters) this.#write(Infinity);
  }

  /** Writes events that have waited long enough to the file. @throws any error that the file throws */
  async drain(): Promise<void> {
    this.#write(Date.now() - waitMs);
    await this.#writes.run(async () => this.#append(await this.#gzip.flush()));
  }

  /** Writes all remaining events; later calls wait for the first. @returns the size of the file in bytes */
  close(): Promise<number> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<number> {
    this.#write(Infinity);
    await this.#writes.idle();
    try {
      await this.#append(await this.#gzip.end());
    } finally {
      this.#bytes = await this.#file.close();
    }
    return this.#bytes;
  }

  /** Compresses all waiting events up to a time. */
  #write(until: number): void {
    const ready = this.#waiting.filter(({ timestamp }) => timestamp <= until);
    if (ready.length === 0) return;
    this.#waiting = this.#waiting.filter(({ timestamp }) => timestamp > until);
    this.#waitingCharacters = this.#waiting.reduce((sum, { line }) => sum + charactersOf(line), 0);
    for (const { timestamp, line } of ready.toSorted((one, other) => one.timestamp - other.timestamp)) {
      this.#put(timestamp, line);
    }
  }

  async #append(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return;
    await this.#file.append(piece);
    this.#bytes += piece.length;
    if (!this.isFull || this.#wroteFullNotice) return;
    this.#wroteFullNotice = true;
    this.#put(Date.now(), fullNotice);
  }

  #put(timestamp: number, line: string | ProtocolEvent): void {
    const text = typeof line === 'string' ? line : JSON.stringify({ type: 5, data: line, timestamp });
    this.#gzip.write(`${text}\n`);
    this.#characters += text.length;
    this.events++;
  }
}

function charactersOf(line: string | ProtocolEvent): number {
  if (typeof line === 'string') return line.length;
  return line.tag === 'resource' ? line.payload.data.length : replayLimits.textCharacters;
}
