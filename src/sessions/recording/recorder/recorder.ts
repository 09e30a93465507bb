/**
 * Records the document that it runs in with rrweb, and sends the events to the server. It runs in an isolated world.
 */
import { record } from '@rrweb/record';
import { readDrawings, readStates } from './page-states.ts';
import { messageKinds, type RecorderSettings } from './settings.ts';

/** The fields of an rrweb event that the recorder reads. */
interface PageEvent {
  timestamp: number;
  type: number;
  data: { source?: number };
}

/** Interval for sending events, in milliseconds, and the number of events at which they are sent earlier. */
const flushIntervalMs = 500;
const flushThreshold = 500;
/** Milliseconds between two points of a mouse path, and between two positions of a scrolled element. */
const mouseEveryMs = 100;
const scrollEveryMs = 150;
/**
 * How often a document is captured again in full, in milliseconds, because an isolated world does not see everything
 * that scripts do, such as adopted style sheets: first for a changed document, then for an unchanged one.
 */
const resnapshotMs = 30_000;
const maxSnapshotAgeMs = 120_000;
/** The next read is delayed by at least this many times the duration of the last one. */
const snapshotBackoff = 400;

/** How often canvases are read, in milliseconds: changing ones, and those that have not changed for long. */
const drawingsMs = 2_000;
const maxDrawingsMs = 30_000;
/** Characters of drawings that are recorded per millisecond, averaged over the time until the next read. */
const drawingsPerMs = 20;
/** The next read of states or canvases is delayed by at least this many times the duration of the last one. */
const extrasBackoff = 50;
/** Canvases that take longer than this to read, in milliseconds, are not read when the page is about to leave. */
const lastDrawingsMs = 50;

/** Sources of rrweb's incremental events (`IncrementalSource`) that change what the document shows. */
const changes: ReadonlySet<number> = new Set([0, 5, 8, 13, 15]);
const incremental = 3;
const custom = 5;
/** Sources of user actions (mouse and focus; input), after which a page often navigates. */
const userActions: ReadonlySet<number> = new Set([2, 5]);

class Recorder {
  readonly #settings: RecorderSettings;
  #events: PageEvent[] = [];
  /** Messages that wait for the server's function, which is added a moment after the document is created. */
  readonly #early: string[] = [];
  #earlyCharacters = 0;
  #sendToServer: ((message: string) => void) | undefined;
  /** Resolves when the server is listening and has received the queued messages. */
  readonly #listening: Promise<void>;
  #stopRecording: (() => void) | undefined;
  #isStopped = false;
  #readAt = 0;
  #readTookMs = 0;
  #hasChanged = false;
  /** Whether states may have changed since they were read, and when they are read next. */
  #mayHaveStates = false;
  #statesAt = 0;
  /** When drawings are read next, the time between two reads without a change, and the duration of the last one. */
  #drawingsAt = 0;
  #drawingsMs = drawingsMs;
  #drawingsTookMs = 0;
  /** The last states as JSON. */
  #states = '[]';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: RecorderSettings) {
    this.#settings = settings;
    this.#listening = this.#findServer(settings.binding);
    addEventListener('pagehide', this.#hidden);
    addEventListener('pageshow', this.#shown);
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', this.#begin, { once: true });
    else this.#begin();
  }

  /**
   * Waits for the function that sends messages to the server. In a document that loads fast, it may already exist.
   */
  #findServer(binding: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listen = (tell: (message: string) => void) => {
      this.#sendToServer = tell;
      for (const message of this.#early.splice(0)) tell(message);
      resolve();
    };
    const existing: unknown = Reflect.get(globalThis, binding);
    // Only the server can have added a function with this name.
    if (typeof existing === 'function') listen(existing as (message: string) => void);
    else
      Object.defineProperty(globalThis, binding, {
        configurable: true,
        // Chromium listens to the function only after setting it.
        set(tell: (message: string) => void) {
          setTimeout(() => listen(tell));
        },
      });
    return promise;
  }

