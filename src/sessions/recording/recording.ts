/** Records the pages of one session, including those that open later, until it is stopped or its browser exits. */
import type { DirectoryStore } from './directory-store.ts';
import { recordingLimits } from '../../base/limits.ts';
import { onAbort, pause } from '../../base/runtime/deadline.ts';
import type { AttachableSession } from '../lifecycle/session.ts';
import type { Log } from '../../base/telemetry/log.ts';
import type { RecordedTab, RecordingMeta } from './meta.ts';
import { makeRecordingId } from './recording-id.ts';
import type { Capture, RecordedPage } from './recorded-page.ts';
import type { RecordingWriter } from './store.ts';

/** Interval for saving data: a page that closes unexpectedly loses at most this much video and events, in ms. */
const drainEveryMs = 2_000;
/**
 * Wait before recording a new page, in ms: libraries set its viewport right after creation, and a video's size is
 * fixed.
 */
const settleMs = 250;

const emptyTab = {
  width: 0,
  height: 0,
  bytes: 0,
  eventBytes: 0,
  events: 0,
  title: '',
  website: '',
  endedOn: null,
} as const;

export interface RecordingOptions {
  session: AttachableSession;
  store: DirectoryStore;
  log: Log;
  capture: Capture;
}

/** A page that is being recorded, or was. */
interface Tab {
  /** Undefined while its recording is starting, and when that has failed. */
  recorded: RecordedPage | undefined;
  facts: RecordedTab;
  hasEnded: boolean;
}

export class Recording {
  readonly id: string;
  readonly #ended = Promise.withResolvers<void>();
  /** Resolves when it has ended. */
  readonly ended = this.#ended.promise;
  readonly #options: RecordingOptions;
  readonly #writer: RecordingWriter;
  /** The current metadata. */
  readonly meta: RecordingMeta;
  /** By target id. */
  readonly #tabs = new Map<string, Tab>();
  readonly #unwatch: () => void;
  readonly #joining = new Set<Promise<unknown>>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #stopping = new AbortController();
  #stopped: Promise<RecordingMeta> | undefined;
  /** The metadata that was saved last, as JSON. */
  #saved = '';

