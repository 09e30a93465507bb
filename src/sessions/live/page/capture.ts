/**
 * Takes the pictures of one watched page, for all of its viewers: a screencast of Chromium that runs only while somebody
 * can see it, paced by what viewers take, and one sharp picture when the page rests (Page.startScreencast,
 * Page.captureScreenshot).
 */
import { Buffer } from 'node:buffer';
import { quietly } from '../../../browser/cdp/auto-attach.ts';
import type { CdpSession, EventParams } from '../../../browser/cdp/connection.ts';
import { type Picture, pixelsOf } from '../protocol/picture.ts';
import { QualityLadder } from './quality.ts';

type Frame = EventParams<'Page.screencastFrame'>;

export interface CaptureOptions {
  /** Best quality of the pictures of a moving page, 1 to 100. */
  quality: number;
  /** Format of the sharp picture. */
  still: 'jpeg' | 'png';
  /** Quality of the sharp picture as JPEG, 1 to 100. */
  stillQuality: number;
  /** False for the same quality at all times. */
  adapts: boolean;
}

/** Where the pictures go. */
export interface Audience {
  show(picture: Picture): void;
  /** The number of the next picture: pictures of other pages are counted with these. */
  next(): number;
  /** Whether a viewer is ready for another picture. */
  isReady(): boolean;
}

/** Pictures per second while nobody acts, and for a while after somebody did. */
const idleMs = 1_000 / 12;
const actedMs = 1_000 / 60;
/** How long pictures come faster after a viewer has acted, in milliseconds. */
const boostMs = 1_000;
/** The page rests when it has not changed for this long, in milliseconds. */
const restMs = 250;
/** Sizes in pixels are rounded: more than this is another size. */
const tolerance = 0.02;
/** A screencast that Chromium refuses, as while a page changes its process, is asked for again after this long, in ms. */
const retryMs = 100;
/** A picture is late when no viewer is ready for this long after its turn, in milliseconds. */
const lateMs = 30;

export class Capture implements Disposable {
  readonly #session: CdpSession;
  readonly #options: CaptureOptions;
  readonly #audience: Audience;
  readonly #stop: () => void;
  #ladder: QualityLadder;
  #on = false;
  /** The screencast frame that waits to be acknowledged: the next one comes only then. */
  #frame: number | undefined;
  #frameAt = 0;
  #ackedAt = 0;
  #actedAt = -Infinity;
  #acking: ReturnType<typeof setTimeout> | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #starts = 0;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #data = '';
  #last: Picture | undefined;
  /** Pixels of the last sharp picture per CSS pixel. */
  #density: number | undefined;
  /** Pictures cannot be taken: a dialog holds the page. */
  #held = false;

  constructor(session: CdpSession, options: CaptureOptions, audience: Audience) {
    this.#session = session;
    this.#options = options;
    this.#audience = audience;
    this.#ladder = new QualityLadder(options.quality, performance.now());
    this.#stop = session.on('Page.screencastFrame', (frame) => this.#take(frame));
  }

  /** The newest picture, for viewers that come late. */
  get last(): Picture | undefined {
    return this.#last;
  }

