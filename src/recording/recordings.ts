/** Starts and stops the recordings of sessions, each at most once at a time, and gives clients their videos. */
import { ServiceError } from '../errors.ts';
import { recordingLimits } from '../limits.ts';
import { toBase64, toBinaryText } from '../runtime/bytes.ts';
import { orAborted, startDeadline } from '../runtime/deadline.ts';
import type { AttachableSession } from '../sessions/session.ts';
import type { Log } from '../telemetry/log.ts';
import { Recording } from './recording.ts';
import type { RecordingStore } from './store.ts';
import { toWebm } from './webm.ts';

/** The first Chromium that records by itself. */
const firstVersion = 153;

/** The browser of a session waits this long for the end of its recording, in milliseconds. */
const lastWorkMs = 3_000;

/** How a client wants its video: `binary` is a text with a character from U+0000 to U+00FF for each byte. */
export type VideoEncoding = 'binary' | 'base64';

export interface StartOptions {
  /** Frames per second at most. */
  frameRate: number;
  /** The page that has to be recorded; without one, pages are recorded as they come. */
  page?: string;
}

export class Recordings {
  readonly #store: RecordingStore;
  readonly #log: Log;
  /** The last recording of each session, from the moment it begins. */
  readonly #bySession = new WeakMap<AttachableSession, Promise<Recording>>();
  readonly #running = new Map<AttachableSession, Recording>();
  /** One conversion for a command after the other: each holds a whole video in memory. */
  #turn: Promise<unknown> = Promise.resolve();
  #conversions = 0;

  constructor(store: RecordingStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  get store(): RecordingStore {
    return this.#store;
  }

  /** @throws ServiceError `bad-request` with the reason, `storage-full`, `launch-failed` */
  async start(session: AttachableSession, options: StartOptions): Promise<Recording> {
    requireNew(session.process.version.product);
    const seen = this.#bySession.get(session);
    const before = await seen?.catch(() => undefined);
    if (before && this.running(session) === before) {
      throw new ServiceError(
        'bad-request',
        `This session is being recorded already (${before.id}). End that with Browserless.stopRecording first.`,
      );
    }
    const problem = await this.#store.problem();
    if (problem !== undefined) throw new ServiceError('storage-full', `Nothing can be recorded: ${problem}`);
    // Another client may have begun meanwhile.
    if (this.#bySession.get(session) !== seen) return this.start(session, options);
    if (session.life.ending) throw new ServiceError('session-ended', 'The session is ending.');
    const starting = this.#start(session, options);
    this.#bySession.set(session, starting);
    starting.catch(() => this.#bySession.delete(session));
    return starting;
  }

  async #start(session: AttachableSession, { frameRate, page }: StartOptions): Promise<Recording> {
    const log = this.#log;
    const recording = await Recording.start({ session, store: this.#store, log, frameRate }, page).catch(
      (cause: unknown) => {
        if (cause instanceof ServiceError) throw cause;
        throw new ServiceError('bad-request', 'The page could not be recorded: it has closed, or does not answer.', {
          cause,
        });
      },
    );
    this.#running.set(session, recording);
    const forget = session.life.beforeClose(async () => {
      using deadline = startDeadline(lastWorkMs, () => undefined, []);
      await orAborted(recording.stop(endOf(session)), deadline.signal).catch(() => {});
    });
    void recording.ended.then(() => {
      this.#running.delete(session);
      forget();
    });
    log.info('recording.started', { recording: recording.id, session: session.facts.id });
    return recording;
  }

  /** The recording of a session that runs now. */
  running(session: AttachableSession): Recording | undefined {
    return this.#running.get(session);
  }

  /**
   * Ends the recording of a session.
   * @param page whose video the client gets
   * @param urlOf the address of a recording
   * @throws ServiceError `bad-request`
   */
  async stop(
    session: AttachableSession,
    page: string,
    encoding: VideoEncoding,
    urlOf: (id: string) => string,
  ): Promise<{ id: string; value: string }> {
    const recording = await this.#lastOf(session);
    if (!recording) {
      throw new ServiceError('bad-request', 'Nothing is being recorded. Send Browserless.startRecording first.');
    }
    this.#bySession.delete(session);
    const { id } = recording;
    const ranUntilNow = this.running(session) === recording;
    const { reason } = await recording.stop('Browserless.stopRecording was sent.');
    const url = urlOf(id);
    if (!ranUntilNow) throw new ServiceError('bad-request', `The recording had ended: ${reason} What there is: ${url}`);
    const { tab = 0, bytes = 0 } = recording.tabOf(page) ?? {};
    if (bytes === 0) {
      throw new ServiceError('bad-request', `There is no picture of this page. The other pages are at ${url}`);
    }
    if (bytes > recordingLimits.valueBytes) {
      throw new ServiceError(
        'bad-request',
        `The video has ${bytes} bytes, more than an answer may have (${recordingLimits.valueBytes}). Fetch it: ${url}/video.webm?tab=${tab}`,
      );
    }
    const mine = this.#turn.then(() => this.#valueOf(id, tab, encoding));
    this.#turn = mine.catch(() => undefined);
    return { id, value: await mine };
  }

  async #valueOf(id: string, tab: number, encoding: VideoEncoding): Promise<string> {
    const file = await this.#store.openVideo(id, tab);
    if (!file) throw new ServiceError('bad-request', `The recording ${id} has been removed.`);
    try {
      const webm = await toWebm(file);
      return encoding === 'base64' ? toBase64(webm) : toBinaryText(webm);
    } finally {
      await file.close();
    }
  }

  /** Takes a place for a conversion that a response waits for. @throws ServiceError `queue-full` */
  takeConversion(): Disposable {
    if (this.#conversions >= recordingLimits.conversions) {
      throw new ServiceError(
        'queue-full',
        `Too many requests: ${recordingLimits.conversions} videos are turned into WebM at a time. Try again, or fetch video.mp4.`,
      );
    }
    this.#conversions++;
    return { [Symbol.dispose]: () => void this.#conversions-- };
  }

  /** Resolves when the recordings that run now have ended; their sessions end them. */
  async whenEnded(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #lastOf(session: AttachableSession): Promise<Recording | undefined> {
    return (this.#bySession.get(session) ?? Promise.resolve(undefined)).catch(() => undefined);
  }
}

function endOf({ life, process }: AttachableSession): string {
  if (process.connection.closed.aborted) return 'The browser ended.';
  return life.ending ? 'The session ended.' : 'The browser was closed.';
}

/** @param product what Browser.getVersion calls the browser, such as `HeadlessChrome/156.0.8078.79` */
export function requireNew(product: string): void {
  const version = /\/(\d+)/.exec(product)?.[1] ?? product;
  if (Number(version) >= firstVersion) return;
  throw new ServiceError(
    'bad-request',
    `Recording needs Chromium ${firstVersion} or newer; this browser is ${version}.`,
  );
}
