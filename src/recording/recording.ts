/** Records the pages of one session, those that open later too, until it is stopped or its browser ends. */
import { recordingLimits } from '../limits.ts';
import { pause } from '../runtime/deadline.ts';
import type { AttachableSession } from '../sessions/session.ts';
import type { Log } from '../telemetry/log.ts';
import type { RecordedTab, RecordingMeta } from './meta.ts';
import { makeRecordingId } from './recording-id.ts';
import type { RecordingStore, RecordingWriter, TabWriter } from './store.ts';
import { PageVideo } from './video.ts';

/** What a page may lose when it closes without a word, in milliseconds of encoded video. */
const drainEveryMs = 2_000;
/** Libraries give a new page its viewport right after they made it, and a video keeps its first size. In milliseconds. */
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
  store: RecordingStore;
  log: Log;
  /** Frames per second at most. */
  frameRate: number;
}

/** A page that is being recorded, or was. */
interface Tab {
  /** Undefined while its recording begins, and when that failed. */
  video: PageVideo | undefined;
  writer: TabWriter;
  facts: RecordedTab;
  ended: Promise<void> | undefined;
}

export class Recording {
  readonly id: string;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  readonly #resolveEnded: () => void;
  readonly #options: RecordingOptions;
  readonly #writer: RecordingWriter;
  readonly #meta: RecordingMeta;
  /** By target id. */
  readonly #tabs = new Map<string, Tab>();
  readonly #unwatch: () => void;
  readonly #joining = new Set<Promise<unknown>>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #stopping = new AbortController();
  #stopped: Promise<RecordingMeta> | undefined;

