/**
 * Records one page by Chromium itself (Page.startScreenRecording): a stream of fragmented MP4 on a session of the
 * server's connection, so that nothing of it is seen by the client.
 */
import { quietly } from '../../browser/cdp/auto-attach.ts';
import { type CdpSession, ProtocolError } from '../../browser/cdp/connection.ts';
import { recordingLimits } from '../../base/limits.ts';
import { fromBase64 } from '../../base/runtime/bytes.ts';
import { orAborted, startDeadline } from '../../base/runtime/deadline.ts';

/** Bytes of one IO.read. */
const chunkBytes = 2 ** 20;
/** A page that does not begin after this time is not recorded, in milliseconds. */
const startLimitMs = 5_000;
/** The renderer tells the size of its page; while a dialog is open it does not answer. In milliseconds. */
const sizeLimitMs = 500;
/** A busy machine needs more than a second for the last frames; the session's end waits no longer, in milliseconds. */
const stopLimitMs = 2_000;

export interface VideoOptions {
  /** A session of the server with the page, which the caller ends after `stop`: with it the encoder ends in any case. */
  session: CdpSession;
  /** Frames per second at most. */
  frameRate: number;
  /** Gets the bytes of the file in order. */
  write(piece: Uint8Array): Promise<void>;
}

export interface VideoSize {
  width: number;
  height: number;
}

/** Of a page that does not tell its size. */
const usualSize: VideoSize = { width: 1_280, height: 720 };

/** The largest even size with the proportions of a viewport, at most 1920x1080: encoders take even numbers only. */
export function videoSizeOf({ width, height }: VideoSize): VideoSize {
  const scale = Math.min(1, recordingLimits.width / width, recordingLimits.height / height);
  const even = (length: number) => Math.max(2, Math.floor((length * scale) / 2) * 2);
  return { width: even(width), height: even(height) };
}

export class PageVideo {
  readonly size: VideoSize;
  readonly #session: CdpSession;
  readonly #options: VideoOptions;
  readonly #stream: string;
  #turn: Promise<void> = Promise.resolve();
  #stopped: Promise<boolean> | undefined;

  private constructor(options: VideoOptions, begun: { size: VideoSize; stream: string }) {
    this.#session = options.session;
    this.#options = options;
    this.size = begun.size;
    this.#stream = begun.stream;
  }

  /** @throws ProtocolError, ConnectionClosed, or an Error when the page does not answer */
  static async start(options: VideoOptions): Promise<PageVideo> {
    const { session, frameRate } = options;
    using deadline = startDeadline(startLimitMs, () => new Error('the page does not answer'), []);
    const size = videoSizeOf(await viewportOf(session));
    // Chromium 156 may end when a recording with sound stops.
    const sent = session.send('Page.startScreenRecording', {
      audio: false,
      maxWidth: size.width,
      maxHeight: size.height,
      frameRate,
    });
    const { stream } = await orAborted(sent, deadline.signal);
    return new PageVideo(options, { size, stream });
  }

  /** Takes over what the browser has encoded. Chromium drops it when the page closes. @throws what `write` throws */
  drain(): Promise<void> {
    const mine = this.#turn.then(() => this.#readAll());
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** Ends the encoder; later calls wait for the first. @returns whether the last frames are in the file */
  stop(): Promise<boolean> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<boolean> {
    using deadline = startDeadline(stopLimitMs, () => new Error('the encoder does not end'), []);
    const session = this.#session;
    const whole = session.send('Page.stopScreenRecording').then(() => this.drain());
    const isWhole = await orAborted(whole, deadline.signal).then(
      () => true,
      () => false,
    );
    quietly([session.send('IO.close', { handle: this.#stream })]);
    return isWhole;
  }

  async #readAll(): Promise<void> {
    for (;;) {
      const piece = await this.#session
        .send('IO.read', { handle: this.#stream, size: chunkBytes })
        .catch((error: unknown) => {
          // Before the first byte is there the browser refuses to read.
          if (error instanceof ProtocolError || this.#session.closed.aborted) return undefined;
          throw error;
        });
      // `eof` says only that there is nothing more yet.
      if (piece === undefined || piece.data === '') return;
      const bytes = piece.base64Encoded ? fromBase64(piece.data) : new TextEncoder().encode(piece.data);
      await this.#options.write(bytes);
    }
  }
}

async function viewportOf(session: CdpSession): Promise<VideoSize> {
  using deadline = startDeadline(sizeLimitMs, () => new Error('the page does not tell its size'), []);
  const metrics = await orAborted(session.send('Page.getLayoutMetrics'), deadline.signal).catch(() => undefined);
  const { clientWidth: width = 0, clientHeight: height = 0 } = metrics?.cssLayoutViewport ?? {};
  return width > 0 && height > 0 ? { width, height } : usualSize;
}