  /** Sends the events so far. */
  flush(): void {
    if (this.#events.length === 0) return;
    const lines: string[] = [];
    let characters = 0;
    for (const { timestamp, type, data } of this.#events.splice(0)) {
      // The server reads the timestamp from the start of the line.
      const line = JSON.stringify({ timestamp, type, data });
      characters += line.length + 1;
      lines.push(line);
    }
    if (characters <= this.#settings.messageCharacters) return this.#send(messageKinds.events + lines.join('\n'));
    this.#giveUp(`A single page update was ${characters} characters long.`);
  }

  /** Sends the events so far; resolves when the server has received them. */
  flushed(): Promise<void> {
    if (this.#drawingsTookMs < lastDrawingsMs) this.#drawingsAt = 0;
    this.#readExtras();
    this.flush();
    return this.#listening;
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    removeEventListener('pagehide', this.#hidden);
    removeEventListener('pageshow', this.#shown);
    this.#stopRecording?.();
    this.#events = [];
    this.#early.splice(0);
  }

  readonly #begin = (): void => {
    if (this.#isStopped) return;
    const { mask } = this.#settings;
    this.#read(() => {
      this.#stopRecording = record<PageEvent>({
        emit: (event) => this.#take(event),
        maskAllInputs: mask === 'all',
        maskInputOptions: { password: mask !== 'none' },
        sampling: { mousemove: mouseEveryMs, scroll: scrollEveryMs, input: 'last' },
        recordCanvas: false,
        // Without a handler, an error in the recorder would be reported in the page.
        errorHandler: () => true,
      });
    });
    // The page may navigate soon, and unsent events are lost when the next document is from another site.
    this.flush();
    this.#wait();
  };

  readonly #hidden = (): void => this.flush();

  /** A document restored from the back/forward cache replaces the one that the player shows, so read it completely. */
  readonly #shown = ({ persisted }: PageTransitionEvent): void => {
    if (persisted && this.#stopRecording) this.#read(() => record.takeFullSnapshot(true));
  };

  #take(event: PageEvent): void {
    if (this.#isStopped) return;
    this.#events.push(event);
    // Most states change with what rrweb records, or with what a person does; not with what follows from them.
    this.#mayHaveStates ||= event.type !== custom;
    const source = event.type === incremental ? event.data.source : undefined;
    if (source !== undefined && changes.has(source)) this.#hasChanged = true;
    if (this.#events.length >= flushThreshold || (source !== undefined && userActions.has(source))) this.flush();
  }

  #wait(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      const passed = performance.now() - this.#readAt;
      const shortest = Math.min(maxSnapshotAgeMs, Math.max(resnapshotMs, this.#readTookMs * snapshotBackoff));
      if (passed > (this.#hasChanged ? shortest : maxSnapshotAgeMs)) this.#read(() => record.takeFullSnapshot(true));
      else this.#readExtras();
      this.flush();
      this.#wait();
    }, flushIntervalMs);
  }

  /** Reads the whole document. */
  #read(read: () => void): void {
    const from = performance.now();
    read();
    this.#readAt = performance.now();
    this.#readTookMs = this.#readAt - from;
    this.#hasChanged = false;
    this.#states = '[]';
    this.#readExtras(true);
    if (this.#readTookMs <= this.#settings.readMs) return;
    this.flush();
    this.#giveUp(`Reading the page blocked it for ${Math.round(this.#readTookMs)} ms.`);
  }

  /** Reads what rrweb does not record. @param isWhole whether the document has just been read as a whole */
  #readExtras(isWhole = false): void {
    if (this.#isStopped || !this.#stopRecording) return;
    try {
      if (isWhole || (this.#mayHaveStates && performance.now() >= this.#statesAt)) this.#readStates();
      if (isWhole || performance.now() >= this.#drawingsAt) this.#readDrawings(isWhole);
    } catch {
      // An error in the recorder would be reported in the page.
    }
  }

  #readStates(): void {
    const from = performance.now();
    this.#mayHaveStates = false;
    const states = readStates();
    const text = JSON.stringify(states);
    if (text !== this.#states) record.addCustomEvent('states', { states });
    this.#states = text;
    this.#statesAt = performance.now() + (performance.now() - from) * extrasBackoff;
  }

  #readDrawings(isWhole: boolean): void {
    const from = performance.now();
    const drawings = readDrawings(isWhole);
    for (const drawing of drawings) record.addCustomEvent('drawing', drawing);
    const characters = drawings.reduce((sum, { data }) => sum + data.length, 0);
    this.#drawingsMs = characters > 0 ? drawingsMs : Math.min(maxDrawingsMs, this.#drawingsMs * 2);
    this.#drawingsTookMs = performance.now() - from;
    const delayMs = Math.max(this.#drawingsMs, characters / drawingsPerMs, this.#drawingsTookMs * extrasBackoff);
    this.#drawingsAt = performance.now() + delayMs;
  }

  #giveUp(why: string): void {
    if (this.#isStopped) return;
    this.#send(messageKinds.stopped + why);
    this.stop();
  }

  #send(message: string): void {
    if (this.#sendToServer) return this.#sendToServer(message);
    this.#earlyCharacters += message.length;
    this.#early.push(message);
    // A server that has stopped in the meantime never listens.
    if (this.#earlyCharacters > this.#settings.messageCharacters) this.stop();
  }
}

let recorder: Recorder | undefined;

/** Starts to record the document, once per document. */
export function start(settings: RecorderSettings): void {
  recorder ??= new Recorder(settings);
}

/** Sends the events so far to the server; resolves when it has received them. */
export function flush(): Promise<void> | undefined {
  return recorder?.flushed();
}

/** Stops the recording; unsent events are dropped. */
export function stop(): void {
  recorder?.stop();
}
