/**
 * Captures one watched page for all its viewers: a Chromium screencast that runs only while somebody can see it and is
 * paced by how fast viewers acknowledge frames, and one sharp still image when the page is at rest
 * (Page.startScreencast, Page.captureScreenshot).
 */
import { Buffer } from 'node:buffer';
import { ignoreFailures } from '../../../browser/cdp/auto-attach.ts';
import type { CdpSession, EventParams } from '../../../browser/cdp/connection.ts';
import { type LiveFrame, pixelsOf } from '../protocol/picture.ts';
import { QualityLadder } from './quality.ts';

type Frame = EventParams<'Page.screencastFrame'>;

export interface CaptureOptions {
  /** Highest quality for frames of a moving page, 1 to 100. */
  quality: number;
  /** Format of the still image. */
  still: 'jpeg' | 'png';
  /** JPEG quality of the still image, 1 to 100. */
  stillQuality: number;
  /** False to keep the quality constant. */
  adapts: boolean;
}

/** Receives the images. */
export interface Audience {
  show(picture: LiveFrame): void;
  /** Returns the number of the next image. Images of other pages share the numbering. */
  next(): number;
  /** Whether a viewer is ready for another image. */
  isReady(): boolean;
}

/** Time between frames while nobody acts, and for a while after a viewer has acted, in milliseconds. */
const idleMs = 1_000 / 12;
const actedMs = 1_000 / 60;
/** How long the frame rate stays higher after a viewer has acted, in milliseconds. */
const boostMs = 1_000;
/** Time in milliseconds without a change after which the page is at rest. */
const restMs = 250;
/** Sizes in pixels are rounded: only a larger relative difference is treated as a different size. */
const tolerance = 0.02;
/**
 * Delay in ms before another attempt when Chromium refuses a screencast, for example while a page changes its process.
 */
const retryMs = 100;
/** Time in milliseconds after a frame was due; if no viewer is ready by then, the frame is late. */
const lateMs = 30;

export class Capture implements Disposable {
  readonly #session: CdpSession;
  readonly #options: CaptureOptions;
  readonly #audience: Audience;
  readonly #stop: () => void;
  #ladder: QualityLadder;
  #on = false;
  /** The screencast frame to acknowledge; Chromium sends the next frame only after that. */
  #frame: number | undefined;
  #frameAt = 0;
  #ackedAt = 0;
  #actedAt = -Infinity;
  #acking: ReturnType<typeof setTimeout> | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #starts = 0;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #data = '';
  /** The newest image, for viewers that join later. */
  last: LiveFrame | undefined;
  /** Pixels per CSS pixel in the last still image. */
  #density: number | undefined;
  /** True while a dialog blocks the page, so that no image can be captured. */
  #held = false;

  constructor(session: CdpSession, options: CaptureOptions, audience: Audience) {
    this.#session = session;
    this.#options = options;
    this.#audience = audience;
    this.#ladder = new QualityLadder(options.quality, performance.now());
    this.#stop = session.on('Page.screencastFrame', (frame) => this.#take(frame));
  }

