/**
 * Filters a trace down to the events that concern the pages of one virtual browser: Chromium traces every process, and
 * the browser process records the URLs that all others load.
 */
import { listLimits } from '../../../base/limits.ts';
import { ProtocolError } from '../../cdp/connection.ts';
import { nextTurn } from '../../../base/runtime/deadline.ts';
import { SerialQueue } from '../../../base/runtime/serial.ts';
import { isPlainObject } from '../../../base/schema/record.ts';
import type { Params } from './target-info.ts';

/** An event of Chromium's trace format; other fields are passed through unchanged. */
interface TraceEvent {
  /** The process id. */
  pid: number;
  /** `M` for metadata about a process or thread. */
  ph: string;
  name: string;
  args?: Record<string, unknown>;
}

/**
 * Events are kept until the trace is complete, because only then do we know which virtual browser each process's pages
 * belong to.
 */
const maxEvents = 500_000;
const invalidParams = -32_602;
/** Without it, the browser would not report which process shows which frame. */
const frameCategory = 'disabled-by-default-devtools.timeline';
/** Events of the browser process that may be forwarded: with page sessions, these concern only the traced page. */
const browserEvents: ReadonlySet<string> = new Set([
  'TracingStartedInBrowser',
  'FrameCommittedInBrowser',
  'FrameDeletedInBrowser',
  'ProcessReadyInBrowser',
  'Screenshot',
]);
const processMetadata: ReadonlySet<string> = new Set(['process_name', 'thread_name', 'process_sort_index']);

export interface VirtualBrowserTraceOptions {
  /** Whether a frame belongs to the virtual browser. */
  isOwnFrame(frameId: string): boolean;
  /** Sends an event of the tracing session. */
  emit(method: string, params: object): void;
  /** True when the client reads the trace as a stream. */
  asStream: boolean;
}

export class VirtualBrowserTrace {
  readonly #options: VirtualBrowserTraceOptions;
  readonly #batches: TraceEvent[][] = [];
  /** Processes of the virtual browser's pages. */
  readonly #own = new Set<number>();
  /** All renderer processes. */
  readonly #renderers = new Set<number>();
  #events = 0;
  #lost = false;
  #text: Blob | undefined;
  #position = 0;
  readonly #reads = new SerialQueue();

  constructor(options: VirtualBrowserTraceOptions) {
    this.#options = options;
  }

  /**
   * Returns the parameters of Tracing.start with which the browser reports the trace as events.
   * @throws ProtocolError
   */
  static parameters(params: Params): Params {
    const { categories, traceConfig, streamFormat = 'json', streamCompression = 'none', ...rest } = params;
    if (streamFormat !== 'json' || streamCompression !== 'none') {
      const reason =
        'A virtual browser supports only uncompressed JSON traces. For other formats, connect with isolation=process.';
      throw new ProtocolError('Tracing.start', invalidParams, reason);
    }
    if (typeof categories === 'string' && categories.length > listLimits.textCharacters) {
      const reason = `"categories" may have at most ${listLimits.textCharacters} characters.`;
      throw new ProtocolError('Tracing.start', invalidParams, reason);
    }
    const config = isPlainObject(traceConfig) ? traceConfig : {};
    const named = Array.isArray(config['includedCategories'])
      ? config['includedCategories']
      : typeof categories === 'string'
        ? categories.split(',').filter((name) => !name.startsWith('-'))
        : [];
    const includedCategories = [...(named.length === 0 ? ['*'] : named), frameCategory];
    return { ...rest, transferMode: 'ReportEvents', traceConfig: { ...config, includedCategories } };
  }

