/**
 * Records traces for the sessions of a virtual browser (Chromium's Tracing domain): has Chromium report them as events,
 * and forwards only those that concern the virtual browser's own pages.
 */
import { type BrowserConnection, type ForwardedCommand, ProtocolError } from '../../cdp/connection.ts';
import { responseIdOf, prefixOf, type RawMessage, textOf, utf8 } from '../../cdp/raw-message.ts';
import type { SessionReader } from '../../cdp/transport.ts';
import { isPlainObject } from '../../../base/schema/record.ts';
import type { Params } from './target-info.ts';
import { VirtualBrowserTrace, streamHandle } from './trace.ts';

export interface TracesOptions {
  /** The connection to the process. */
  connection: BrowserConnection;
  /** Ids of the current targets of the virtual browser; the main frame of a page has the id of its target. */
  targetIds(): string[];
  /** Sends an event of a session to its client. */
  emit(sessionId: string, method: string, params: object): void;
}

interface Recording {
  trace: VirtualBrowserTrace;
  /** Ids of the targets that existed while it ran. */
  targets: Set<string>;
  /** The trace that the session recorded before, until this one has started. */
  before: Recording | undefined;
}

export class Traces {
  readonly #options: TracesOptions;
  /** By the recording session; a session has one trace at a time. */
  readonly #recordings = new Map<string, Recording>();
  /** By session: the id of its command to start a trace, whose response the session's reader will receive. */
  readonly #starting = new Map<string, number>();

  constructor(options: TracesOptions) {
    this.#options = options;
  }

  /** Records a new target. */
  targetCreated(targetId: string): void {
    for (const { targets } of this.#recordings.values()) targets.add(targetId);
  }

  /**
   * Runs a command about a trace on a session that nothing else reads; undefined for any other command.
   * @throws ProtocolError
   */
  run(sessionId: string, method: string, params: Params): Promise<unknown> | undefined {
    return method === 'Tracing.start' ? this.#start(sessionId, params) : this.#read(sessionId, method, params);
  }

  /**
   * Like `run`, for a session with a `reader`, which receives the browser's response.
   * @throws ProtocolError
   */
  runOnRead({ id, method, params, sessionId }: ForwardedCommand): Promise<unknown> | 'forwarded' | undefined {
    if (method !== 'Tracing.start') return this.#read(sessionId, method, { ...params });
    const reported = this.#prepare(sessionId, { ...params });
    this.#starting.set(sessionId, id);
    this.#options.connection.forward({ id, method, params: reported, sessionId });
    return 'forwarded';
  }

  /** Runs IO.read and IO.close for the stream of a trace. */
  #read(sessionId: string, method: string, params: Params): Promise<unknown> | undefined {
    if (params['handle'] !== streamHandle) return undefined;
    const trace = this.#recordings.get(sessionId)?.trace;
    if (method === 'IO.read' && trace) return trace.read(params);
    if (method !== 'IO.close' || !trace) return undefined;
    this.#recordings.delete(sessionId);
    return Promise.resolve({});
  }

  async #start(sessionId: string, params: Params): Promise<unknown> {
    const method = 'Tracing.start';
    try {
      const answer = await this.#options.connection.command(method, this.#prepare(sessionId, params), sessionId);
      this.#started(sessionId);
      return answer;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#failed(sessionId);
      throw new ProtocolError(method, error.code, explained(error.reason));
    }
  }

  /** @returns the parameters for the browser. @throws ProtocolError */
  #prepare(sessionId: string, params: Params): Params {
    const { targetIds, emit } = this.#options;
    const reported = VirtualBrowserTrace.parameters(params);
    const targets = new Set(targetIds());
    const trace = new VirtualBrowserTrace({
      isOwnFrame: (frameId) => targets.has(frameId),
      emit: (event, value) => emit(sessionId, event, value),
      asStream: params['transferMode'] === 'ReturnAsStream',
    });
    this.#recordings.set(sessionId, { trace, targets, before: this.#recordings.get(sessionId) });
    return reported;
  }

  #started(sessionId: string): void {
    const recording = this.#recordings.get(sessionId);
    if (recording) recording.before = undefined;
  }

  /** Restores the earlier trace of the session, which may still be running. */
  #failed(sessionId: string): void {
    const before = this.#recordings.get(sessionId)?.before;
    if (before) this.#recordings.set(sessionId, before);
    else this.#recordings.delete(sessionId);
  }

  /** Handles an event of a recording session. @returns false for an event that is not about a trace */
  take(sessionId: string, method: string, params: Params): boolean {
    const recording = this.#recordings.get(sessionId);
    if (!recording || !method.startsWith('Tracing.')) return false;
    recording.trace.handleEvent(method, params);
    return true;
  }

  /** Wraps the reader of a session, leaving out the events of traces. */
  reader(reader: SessionReader): SessionReader {
    return {
      message: (message, sessionId) => {
        const own = this.#recordings.has(sessionId) ? this.#look(message, sessionId) : message;
        if (own) reader.message(own, sessionId);
      },
      cut: (message, sessionId) => reader.cut(message, sessionId),
    };
  }

  /** Returns the part of a recording session's message that the client receives. */
  #look(message: RawMessage, sessionId: string): RawMessage | undefined {
    const beginning = prefixOf(message);
    if (beginning.startsWith('{"method":"Tracing.')) {
      const { method, params } = JSON.parse(textOf(message)) as { method: string; params: unknown }; // From Chromium.
      return isPlainObject(params) && this.take(sessionId, method, params) ? undefined : message;
    }
    const starting = this.#starting.get(sessionId);
    if (starting === undefined || responseIdOf(beginning) !== starting) return message;
    this.#starting.delete(sessionId);
    // From Chromium.
    const answer = JSON.parse(textOf(message)) as { id: number; error?: { code: number; message: string } };
    if (!answer.error) {
      this.#started(sessionId);
      return message;
    }
    this.#failed(sessionId);
    const error = { ...answer.error, message: explained(answer.error.message) };
    const bytes = utf8(JSON.stringify({ ...answer, error, sessionId }));
    return { parts: [bytes], bytes: bytes.length };
  }

  /** Forgets the trace of a session that has ended. */
  ended(sessionId: string): void {
    this.#recordings.delete(sessionId);
    this.#starting.delete(sessionId);
  }
}

/** Chromium records one trace at a time. */
function explained(reason: string): string {
  if (!reason.includes('already been started')) return reason;
  return `${reason} The process is shared: try again later, or connect with isolation=process.`;
}
