/**
 * Records one page: its video or its document, plus events from the protocol, in a server-side session that clients do
 * not see.
 */
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import type { BrowserConnection, CdpSession } from '../../browser/cdp/connection.ts';
import { EventLog } from './events/event-log.ts';
import { PageEvents } from './events/page-events.ts';
import { PageReplay } from './events/page-replay.ts';
import { PageResources, type PageResourcesOptions } from './events/page-resources.ts';
import type { RecordedTab } from './meta.ts';
import type { ReplayMask } from './recorder/settings.ts';
import type { RecordingWriter, TabWriter } from './store.ts';
import { PageVideo } from './video.ts';

/** Specifies what to record of pages, and how. */
export type Capture =
  | {
      kind: 'video';
      /** Maximum frames per second. */
      frameRate: number;
    }
  | { kind: 'replay'; mask: ReplayMask };

export interface RecordedPageOptions {
  connection: BrowserConnection;
  /** Metadata of the tab, which is kept up to date. */
  facts: RecordedTab;
  writer: RecordingWriter;
  capture: Capture;
}

interface Parts {
  session: CdpSession;
  /** The browser context of the page. */
  context: string | undefined;
  video: { page: PageVideo; writer: TabWriter } | undefined;
  log: EventLog;
}

export class RecordedPage {
  readonly #facts: RecordedTab;
  readonly #parts: Parts;
  #events: PageEvents | undefined;
  #replay: PageReplay | undefined;
  #resources: PageResources | undefined;
  #ended: Promise<void> | undefined;

  private constructor(facts: RecordedTab, parts: Parts) {
    this.#facts = facts;
    this.#parts = parts;
  }

  /**
   * @throws ServiceError `storage-full`, `launch-failed`; any error that the browser returns; an Error when the page
   *   does not respond
   */
  static async start({ connection, facts, writer, capture }: RecordedPageOptions): Promise<RecordedPage> {
    const { root } = connection;
    const { page: targetId, tab } = facts;
    const described = root.send('Target.getTargetInfo', { targetId });
    ignoreFailures([described]);
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    const session = connection.session(sessionId);
    const opened: Promise<TabWriter>[] = [];
    let recorded: RecordedPage | undefined;
    let log: EventLog | undefined;
    const open = (opening: Promise<TabWriter>) => {
      opened.push(opening);
      return lateWriter(opening);
    };
    try {
      const { targetInfo } = await described;
      const { browserContextId: context, url, title } = targetInfo;
      log = new EventLog(open(writer.openEvents(tab)));
      const video = capture.kind === 'video' ? { writer: open(writer.openVideo(tab)) } : undefined;
      const page =
        capture.kind === 'video' && video
          ? await PageVideo.start({ session, ...capture, write: (piece) => video.writer.append(piece) })
          : undefined;
      const parts = { session, context, log, video: page && video ? { page, ...video } : undefined };
      recorded = new RecordedPage(facts, parts);
      recorded.#listen({ url, title }, capture);
      if (capture.kind === 'replay') await recorded.#record(capture.mask);
      if (page) Object.assign(facts, { ...page.size, startedOn: Date.now() });
      await Promise.all(opened);
      return recorded;
    } catch (error) {
      void (recorded ? recorded.#leave() : detach(session));
      // An events file that is not closed could not be read.
      await log?.close().catch(() => 0);
      await Promise.allSettled(opened.map(async (opening) => (await opening).close()));
      throw error;
    }
  }

  /** The browser context of the page. */
  get context(): string | undefined {
    return this.#parts.context;
  }

  /** Aborted when the page has closed, or the browser has exited. */
  get closed(): AbortSignal {
    return this.#parts.session.closed;
  }

  /** Fetches the data that the browser holds, and writes it. @throws any error that the store throws */
  async drain(): Promise<void> {
    const { video, log } = this.#parts;
    await Promise.all([video?.page.drain(), this.#events?.look().then(() => log.drain())]);
    this.#note();
    if (!log.isFull) return;
    void this.#replay?.stop();
    this.#resources?.[Symbol.dispose]();
  }

  /** Fetches unreported events of the document that the page is about to leave. */
  async leaving(): Promise<void> {
    await Promise.all([this.#replay?.flush(true), this.#events?.look()]);
  }

  /** Ends the recording of the page; later calls wait for the first. Never throws. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const { video, log } = this.#parts;
    const facts = this.#facts;
    await Promise.all([video?.page.stop(), this.#replay?.flush(), this.#events?.look(), this.#resources?.settled()]);
    void this.#leave();
    facts.endedOn = Date.now();
    const [bytes, eventBytes] = await Promise.all([
      video?.writer.close().catch(() => 0) ?? 0,
      log.close().catch(() => 0),
    ]);
    this.#note();
    Object.assign(facts, { bytes, eventBytes });
  }

  /** Leaves nothing in the page. If a dialog is open, recorder and session stay until it is answered. */
  async #leave(): Promise<void> {
    this.#events?.[Symbol.dispose]();
    this.#resources?.[Symbol.dispose]();
    await this.#replay?.stop();
    detach(this.#parts.session);
  }

  #listen(shows: { url: string; title: string }, { kind }: Capture): void {
    const { session, log } = this.#parts;
    const common: PageResourcesOptions = {
      session,
      page: this.#facts.page,
      report: (timestamp, event) => log.add(timestamp, event),
    };
    // It has to listen before the events enable Network.
    if (kind === 'replay') this.#resources = new PageResources(common);
    this.#events = new PageEvents({ ...common, shows });
  }

  async #record(mask: ReplayMask): Promise<void> {
    const { session, log } = this.#parts;
    this.#replay = await PageReplay.start({
      session,
      page: this.#facts.page,
      mask,
      take: (timestamp, line) => log.add(timestamp, line),
      sized: (size) => void Object.assign(this.#facts, size),
      stopped: (why) => {
        this.#resources?.[Symbol.dispose]();
        log.add(Date.now(), {
          tag: 'notice',
          payload: { text: `The recording of this tab stops here. ${why}` },
        });
      },
    });
  }

  #note(): void {
    const { url: website = '', title = '' } = this.#events?.shows ?? {};
    Object.assign(this.#facts, { website, title, events: this.#parts.log.events });
  }
}

function detach(session: CdpSession): void {
  ignoreFailures([session.connection.root.send('Target.detachFromTarget', { sessionId: session.id ?? '' })]);
}

/** Wraps a writer that is still being opened. */
function lateWriter(opening: Promise<TabWriter>): TabWriter {
  opening.catch(() => {});
  return {
    append: async (piece) => (await opening).append(piece),
    close: async () => (await opening).close(),
  };
}