  /** Starts or stops the screencast. */
  demand(on: boolean): void {
    if (this.#on === on) return;
    this.#on = on;
    if (on) {
      // The page may have changed since the last frame.
      this.#data = '';
      this.#ladder = new QualityLadder(this.#options.quality, performance.now());
      this.#start();
    } else {
      this.#rest(undefined);
      clearTimeout(this.#retrying);
      this.#frame = undefined;
      clearTimeout(this.#acking);
      this.#acking = undefined;
      this.last = undefined;
      ignoreFailures([this.#session.send('Page.stopScreencast')]);
    }
  }

  /** Records that a viewer has acted, so that the effect is shown without delay. */
  acted(): void {
    this.#actedAt = performance.now();
    this.ready();
  }

  /** Records that a viewer has become ready for another frame. */
  ready(): void {
    if (this.#frame === undefined || !this.#audience.isReady()) return;
    const now = performance.now();
    const paceMs = now - this.#actedAt < boostMs ? actedMs : idleMs;
    const dueAt = Math.max(this.#ackedAt + paceMs, this.#frameAt);
    clearTimeout(this.#acking);
    this.#acking = undefined;
    if (dueAt > now) this.#acking = setTimeout(() => this.#ack(), dueAt - now);
    else this.#ack(now - dueAt > lateMs);
  }

  /** Restarts the screencast, because the size of the page may have changed. */
  restart(): void {
    if (!this.#on) return;
    this.#data = '';
    this.#density = undefined;
    this.#startAgain();
  }

  /** Sets whether a dialog is open: until it closes, the browser does not respond to screenshot commands. */
  hold(held: boolean): void {
    this.#held = held;
  }

  [Symbol.dispose](): void {
    this.demand(false);
    this.#stop();
  }

  /** Stops the screencast first, because Chromium refuses to change a running one. */
  #startAgain(): void {
    ignoreFailures([this.#session.send('Page.stopScreencast')]);
    this.#start();
  }

  #start(): void {
    clearTimeout(this.#retrying);
    const { quality, scale } = this.#options.adapts ? this.#ladder.now : { quality: this.#options.quality, scale: 1 };
    const { width, height } = this.last ?? { width: 1_920, height: 1_080 };
    const started = this.#session.send('Page.startScreencast', {
      format: 'jpeg',
      quality,
      maxFramesInFlight: 1,
      ...(scale === 1 ? {} : { maxWidth: Math.round(width * scale), maxHeight: Math.round(height * scale) }),
    });
    const mine = ++this.#starts;
    started.catch(() => {
      // Only the newest attempt counts: a newer one may already be running, and Chromium would refuse another.
      if (!this.#on || mine !== this.#starts || this.#session.closed.aborted) return;
      this.#retrying = setTimeout(() => this.#start(), retryMs);
    });
  }

  /** @param late whether the frame waited for a viewer */
  #ack(late = false): void {
    this.#acking = undefined;
    if (this.#frame === undefined || !this.#on) return;
    this.#ackedAt = performance.now();
    ignoreFailures([this.#session.send('Page.screencastFrameAck', { sessionId: this.#frame })]);
    this.#frame = undefined;
    if (this.#options.adapts && this.#ladder.note(!late, this.#ackedAt)) this.#startAgain();
  }

  #take({ data, metadata, sessionId }: Frame): void {
    if (!this.#on) return;
    this.#frame = sessionId;
    this.#frameAt = performance.now();
    // The frame is unchanged: the server's own screenshot causes such a frame.
    if (data === this.#data) return this.ready();
    this.#data = data;
    this.#show({
      format: 'jpeg',
      width: Math.round(metadata.deviceWidth),
      height: Math.round(metadata.deviceHeight),
      bytes: Buffer.from(data, 'base64'),
    });
    this.#rest(restMs);
    this.ready();
  }

  #show(picture: Omit<LiveFrame, 'seq'>): void {
    this.last = { seq: this.#audience.next(), ...picture };
    this.#audience.show(this.last);
  }

  /**
   * Whether a still image has the same viewport size as the last frame. Chromium drops a frame that is drawn while
   * another is in flight, so the new size might not have been reported.
   */
  #fits(bytes: Buffer, { width, height }: LiveFrame): boolean {
    const pixels = pixelsOf(bytes);
    if (!pixels) return true;
    const [across, down] = [pixels.width / width, pixels.height / height];
    const before = this.#density ?? across;
    this.#density = across;
    return Math.abs(across - down) < tolerance && Math.abs(across - before) < tolerance;
  }

  /** Captures a still image after a time without changes, in milliseconds; undefined to cancel it. */
  #rest(ms: number | undefined): void {
    clearTimeout(this.#resting);
    this.#resting = ms === undefined ? undefined : setTimeout(() => void this.#takeStill(), ms);
  }

  async #takeStill(): Promise<void> {
    const { still, stillQuality } = this.#options;
    const shown = this.last;
    if (!shown || this.#held) return;
    try {
      const { data } = await this.#session.send('Page.captureScreenshot', {
        format: still,
        ...(still === 'jpeg' ? { quality: stillQuality } : {}),
        optimizeForSpeed: true,
      });
      // The page has changed in the meantime.
      if (this.last !== shown || !this.#on) return;
      const { width, height } = shown;
      const bytes = Buffer.from(data, 'base64');
      if (this.#fits(bytes, shown)) this.#show({ format: still, width, height, bytes });
      else this.restart();
    } catch {
      // The page has closed or cannot be drawn: keep the current image.
    }
  }
}