  /** Handles an event of the Tracing domain from the browser. */
  handleEvent(method: string, params: Params): void {
    if (method === 'Tracing.dataCollected') {
      const batch = params['value'] as TraceEvent[]; // The browser wrote it.
      this.#events += batch.length;
      if (this.#events > maxEvents) this.#lost = true;
      else {
        this.#batches.push(batch);
        for (const event of batch) this.#note(event);
      }
    } else if (method === 'Tracing.tracingComplete') void this.#complete(params['dataLossOccurred'] === true);
    else this.#options.emit(method, params);
  }

  /** Handles each batch in a separate turn of the event loop: a trace may contain half a million events. */
  async #complete(lost: boolean): Promise<void> {
    const { emit, asStream } = this.#options;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    // Taken from the end, so that each batch can be garbage-collected once it is written.
    const batches = this.#batches.splice(0).toReversed();
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      await nextTurn();
      const value = batch.filter((event) => this.#isOwn(event));
      if (value.length === 0) continue;
      if (!asStream) emit('Tracing.dataCollected', { value });
      else {
        const text = value.map((event) => JSON.stringify(event)).join(',\n');
        chunks.push(new TextEncoder().encode(chunks.length === 0 ? text : `,\n${text}`));
      }
    }
    const dataLossOccurred = lost || this.#lost;
    if (!asStream) return emit('Tracing.tracingComplete', { dataLossOccurred });
    this.#text = new Blob(['{"traceEvents":[', ...chunks, ']}']);
    emit('Tracing.tracingComplete', {
      dataLossOccurred,
      stream: streamHandle,
      traceFormat: 'json',
      streamCompression: 'none',
    });
  }

  /** Records the processes of the virtual browser's pages, and those of other pages. */
  #note(event: TraceEvent): void {
    const { pid, ph, name, args } = event;
    if (ph === 'M' && name === 'process_name' && args?.['name'] === 'Renderer') this.#renderers.add(pid);
    const frames = framesOf(event).filter((frame) => this.#isOwnFrame(frame));
    if (browserEvents.has(name)) {
      for (const { processId } of frames) if (typeof processId === 'number') this.#own.add(processId);
    } else if (frames.length > 0 || this.#isOwnFrame(args ?? {})) this.#own.add(pid);
  }

  #isOwnFrame({ frame }: Frame): boolean {
    return typeof frame === 'string' && this.#options.isOwnFrame(frame);
  }

  #isOwn(event: TraceEvent): boolean {
    const { pid, ph, name } = event;
    if (this.#own.has(pid)) return true;
    if (this.#renderers.has(pid)) return false;
    if (ph === 'M') return processMetadata.has(name);
    const isOwn = (frame: Frame) =>
      frame['frame'] === undefined || this.#isOwnFrame(frame) || this.#own.has(Number(frame['processId']));
    return browserEvents.has(name) && framesOf(event).every(isOwn);
  }

  /** Runs IO.read, one at a time, since each read continues where the previous one ended. @throws ProtocolError */
  read(params: Params): Promise<object> {
    const text = this.#text;
    if (!text) throw new ProtocolError('IO.read', invalidParams, 'Invalid stream handle');
    return this.#reads.run(() => this.#read(text, params));
  }

  async #read(text: Blob, { offset, size }: Params): Promise<object> {
    const start = typeof offset === 'number' ? Math.max(0, offset) : this.#position;
    const chunkBytes = typeof size === 'number' ? Math.max(0, Math.min(size, maxChunkBytes)) : defaultChunkBytes;
    // A UTF-8 character takes at most four bytes.
    const bytes = new Uint8Array(await text.slice(start, start + chunkBytes + 3).arrayBuffer());
    const end = endOfCharacter(bytes, chunkBytes);
    this.#position = start + end;
    const data = new TextDecoder().decode(bytes.subarray(0, end));
    return { data, eof: this.#position >= text.size, base64Encoded: false };
  }
}

/** The handle of the stream; a session has one trace at a time. */
export const streamHandle = 'trace';
/** Number of bytes that IO.read returns when the client does not specify a size, as in Chromium. */
const defaultChunkBytes = 2 ** 20;
/** Largest chunk that IO.read returns, in bytes: a larger one would take tens of milliseconds. */
const maxChunkBytes = 2 ** 22;

/** The end of a chunk, adjusted so that it does not split a UTF-8 character. */
function endOfCharacter(text: Uint8Array, end: number): number {
  let at = Math.min(end, text.length);
  while (at < text.length && ((text[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

type Frame = Record<string, unknown>;

/** The frames that an event of the browser process mentions. */
function framesOf({ args }: TraceEvent): Frame[] {
  const data = args?.['data'];
  if (!isPlainObject(data)) return [];
  return Array.isArray(data['frames']) ? data['frames'].filter(isPlainObject) : [data];
}