  private constructor(options: RecordingOptions, writer: RecordingWriter, meta: RecordingMeta) {
    this.#options = options;
    this.#writer = writer;
    this.#meta = meta;
    this.id = meta.id;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    const { life } = options.session;
    this.#unwatch = life.watch((event) => {
      if (event.type === 'page-opened') this.#joinLater(event.page);
    });
    this.#timer = setInterval(() => void this.#drain(), drainEveryMs);
  }

  /**
   * @param first the page that has to be recorded; without one, pages are recorded as they come
   * @throws ServiceError `storage-full`, `launch-failed`; what the browser throws when the first page cannot be recorded
   */
  static async start(options: RecordingOptions, first: string | undefined): Promise<Recording> {
    const { session, store, frameRate } = options;
    const startedOn = Date.now();
    const meta: RecordingMeta = {
      id: makeRecordingId(startedOn),
      kind: 'video',
      session: session.facts.id,
      trackingId: session.facts.trackingId ?? null,
      browser: session.process.version.product,
      state: 'recording',
      reason: null,
      startedOn,
      endedOn: null,
      frameRate,
      tabs: [],
      pagesLeftOut: 0,
    };
    const recording = new Recording(options, await store.create(meta), meta);
    if (first !== undefined) {
      await recording.#join(first).catch(async (error: unknown) => {
        await recording.stop('It could not begin.');
        await store.remove(recording.id);
        throw error;
      });
    }
    const others = session.life.pages.map((page) =>
      recording.#join(page).catch((cause) => recording.#lost(page, cause)),
    );
    if (first !== undefined) await Promise.all(others);
    return recording;
  }

  /** What is known of it now. */
  get meta(): RecordingMeta {
    return this.#meta;
  }

  /** What is known of the video of a page; undefined when it was not recorded. */
  tabOf(page: string): RecordedTab | undefined {
    return this.#tabs.get(page)?.facts;
  }

  /** Ends the video of each page that is about to close, so that its last frames are kept. */
  async closing(isClosing: (page: string, context: string | undefined) => boolean): Promise<void> {
    const tabs = [...this.#tabs].filter(([page, { video }]) => video && isClosing(page, video.context));
    await Promise.all(tabs.map(([, tab]) => this.#end(tab)));
  }

  /** Ends all videos; later calls wait for the first. @param reason why, in words */
  stop(reason: string): Promise<RecordingMeta> {
    this.#stopped ??= this.#stop(reason);
    return this.#stopped;
  }

  async #stop(reason: string): Promise<RecordingMeta> {
    const meta = this.#meta;
    const { session, log } = this.#options;
    this.#stopping.abort();
    clearInterval(this.#timer);
    this.#unwatch();
    await Promise.all(this.#joining);
    const isLost = session.process.connection.closed.aborted;
    await Promise.all([...this.#tabs.values()].map((tab) => this.#end(tab)));
    meta.state = isLost ? 'cut short' : 'finished';
    meta.reason = reason;
    meta.endedOn = Date.now();
    await this.#writer.finish(meta);
    this.#resolveEnded();
    log.info('recording.ended', { recording: meta.id, session: meta.session, state: meta.state, reason });
    return meta;
  }

  #joinLater(page: string): void {
    const joined = pause(settleMs, this.#stopping.signal).then(() => this.#join(page));
    const settled = joined
      .catch((cause: unknown) => this.#lost(page, cause))
      .finally(() => this.#joining.delete(settled));
    this.#joining.add(settled);
  }

  async #join(page: string): Promise<void> {
    if (this.#tabs.has(page) || this.#stopping.signal.aborted) return;
    const running = [...this.#tabs.values()].filter(({ ended }) => ended === undefined).length;
    if (running >= recordingLimits.tabsAtOnce || this.#tabs.size >= recordingLimits.tabs) {
      this.#meta.pagesLeftOut++;
      return;
    }
    const number = this.#tabs.size + 1;
    const opening = this.#writer.openTab(number);
    const tab: Tab = {
      video: undefined,
      writer: lateWriter(opening),
      facts: { ...emptyTab, tab: number, page, startedOn: Date.now() },
      ended: undefined,
    };
    // Before anything is waited for: another call must not record the page too.
    this.#tabs.set(page, tab);
    const { connection } = this.#options.session.process;
    try {
      await opening;
      const write = (piece: Uint8Array) => tab.writer.append(piece);
      const video = await PageVideo.start({ connection, page, frameRate: this.#options.frameRate, write });
      tab.video = video;
      Object.assign(tab.facts, { ...video.size, startedOn: Date.now() });
      this.#meta.tabs.push(tab.facts);
      const closed = () => void this.#end(tab);
      if (video.closed.aborted) closed();
      else video.closed.addEventListener('abort', closed, { once: true });
      await this.#writer.save(this.#meta);
    } catch (error) {
      await this.#end(tab);
      throw error;
    }
  }

  #end(tab: Tab): Promise<void> {
    tab.ended ??= (async () => {
      await tab.video?.stop();
      tab.facts.bytes = await tab.writer.close().catch(() => 0);
      tab.facts.endedOn = Date.now();
    })();
    return tab.ended;
  }

  /** A page that cannot be recorded, because it has closed already for example, leaves the others as they are. */
  #lost(page: string, cause: unknown): void {
    if (this.#stopping.signal.aborted || !this.#options.session.life.hasPage(page)) return;
    this.#options.log.warn('recording.page-failed', { recording: this.id, page, cause });
  }

  async #drain(): Promise<void> {
    try {
      const running = [...this.#tabs.values()].filter(({ ended }) => ended === undefined);
      await Promise.all(running.map(({ video }) => video?.drain()));
      const problem = await this.#options.store.problem();
      if (problem !== undefined) await this.stop(problem);
    } catch (cause) {
      this.#options.log.warn('recording.write-failed', { recording: this.id, cause });
      await this.stop(cause instanceof Error ? cause.message : 'It could not be written.');
    }
  }
}

/** A writer that is still being opened. */
function lateWriter(opening: Promise<TabWriter>): TabWriter {
  opening.catch(() => {});
  return {
    append: async (piece) => (await opening).append(piece),
    close: async () => (await opening).close(),
  };
}