  /** Starts or stops the screencast. */
  demand(on: boolean): void {
    if (this.#on === on) return;
    this.#on = on;
    if (on) {
      // What the page showed when it was last looked at is not what it shows now.
      this.#data = '';
      this.#ladder = new QualityLadder(this.#options.quality, performance.now());
      this.#start();
    } else {
      this.#rest(undefined);
      clearTimeout(this.#retrying);
      this.#frame = undefined;
      clearTimeout(this.#acking);
      this.#acking = undefined;
      this.#last = undefined;
      quietly([this.#session.send('Page.stopScreencast')]);
    }
  }

  /** Notes that a viewer has acted: what comes of it is shown without delay. */
  acted(): void {
    this.#actedAt = performance.now();
    this.ready();
  }

  /** Notes that a viewer has become ready for another picture. */
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

  /** Takes a new picture: the page may have another size. */
  restart(): void {
    if (!this.#on) return;
    this.#data = '';
    this.#density = undefined;
    this.#startAgain();
  }

  /** A dialog is open, or no longer: meanwhile the browser answers no request for a picture. */
  hold(held: boolean): void {
    this.#held = held;
  }

  [Symbol.dispose](): void {
    this.demand(false);
    this.#stop();
  }

  /** Chromium refuses to change a screencast that runs. */
  #startAgain(): void {
    quietly([this.#session.send('Page.stopScreencast')]);
    this.#start();
  }

  #start(): void {
    clearTimeout(this.#retrying);
    const { quality, scale } = this.#options.adapts ? this.#ladder.now : { quality: this.#options.quality, scale: 1 };
    const { width, height } = this.#last ?? { width: 1_920, height: 1_080 };
    const started = this.#session.send('Page.startScreencast', {
      format: 'jpeg',
      quality,
      maxFramesInFlight: 1,
      ...(scale === 1 ? {} : { maxWidth: Math.round(width * scale), maxHeight: Math.round(height * scale) }),
    });
    const mine = ++this.#starts;
    started.catch(() => {
      // Of several starts only the newest counts: one may run already, and Chromium would refuse another.
      if (!this.#on || mine !== this.#starts || this.#session.closed.aborted) return;
      this.#retrying = setTimeout(() => this.#start(), retryMs);
    });
  }

  /** @param late whether it waited for a viewer */
  #ack(late = false): void {
    this.#acking = undefined;
    if (this.#frame === undefined || !this.#on) return;
    this.#ackedAt = performance.now();
    quietly([this.#session.send('Page.screencastFrameAck', { sessionId: this.#frame })]);
    this.#frame = undefined;
    if (this.#options.adapts && this.#ladder.note(!late, this.#ackedAt)) this.#startAgain();
  }

  #take({ data, metadata, sessionId }: Frame): void {
    if (!this.#on) return;
    this.#frame = sessionId;
    this.#frameAt = performance.now();
    // The same picture again: a screenshot of our own causes one.
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

  #show(picture: Omit<Picture, 'seq'>): void {
    this.#last = { seq: this.#audience.next(), ...picture };
    this.#audience.show(this.#last);
  }

  /**
   * Whether a sharp picture shows a viewport of the size that the last frame had. A frame that was drawn while another
   * was on its way is lost, and with it the news of a new size.
   */
  #fits(bytes: Buffer, { width, height }: Picture): boolean {
    const pixels = pixelsOf(bytes);
    if (!pixels) return true;
    const [across, down] = [pixels.width / width, pixels.height / height];
    const before = this.#density ?? across;
    this.#density = across;
    return Math.abs(across - down) < tolerance && Math.abs(across - before) < tolerance;
  }

  /** Takes a sharp picture after a time without changes, in milliseconds; undefined for not at all. */
  #rest(ms: number | undefined): void {
    clearTimeout(this.#resting);
    this.#resting = ms === undefined ? undefined : setTimeout(() => void this.#takeStill(), ms);
  }

  async #takeStill(): Promise<void> {
    const { still, stillQuality } = this.#options;
    const shown = this.#last;
    if (!shown || this.#held) return;
    try {
      const { data } = await this.#session.send('Page.captureScreenshot', {
        format: still,
        ...(still === 'jpeg' ? { quality: stillQuality } : {}),
        optimizeForSpeed: true,
      });
      // The page has moved on meanwhile.
      if (this.#last !== shown || !this.#on) return;
      const { width, height } = shown;
      const bytes = Buffer.from(data, 'base64');
      if (this.#fits(bytes, shown)) this.#show({ format: still, width, height, bytes });
      else this.restart();
    } catch {
      // The page is gone or cannot be drawn: the picture that is there stays.
    }
  }
}
