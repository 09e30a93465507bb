/**
 * Writes the events of a tab in the order of their times. Those of a page come up to half a second after they happened,
 * those of the protocol at once; so all wait a moment.
 */
import { replayLimits } from '../../../base/limits.ts';
import { type GrowingGzip, startGzip } from '../../../base/runtime/media/gzip.ts';

/** How long events wait for others, in milliseconds. */
const waitMs = 800;
/** Waiting events with more characters are written at once. */
const waitingCharacters = 4_000_000;

/** What the protocol told, as a custom event of rrweb. */
export type ProtocolEvent =
  | { tag: 'navigation'; payload: { url: string; title?: string } }
  | { tag: 'console'; payload: { level: ConsoleLevel; text: string } }
  | { tag: 'request'; payload: RequestPayload }
  | { tag: 'notice'; payload: { text: string } };

export type ConsoleLevel = 'log' | 'info' | 'warning' | 'error' | 'debug';

interface RequestPayload {
  method: string;
  /** Without the values of its query. */
  url: string;
  /** Chromium's word, such as `Document` or `XHR`. */
  type: string;
  /** 0 when there was no answer. */
  status: number;
  ms: number;
  error?: string;
}

/** Where the events go: the file of a tab. */
export interface EventFile {
  append(piece: Uint8Array): Promise<void>;
  /** @returns the size of the file in bytes */
  close(): Promise<number>;
}

/** An event that waits; one of the protocol becomes text as late as possible, because its title may still come. */
interface Waiting {
  timestamp: number;
  line: string | ProtocolEvent;
}

const fullNotice: ProtocolEvent = {
  tag: 'notice',
  payload: { text: 'From here on nothing of this tab is recorded: its file has the size that it may have.' },
};

export class EventLog {
  readonly #file: EventFile;
  readonly #maxBytes: number;
  readonly #gzip: GrowingGzip = startGzip();
  #waiting: Waiting[] = [];
  #waitingCharacters = 0;
  #turn: Promise<void> = Promise.resolve();
  #bytes = 0;
  #characters = 0;
  #saysFull = false;
  #events = 0;
  #closed: Promise<number> | undefined;

  /** @param maxBytes of the file, compressed. Default: 128 MiB */
  constructor(file: EventFile, maxBytes: number = replayLimits.fileBytes) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Events written so far. */
  get events(): number {
    return this.#events;
  }

  /** True for a file that has its full size: it says so, and later events are forgotten. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes || this.#characters >= replayLimits.fileCharacters;
  }

  /** @param timestamp epoch milliseconds. @param line an event of rrweb as JSON, or one of the protocol */
  add(timestamp: number, line: string | ProtocolEvent): void {
    if (this.#closed || this.isFull) return;
    // A page may have a clock of its own, ahead of ours.
    this.#waiting.push({ timestamp: Math.min(timestamp, Date.now()), line });
    this.#waitingCharacters += charactersOf(line);
    if (this.#waitingCharacters > waitingCharacters) this.#write(Infinity);
  }

  /** Writes what has waited long enough into the file. @throws what the file throws */
  async drain(): Promise<void> {
    this.#write(Date.now() - waitMs);
    const mine = this.#turn.then(async () => this.#append(await this.#gzip.flush()));
    this.#turn = mine.catch(() => {});
    await mine;
  }

  /** Writes all that is left; later calls wait for the first. @returns the size of the file in bytes */
  close(): Promise<number> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<number> {
    this.#write(Infinity);
    await this.#turn;
    try {
      await this.#append(await this.#gzip.end());
    } finally {
      this.#bytes = await this.#file.close();
    }
    return this.#bytes;
  }

  /** Compresses the events that are not younger than a time. */
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
    if (!this.isFull || this.#saysFull) return;
    this.#saysFull = true;
    this.#put(Date.now(), fullNotice);
  }

  #put(timestamp: number, line: string | ProtocolEvent): void {
    const text = typeof line === 'string' ? line : JSON.stringify({ type: 5, data: line, timestamp });
    this.#gzip.write(`${text}\n`);
    this.#characters += text.length;
    this.#events++;
  }
}

function charactersOf(line: string | ProtocolEvent): number {
  return typeof line === 'string' ? line.length : replayLimits.textCharacters;
}
