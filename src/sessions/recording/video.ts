/**
 * Records one page with Chromium's screen recording (Page.startScreenRecording): a fragmented MP4 stream in a session
 * of the server's connection, which the client does not see.
 */
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import { type CdpSession, ProtocolError } from '../../browser/cdp/connection.ts';
import { recordingLimits } from '../../base/limits.ts';
import { fromBase64 } from '../../base/runtime/bytes.ts';
import { orAborted, startDeadline } from '../../base/runtime/deadline.ts';
import { SerialQueue } from '../../base/runtime/serial.ts';

/** Bytes per IO.read. */
const chunkBytes = 2 ** 20;
/** Time in milliseconds after which a page's recording fails if it has not started. */
const startLimitMs = 5_000;
/** Timeout for asking the renderer for the page's size, in ms: it does not respond while a dialog is open. */
const sizeLimitMs = 500;
/** Timeout for the last frames, in ms, which delay the session's end. A busy machine needs more than a second. */
const stopLimitMs = 2_000;

export interface VideoOptions {
  /** The server's session with the page. The caller detaches it after `stop`, which always ends the encoder. */
  session: CdpSession;
  /** Maximum frames per second. */
  frameRate: number;
  /** Receives the bytes of the file in order. */
  write(piece: Uint8Array): Promise<void>;
}

export interface VideoSize {
  width: number;
  height: number;
}

/** Size assumed for a page that does not report its size. */
const defaultSize: VideoSize = { width: 1_280, height: 720 };

/** The largest even size with the proportions of a viewport, at most 1920x1080: encoders accept only even numbers. */
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
  readonly #reads = new SerialQueue();
  #stopped: Promise<boolean> | undefined;

  private constructor(options: VideoOptions, begun: { size: VideoSize; stream: string }) {
    this.#session = options.session;
    this.#options = options;
    this.size = begun.size;
    this.#stream = begun.stream;
  }

  /** @throws ProtocolError, ConnectionClosed, or an Error when the page does not respond */
  static async start(options: VideoOptions): Promise<PageVideo> {
    const { session, frameRate } = options;
    using deadline = startDeadline(startLimitMs, () => new Error('the page did not respond'), []);
    const size = videoSizeOf(await viewportOf(session));
    // Chromium 156 may crash when a recording with audio stops.
    const sent = session.send('Page.startScreenRecording', {
      audio: false,
      maxWidth: size.width,
      maxHeight: size.height,
      frameRate,
    });
    const { stream } = await orAborted(sent, deadline.signal);
    return new PageVideo(options, { size, stream });
  }

  /** Fetches the encoded data, which Chromium discards when the page closes. @throws any error that `write` throws */
  drain(): Promise<void> {
    return this.#reads.run(() => this.#readAll());
  }

  /** Stops the encoder; later calls wait for the first. @returns whether the last frames are in the file */
  stop(): Promise<boolean> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<boolean> {
    using deadline = startDeadline(stopLimitMs, () => new Error('the encoder does not stop'), []);
    const session = this.#session;
    const whole = session.send('Page.stopScreenRecording').then(() => this.drain());
    const isWhole = await orAborted(whole, deadline.signal).then(
      () => true,
      () => false,
    );
    ignoreFailures([session.send('IO.close', { handle: this.#stream })]);
    return isWhole;
  }

  async #readAll(): Promise<void> {
    for (;;) {
      const piece = await this.#session
        .send('IO.read', { handle: this.#stream, size: chunkBytes })
        .catch((error: unknown) => {
          // The browser refuses to read before the first byte is available.
          if (error instanceof ProtocolError || this.#session.closed.aborted) return undefined;
          throw error;
        });
      // `eof` only means that no more data is available yet.
      if (piece === undefined || piece.data === '') return;
      const bytes = piece.base64Encoded ? fromBase64(piece.data) : new TextEncoder().encode(piece.data);
      await this.#options.write(bytes);
    }
  }
}

async function viewportOf(session: CdpSession): Promise<VideoSize> {
  using deadline = startDeadline(sizeLimitMs, () => new Error('the page does not report its size'), []);
  const metrics = await orAborted(session.send('Page.getLayoutMetrics'), deadline.signal).catch(() => undefined);
  const { clientWidth: width = 0, clientHeight: height = 0 } = metrics?.cssLayoutViewport ?? {};
  return width > 0 && height > 0 ? { width, height } : defaultSize;
}
