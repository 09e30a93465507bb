/**
 * Takes thumbnails of sessions on request: one frame of a screencast, which changes nothing in the page and costs a
 * quarter of a screenshot (Page.startScreencast).
 */
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import type { BrowserConnection } from '../../browser/cdp/connection.ts';
import { dashboardLimits } from '../../base/limits.ts';
import { fromBase64 } from '../../base/runtime/bytes.ts';
import { orAborted, orReleased, startDeadline } from '../../base/runtime/deadline.ts';
import { now } from '../../base/runtime/machine.ts';
import { KeyedSerialQueue } from '../../base/runtime/serial.ts';
import type { AttachableSession } from '../../sessions/lifecycle/session.ts';
import type { Log } from '../../base/telemetry/log.ts';
import { mainPage } from './titles.ts';

/** How long a thumbnail is reused, in milliseconds. */
const cacheMs = 5_000;
/** Time in milliseconds to wait for a frame; a page that delivers none by then hangs, or is behind another page. */
const limitMs = 2_000;
/** Time in milliseconds until such a page is tried again. */
const retryAfterMs = 15_000;
const quality = 50;

interface CachedThumbnail {
  /** A `now()` timestamp. */
  until: number;
  page: string;
  image: Promise<Uint8Array<ArrayBuffer> | undefined>;
}

export class Thumbnails {
  readonly #log: Log;
  readonly #kept = new WeakMap<AttachableSession, CachedThumbnail>();
  /** Takes one thumbnail at a time from each browser process. */
  readonly #captures = new KeyedSerialQueue<number>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Returns a JPEG that may be a few seconds old; undefined when the page delivers none. Never rejects. */
  take(session: AttachableSession): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const page = mainPage(session)?.id;
    // A secret was filled in.
    if (session.hidden) return Promise.resolve(undefined);
    if (page === undefined) return Promise.resolve(undefined);
    const before = this.#kept.get(session);
    if (before && before.page === page && now() < before.until) return before.image;
    const kept: CachedThumbnail = { until: Infinity, page, image: this.#inTurn(session, page) };
    this.#kept.set(session, kept);
    void kept.image.then((picture) => (kept.until = now() + (picture ? cacheMs : retryAfterMs)));
    return kept.image;
  }

  #inTurn(session: AttachableSession, page: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { pid, connection } = session.process;
    return this.#captures.run(pid, async () => {
      const began = now();
      // A secret may have been filled in since the request, and during the capture.
      const taken = session.hidden ? undefined : await captureFrame(connection, page).catch(() => undefined);
      const picture = session.hidden ? undefined : taken;
      const ms = Math.round(now() - began);
      this.#log.debug('dashboard.thumbnail', { session: session.facts.id, bytes: picture?.length ?? 0, ms });
      return picture;
    });
  }
}

/** @throws any error that the browser reports, and an error after `limitMs` */
async function captureFrame(connection: BrowserConnection, page: string): Promise<Uint8Array<ArrayBuffer>> {
  const { root } = connection;
  using deadline = startDeadline(limitMs, () => new Error('The page delivered no frame.'), []);
  const detach = ({ sessionId }: { sessionId: string }) =>
    ignoreFailures([root.send('Target.detachFromTarget', { sessionId })]);
  const attaching = root.send('Target.attachToTarget', { targetId: page, flatten: true });
  const attached = await orReleased(attaching, deadline.signal, detach);
  try {
    const session = connection.session(attached.sessionId);
    const frame = session.once('Page.screencastFrame', undefined, deadline.signal);
    ignoreFailures([frame]);
    const { pictureWidth: maxWidth, pictureHeight: maxHeight } = dashboardLimits;
    const started = session.send('Page.startScreencast', { format: 'jpeg', quality, maxWidth, maxHeight });
    await orAborted(started, deadline.signal);
    return fromBase64((await frame).data);
  } finally {
    // Detaching also ends the screencast.
    detach(attached);
  }
}
