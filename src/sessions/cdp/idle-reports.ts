/**
 * Reports that the network is idle for documents that are written again. Chromium reports it once per document, and
 * clients wait for it after each `document.open()`: Puppeteer's `setContent` with `networkidle0` would never end on a
 * page that has been idle before, such as the first page of a browser that was started ahead of its client.
 */
import { isPlainObject } from '../../base/schema/record.ts';

/** Time in milliseconds without too many open requests after which Chromium considers the network idle. */
const quietMs = 500;
/** The reports, each with the number of requests that may be open. */
const reports = [
  { name: 'networkAlmostIdle', open: 2 },
  { name: 'networkIdle', open: 0 },
] as const;

/** The events with which requests begin and end. */
const requestEvents = new Set(['Network.requestWillBeSent', 'Network.loadingFinished', 'Network.loadingFailed']);

type Params = Readonly<Record<string, unknown>>;

/** A document that a client sees in one session. */
interface SeenDocument {
  loaderId: string;
  /** True once the network was reported to be idle. */
  idle: boolean;
  /** Set when the document is written again after that. */
  rewritten: Rewritten | undefined;
}

interface Rewritten {
  /** True once its markup is parsed. */
  parsed: boolean;
  /** Ids of its open requests. */
  readonly open: Set<string>;
  /** Time of the last event, in seconds on Chromium's clock. */
  timestamp: unknown;
  /** Running timers by the name of their report. */
  readonly timers: Map<string, ReturnType<typeof setTimeout>>;
  readonly reported: Set<string>;
}

interface SeenSession {
  /** True while the client receives events about requests. */
  network: boolean;
  /** By frame. */
  readonly documents: Map<string, SeenDocument>;
}

export class IdleReports implements Disposable {
  readonly #emit: (sessionId: string, method: string, params: object) => void;
  readonly #sessions = new Map<string, SeenSession>();
  /** Number of documents that are watched. */
  #watched = 0;

  /** @param emit sends the client an event of one of its sessions */
  constructor(emit: (sessionId: string, method: string, params: object) => void) {
    this.#emit = emit;
  }

  /** Records a command of the client. */
  sent(method: string, sessionId: string): void {
    if (method === 'Network.enable' || method === 'Network.disable') {
      this.#session(sessionId).network = method === 'Network.enable';
    }
  }

  /** Whether `hear` needs an event. @param beginning the first characters of the message */
  needs(beginning: string): boolean {
    if (beginning.startsWith('{"method":"Page.')) return /^.{16}(lifecycleEvent|frameDetached)"/.test(beginning);
    return this.#watched > 0 && /^\{"method":"Network\.(requestWillBeSent|loading(Finished|Failed))"/.test(beginning);
  }

  /** Handles an event of the browser for one of the client's sessions. */
  hear(method: string, params: unknown, sessionId: string): void {
    if (!isPlainObject(params)) return;
    if (method === 'Page.lifecycleEvent') this.#changed(params, sessionId);
    else if (method === 'Page.frameDetached') this.#forgetFrame(this.#sessions.get(sessionId), params['frameId']);
    else if (this.#watched > 0 && requestEvents.has(method)) this.#requested(method, params, sessionId);
  }

  /** Forgets a session that has ended. */
  detached(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    for (const frameId of session?.documents.keys() ?? []) this.#forgetFrame(session, frameId);
    this.#sessions.delete(sessionId);
  }

  [Symbol.dispose](): void {
    for (const sessionId of this.#sessions.keys()) this.detached(sessionId);
  }

  #session(sessionId: string): SeenSession {
    const known = this.#sessions.get(sessionId) ?? { network: false, documents: new Map() };
    this.#sessions.set(sessionId, known);
    return known;
  }

  #forgetFrame(session: SeenSession | undefined, frameId: unknown): void {
    const document = session?.documents.get(String(frameId));
    if (document) this.#unwatch(document);
    session?.documents.delete(String(frameId));
  }

  #unwatch(document: SeenDocument): void {
    if (!document.rewritten) return;
    for (const timer of document.rewritten.timers.values()) clearTimeout(timer);
    document.rewritten = undefined;
    this.#watched--;
  }

  #changed({ name, frameId, loaderId, timestamp }: Params, sessionId: string): void {
    const session = this.#session(sessionId);
    const key = String(frameId);
    const known = session.documents.get(key);
    if (known === undefined || known.loaderId !== loaderId) {
      this.#forgetFrame(session, key);
      session.documents.set(key, { loaderId: String(loaderId), idle: name === 'networkIdle', rewritten: undefined });
    } else if (name === 'networkIdle') {
      known.idle = true;
      this.#unwatch(known);
    } else if (name === 'init' && known.idle && session.network) {
      this.#unwatch(known);
      this.#watched++;
      known.rewritten = {
        parsed: false,
        open: new Set(),
        timestamp,
        timers: new Map(),
        reported: new Set(),
      };
    } else if (name === 'DOMContentLoaded' && known.rewritten) {
      known.rewritten.parsed = true;
      known.rewritten.timestamp = timestamp;
      this.#wait(known, known.rewritten, key, sessionId);
    }
  }

  #requested(method: string, { requestId, frameId, loaderId, timestamp }: Params, sessionId: string): void {
    for (const [key, document] of this.#sessions.get(sessionId)?.documents ?? []) {
      const { rewritten } = document;
      if (!rewritten) continue;
      const id = String(requestId);
      const begins = method === 'Network.requestWillBeSent';
      // The script of a worker is requested without a loader; its end is reported to the worker.
      const isOwn = begins ? frameId === key && loaderId === document.loaderId : rewritten.open.delete(id);
      if (!isOwn) continue;
      if (begins) rewritten.open.add(id);
      rewritten.timestamp = timestamp;
      this.#wait(document, rewritten, key, sessionId);
    }
  }

  /** Starts the timers of the reports that are due if nothing more is requested, and stops the others. */
  #wait(document: SeenDocument, rewritten: Rewritten, frameId: string, sessionId: string): void {
    const { parsed, open, timers, reported } = rewritten;
    for (const report of reports) {
      const due = parsed && open.size <= report.open && !reported.has(report.name);
      if (due && !timers.has(report.name)) {
        const { timestamp } = rewritten;
        const tell = () => {
          reported.add(report.name);
          timers.delete(report.name);
          if (report.name === 'networkIdle') this.#unwatch(document);
          const { loaderId } = document;
          this.#emit(sessionId, 'Page.lifecycleEvent', { frameId, loaderId, name: report.name, timestamp });
        };
        timers.set(report.name, setTimeout(tell, quietMs));
      } else if (!due) {
        clearTimeout(timers.get(report.name));
        timers.delete(report.name);
      }
    }
  }
}
