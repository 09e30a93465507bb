/** Records the document that it runs in with rrweb, and tells the server. It runs in an isolated world. */
import { record } from '@rrweb/record';
import { messageKinds, type RecorderSettings } from './settings.ts';

/** What the recorder reads of an event of rrweb. */
interface PageEvent {
  timestamp: number;
  type: number;
  data: { source?: number };
}

/** What happened is told after this time, in milliseconds, and at the latest after so many events. */
const tellEveryMs = 500;
const tellEvery = 500;
/** Milliseconds between two points of a mouse path, and between two places of a scrolled element. */
const mouseEveryMs = 100;
const scrollEveryMs = 150;
/**
 * The document is read as a whole again after the first time when it has changed, because an isolated world does not see
 * all that scripts do, such as style sheets that they adopt; and after the second in any case. In milliseconds.
 */
const readAgainMs = 30_000;
const readInAnyCaseMs = 120_000;
/** At least this many times as long as it took passes until then. */
const readingShare = 400;

/** Sources of rrweb's incremental events (`IncrementalSource`) that change what the document shows. */
const changes: ReadonlySet<number> = new Set([0, 5, 8, 13, 15]);
const incremental = 3;
/** What a person does, after which a page often goes: mouse, focus and input. */
const acts: ReadonlySet<number> = new Set([2, 5]);

class Recorder {
  readonly #settings: RecorderSettings;
  #events: PageEvent[] = [];
  /** Messages that wait for the server's function, which comes a moment after the document. */
  readonly #early: string[] = [];
  #earlyCharacters = 0;
  #tell: ((message: string) => void) | undefined;
  /** Resolves when the server listens and has what waited for it. */
  readonly #listening: Promise<void>;
  #stopRecording: (() => void) | undefined;
  #isStopped = false;
  #readAt = 0;
  #readTookMs = 0;
  #hasChanged = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: RecorderSettings) {
    this.#settings = settings;
    this.#listening = this.#findServer(settings.binding);
    addEventListener('pagehide', this.#hidden);
    addEventListener('pageshow', this.#shown);
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', this.#begin, { once: true });
    else this.#begin();
  }

  /** Waits for the function with which it tells the server. A document that loads fast may have it first. */
  #findServer(binding: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listen = (tell: (message: string) => void) => {
      this.#tell = tell;
      for (const message of this.#early.splice(0)) tell(message);
      resolve();
    };
    const there: unknown = Reflect.get(globalThis, binding);
    // Only the server can have put a function there.
    if (typeof there === 'function') listen(there as (message: string) => void);
    else
      Object.defineProperty(globalThis, binding, {
        configurable: true,
        // Chromium listens to the function only when it has set it.
        set(tell: (message: string) => void) {
          setTimeout(() => listen(tell));
        },
      });
    return promise;
  }

  /** Tells what happened until now. */
  flush(): void {
    if (this.#events.length === 0) return;
    const lines: string[] = [];
    let characters = 0;
    for (const { timestamp, type, data } of this.#events.splice(0)) {
      // The server reads the time from the beginning of the line.
      const line = JSON.stringify({ timestamp, type, data });
      characters += line.length + 1;
      lines.push(line);
    }
    if (characters <= this.#settings.messageCharacters) return this.#send(messageKinds.events + lines.join('\n'));
    this.#giveUp(`It changed by ${characters} characters at once.`);
  }

  /** The same; resolves when the server has it. */
  flushed(): Promise<void> {
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
        // Without a handler an error of the recorder would be reported in the page.
        errorHandler: () => true,
      });
    });
    // A document may soon go, and what it has not told then is lost when the next one is of another site.
    this.flush();
    this.#wait();
  };

  readonly #hidden = (): void => this.flush();

  /** A document that comes back from the cache of the history stands where the player shows another one. */
  readonly #shown = ({ persisted }: PageTransitionEvent): void => {
    if (persisted && this.#stopRecording) this.#read(() => record.takeFullSnapshot(true));
  };

  #take(event: PageEvent): void {
    if (this.#isStopped) return;
    this.#events.push(event);
    const source = event.type === incremental ? event.data.source : undefined;
    if (source !== undefined && changes.has(source)) this.#hasChanged = true;
    if (this.#events.length >= tellEvery || (source !== undefined && acts.has(source))) this.flush();
  }

  #wait(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      const passed = performance.now() - this.#readAt;
      const shortest = Math.min(readInAnyCaseMs, Math.max(readAgainMs, this.#readTookMs * readingShare));
      if (passed > (this.#hasChanged ? shortest : readInAnyCaseMs)) this.#read(() => record.takeFullSnapshot(true));
      this.flush();
      this.#wait();
    }, tellEveryMs);
  }

  /** Reads the whole document. */
  #read(read: () => void): void {
    const from = performance.now();
    read();
    this.#readAt = performance.now();
    this.#readTookMs = this.#readAt - from;
    this.#hasChanged = false;
    if (this.#readTookMs <= this.#settings.readMs) return;
    this.flush();
    this.#giveUp(`Reading it took ${Math.round(this.#readTookMs)} ms, in which it stood still.`);
  }

  #giveUp(why: string): void {
    if (this.#isStopped) return;
    this.#send(messageKinds.stopped + why);
    this.stop();
  }

  #send(message: string): void {
    if (this.#tell) return this.#tell(message);
    this.#earlyCharacters += message.length;
    this.#early.push(message);
    // A server that has gone meanwhile never listens.
    if (this.#earlyCharacters > this.#settings.messageCharacters) this.stop();
  }
}

let recorder: Recorder | undefined;

/** Begins to record the document; once for each. */
export function start(settings: RecorderSettings): void {
  recorder ??= new Recorder(settings);
}

/** Tells the server what happened until now; resolves when it has that. */
export function flush(): Promise<void> | undefined {
  return recorder?.flushed();
}

/** Ends the recording: what was not told is forgotten. */
export function stop(): void {
  recorder?.stop();
}
