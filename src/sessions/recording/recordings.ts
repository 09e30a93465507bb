/**
 * Starts and stops the recordings of sessions, at most one video and one replay at a time, and returns videos to
 * clients.
 */
import type { DirectoryStore } from './directory-store.ts';
import { ServiceError } from '../../base/errors.ts';
import { recordingLimits } from '../../base/limits.ts';
import { toBase64, toBinaryText } from '../../base/runtime/bytes.ts';
import { SerialQueue } from '../../base/runtime/serial.ts';
import type { AttachableSession } from '../lifecycle/session.ts';
import type { Log } from '../../base/telemetry/log.ts';
import { SessionRecordings } from './one-per-session.ts';
import type { ReplayMask } from './recorder/settings.ts';
import type { Recording } from './recording.ts';

/** The first Chromium version that has screen recording. */
const firstVersion = 153;

/** Encoding of a video for the client: `binary` is text with one character from U+0000 to U+00FF per byte. */
export type VideoEncoding = 'binary' | 'base64';

export interface StartOptions {
  /** Maximum frames per second. */
  frameRate: number;
  /** The page that must be recorded; if undefined, pages are recorded as they open. */
  page?: string;
}

export class Recordings {
  readonly store: DirectoryStore;
  /** REPLAY_MASK: which form fields are masked in replays. */
  readonly #mask: ReplayMask;
  readonly #videos: SessionRecordings;
  readonly #replays: SessionRecordings;
  /** Runs conversions for commands one at a time: each holds a whole video in memory. */
  readonly #commands = new SerialQueue();
  #conversions = 0;

  constructor(store: DirectoryStore, mask: ReplayMask, log: Log) {
    this.store = store;
    this.#mask = mask;
    this.#videos = new SessionRecordings(store, log);
    this.#replays = new SessionRecordings(store, log);
  }