  private constructor(options: RecordingOptions, writer: RecordingWriter, meta: RecordingMeta) {
    this.#options = options;
    this.#writer = writer;
    this.meta = meta;
    this.id = meta.id;
    const { life } = options.session;
    this.#unwatch = life.watch((event) => {
      if (event.type === 'page-opened') this.#joinLater(event.page);
    });
    this.#timer = setInterval(() => void this.#drain(), drainEveryMs);
  }

  /**
   * @param first the page that must be recorded; if undefined, pages are recorded as they open
   * @throws ServiceError `storage-full`, `launch-failed`; the error that the browser returns when the first page cannot
   *   be recorded
   */
  static async start(options: RecordingOptions, first: string | undefined): Promise<Recording> {
    const { session, store, capture } = options;
    const startedOn = Date.now();
    const meta: RecordingMeta = {
      id: makeRecordingId(startedOn),
      kind: capture.kind,
      session: session.facts.id,
      trackingId: session.facts.trackingId ?? null,
      account: session.facts.owner,
      browser: session.process.version.product,
      state: 'recording',
      reason: null,
      startedOn,
      endedOn: null,
      frameRate: capture.kind === 'video' ? capture.frameRate : 0,
      tabs: [],
      pagesLeftOut: 0,
    };
    const recording = new Recording(options, await store.create(meta), meta);
    if (first !== undefined) {
      await recording.#join(first).catch(async (error: unknown) => {
        await recording.stop('The recording could not start.');
        await store.remove(recording.id);
        throw error;
      });
    }
    const others = session.life.pages.map((page) => recording.#joinNow(page));
    // Clients must not change a document before the replay has read it. For a video, there is no need to wait.
    if (first !== undefined || capture.kind === 'replay') await Promise.all(others);
    return recording;
  }

  /** Metadata of a page's tab; undefined when the page was not recorded. */
  tabOf(page: string): RecordedTab | undefined {
    return this.#tabs.get(page)?.facts;
  }

  /** Ends the recording of each page that is about to close, so that its last moments are kept. */
  async closing(isClosing: (page: string, context: string | undefined) => boolean): Promise<void> {
    const tabs = [...this.#tabs].filter(([page, { recorded }]) => recorded && isClosing(page, recorded.context));
    await Promise.all(tabs.map(([, tab]) => this.#end(tab)));
  }

  /** Saves the last events of the document that a page is about to leave. */
  async leaving(page: string): Promise<void> {
    await this.#tabs.get(page)?.recorded?.leaving();
  }

  /** Ends the recording of all pages; later calls wait for the first. @param reason human-readable reason */
  stop(reason: string): Promise<RecordingMeta> {
    this.#stopped ??= this.#stop(reason);
    return this.#stopped;
  }

  async #stop(reason: string): Promise<RecordingMeta> {
    const meta = this.meta;
    const { session, log } = this.#options;
    this.#stopping.abort();
    clearInterval(this.#timer);
    this.#unwatch();
    await Promise.all(this.#joining);
    const isLost = session.process.connection.closed.aborted;
    await Promise.all([...this.#tabs.values()].map((tab) => this.#end(tab)));
    const { failure } = this.#writer;
    meta.state = isLost || failure ? 'cut short' : 'finished';
    meta.reason = failure?.message ?? reason;
    meta.endedOn = Date.now();
    await this.#writer.finish(meta);
    this.#ended.resolve();
    log.info('recording.ended', { recording: meta.id, session: meta.session, state: meta.state, reason: meta.reason });
    return meta;
  }

  #joinLater(page: string): void {
    const isVideo = this.#options.capture.kind === 'video';
    void this.#joinNow(page, isVideo ? pause(settleMs, this.#stopping.signal) : Promise.resolve());
  }

  /** Starts recording a page; `#stop` waits for this. Never rejects. */
  #joinNow(page: string, settling: Promise<void> = Promise.resolve()): Promise<void> {
    const settled = settling
      .then(() => this.#join(page))
      .catch((cause: unknown) => {
        // Other pages are not affected.
        if (this.#stopping.signal.aborted || !this.#options.session.life.hasPage(page)) return;
        this.#options.log.warn('recording.page-failed', { recording: this.id, page, cause });
      })
      .finally(() => this.#joining.delete(settled));
    this.#joining.add(settled);
    return settled;
  }

  async #join(page: string): Promise<void> {
    if (this.#tabs.has(page) || this.#stopping.signal.aborted) return;
    const running = [...this.#tabs.values()].filter(({ hasEnded }) => !hasEnded).length;
    if (running >= recordingLimits.tabsAtOnce || this.#tabs.size >= recordingLimits.tabs) {
      this.meta.pagesLeftOut++;
      return;
    }
    const number = this.#tabs.size + 1;
    const facts = { ...emptyTab, tab: number, page, startedOn: Date.now() };
    const tab: Tab = { recorded: undefined, facts, hasEnded: false };
    // Set before the first await, so that no other call records the same page.
    this.#tabs.set(page, tab);
    const { session, capture } = this.#options;
    const { connection } = session.process;
    try {
      // Loaded with the first recording: most servers record nothing.
      const recording = await import('./recorded-page.ts');
      const recorded = await recording.RecordedPage.start({ connection, facts, writer: this.#writer, capture });
      tab.recorded = recorded;
      // The recording stopped before this page was ready, so `#stop` has not ended it.
      if (this.#stopping.signal.aborted) return await this.#end(tab);
      this.meta.tabs.push(facts);
      // Tabs may become ready in a different order than they were started.
      this.meta.tabs.sort((one, other) => one.tab - other.tab);
      onAbort(recorded.closed, () => void this.#end(tab));
      await this.#save();
    } catch (error) {
      await this.#end(tab);
      throw error;
    }
  }

  async #end(tab: Tab): Promise<void> {
    tab.hasEnded = true;
    await tab.recorded?.end();
  }

  async #save(): Promise<void> {
    const text = JSON.stringify(this.meta);
    // `#stop` writes the final metadata, and nothing may be written after it.
    if (text === this.#saved || this.#stopping.signal.aborted) return;
    this.#saved = text;
    await this.#writer.save(this.meta);
  }

  async #drain(): Promise<void> {
    try {
      const running = [...this.#tabs.values()].filter(({ hasEnded }) => !hasEnded);
      await Promise.all(running.map(({ recorded }) => recorded?.drain()));
      await this.#save();
      const problem = await this.#options.store.problem();
      if (problem !== undefined) await this.stop(problem);
    } catch (cause) {
      this.#options.log.warn('recording.write-failed', { recording: this.id, cause });
      await this.stop(cause instanceof Error ? cause.message : 'The recording could not be written.');
    }
  }
}