  /**
   * Starts to record the pages of a session as videos.
   * @throws ServiceError `bad-request` with the reason, `storage-full`, `launch-failed`
   */
  async start(session: AttachableSession, { frameRate, page }: StartOptions): Promise<Recording> {
    requireRecordingSupport(session.process.version.product);
    return this.#videos.start(session, { capture: { kind: 'video', frameRate }, page }, ({ id }) => {
      throw new ServiceError(
        'bad-request',
        `This session is already being recorded (${id}). Stop that recording with Browserless.stopRecording first.`,
      );
    });
  }

  /**
   * Starts to record the documents of a session, or returns the replay that is already running.
   * @throws ServiceError `bad-request` with the reason, `storage-full`, `launch-failed`
   */
  startReplay(session: AttachableSession): Promise<Recording> {
    return this.#replays.start(session, { capture: { kind: 'replay', mask: this.#mask } }, (running) => running);
  }

  /** The running replay of a session. */
  replay(session: AttachableSession): Recording | undefined {
    return this.#replays.running(session);
  }

  /** Ends the replay of a session. @throws ServiceError `bad-request` when none is running */
  async stopReplay(session: AttachableSession): Promise<Recording> {
    const recording = await this.#replays.last(session);
    if (!recording || !(await stopRunning(this.#replays, session, recording, 'stopSessionRecording was sent.'))) {
      const ended = recording ? ` The last replay has ended: ${recording.meta.reason}` : '';
      throw new ServiceError('bad-request', `No replay is being recorded. Connect with replay=true.${ended}`);
    }
    return recording;
  }

  /** The running video recording of a session. */
  running(session: AttachableSession): Recording | undefined {
    return this.#videos.running(session);
  }

  /** Ends all recordings of a session. */
  async stopAll(session: AttachableSession, reason: string): Promise<void> {
    // A recording may be starting.
    const last = await Promise.all([this.#videos.last(session), this.#replays.last(session)]);
    await Promise.all(last.map((recording) => recording?.stop(reason)));
  }

  /** Ends the recording of pages that are about to close; undefined when the session is not being recorded. */
  closing(
    session: AttachableSession,
    isClosing: (page: string, context: string | undefined) => boolean,
  ): Promise<unknown> | undefined {
    const running = [this.#videos.running(session), this.#replays.running(session)].filter(
      (each) => each !== undefined,
    );
    return running.length === 0 ? undefined : Promise.all(running.map((recording) => recording.closing(isClosing)));
  }

  /**
   * Ends the video of a session.
   * @param page the page whose video is returned
   * @param urlOf returns the URL of a recording
   * @throws ServiceError `bad-request`
   */
  async stop(
    session: AttachableSession,
    page: string,
    encoding: VideoEncoding,
    urlOf: (id: string) => string,
  ): Promise<{ id: string; value: string }> {
    const recording = await this.#videos.last(session);
    if (!recording) {
      throw new ServiceError('bad-request', 'Nothing is being recorded. Send Browserless.startRecording first.');
    }
    this.#videos.forget(session);
    const { id } = recording;
    const ranUntilNow = await stopRunning(this.#videos, session, recording, 'Browserless.stopRecording was sent.');
    const url = urlOf(id);
    if (!ranUntilNow) {
      const { reason } = recording.meta;
      throw new ServiceError(
        'bad-request',
        `The recording had already ended: ${reason} Its videos are available at ${url}`,
      );
    }
    const { tab = 0, bytes = 0 } = recording.tabOf(page) ?? {};
    if (bytes === 0) {
      throw new ServiceError('bad-request', `This page has no video. The other pages are at ${url}`);
    }
    if (bytes > recordingLimits.valueBytes) {
      throw new ServiceError(
        'bad-request',
        `The video has ${bytes} bytes, more than a response may have (${recordingLimits.valueBytes}). Fetch it from ${url}/video.webm?tab=${tab}`,
      );
    }
    return { id, value: await this.#commands.run(() => this.#valueOf(id, tab, encoding)) };
  }

  async #valueOf(id: string, tab: number, encoding: VideoEncoding): Promise<string> {
    const file = await this.store.openVideo(id, tab);
    if (!file) throw new ServiceError('bad-request', `The recording ${id} has been removed.`);
    try {
      const { toWebm } = await import('./webm.ts');
      const webm = await toWebm(file);
      return encoding === 'base64' ? toBase64(webm) : toBinaryText(webm);
    } finally {
      await file.close();
    }
  }

  /** Reserves a slot for a conversion that a response waits for. @throws ServiceError `queue-full` */
  takeConversion(): Disposable {
    if (this.#conversions >= recordingLimits.conversions) {
      throw new ServiceError(
        'queue-full',
        `Too many requests: only ${recordingLimits.conversions} videos are converted to WebM at a time. Try again, or fetch video.mp4.`,
      );
    }
    this.#conversions++;
    return { [Symbol.dispose]: () => void this.#conversions-- };
  }

  /** Resolves when all running recordings have ended; each ends when its session does. */
  async whenEnded(): Promise<void> {
    await Promise.all([...this.#videos.all, ...this.#replays.all].map(({ ended }) => ended));
  }
}

/**
 * Ends the recording of a session.
 * @param reason human-readable reason
 * @returns false when the recording had ended, or was already ending, for another reason
 */
async function stopRunning(
  ofSession: SessionRecordings,
  session: AttachableSession,
  recording: Recording,
  reason: string,
): Promise<boolean> {
  const runs = ofSession.running(session) === recording;
  const meta = await recording.stop(reason);
  return runs && meta.reason === reason;
}

/** @param product the `product` from Browser.getVersion, such as `HeadlessChrome/156.0.8078.79` */
export function requireRecordingSupport(product: string): void {
  const version = /\/(\d+)/.exec(product)?.[1] ?? product;
  if (Number(version) >= firstVersion) return;
  throw new ServiceError(
    'bad-request',
    `Recording needs Chromium ${firstVersion} or newer; this browser is ${version}.`,
  );
}
