/** Watches the requests of a page and its frames, and waits until few of them are open. */
import type { CdpSession } from '../../cdp/connection.ts';
import { now } from '../../../base/runtime/machine.ts';
import { childTargetsOf } from '../child-targets.ts';
import type { Page } from '../page.ts';

export class Traffic implements Disposable {
  readonly #page: Page;
  /** Frames of the open requests, by session and request id. */
  readonly #open = new Map<string, string | undefined>();
  /** Index n: when there were last more than n open requests. */
  readonly #busyUntil: number[] = [];
  readonly #stops: (() => void)[] = [];
  #spentMs = 0;

  /** Starts watching the requests of the page. The Network domain must be on. */
  constructor(page: Page) {
    this.#page = page;
    this.#listen(page.session);
  }

  /** Watches frames in other processes too, and workers. */
  watchChildren(): void {
    const { ready, stop } = childTargetsOf(this.#page).apply(({ session }) => {
      this.#listen(session);
      session.closed.addEventListener('abort', () => this.#end((key) => key.startsWith(`${session.id} `)), {
        once: true,
      });
      return [];
    });
    ready.catch(() => {});
    this.#stops.push(stop);
  }

  /**
   * Waits until at most `open` requests have been open for `ms` milliseconds.
   * @param open default: 0
   * @param limitMs limit of all waits together, in milliseconds, after which it resolves. Default: none
   */
  async quiet(ms: number, { open = 0, limitMs = Infinity }: { open?: number; limitMs?: number } = {}): Promise<void> {
    const from = now();
    while (this.#spentMs + now() - from < limitMs) {
      if (this.#open.size <= open && now() - Math.max(this.#busyUntil[open] ?? 0, from) >= ms) break;
      await this.#page.sleep(ms / 4);
    }
    this.#spentMs += now() - from;
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  #listen(session: CdpSession): void {
    const key = (requestId: string) => `${session.id} ${requestId}`;
    // The script of a worker begins in the session of the page and ends in that of the worker. Its id is unique in the
    // browser; an id with a point is so in its process only.
    const ended = ({ requestId }: { requestId: string }) =>
      this.#end((each) => each === key(requestId) || (!requestId.includes('.') && each.endsWith(` ${requestId}`)));
    const stops = [
      session.on('Network.requestWillBeSent', ({ requestId, frameId }) => void this.#open.set(key(requestId), frameId)),
      session.on('Network.loadingFinished', ended),
      session.on('Network.loadingFailed', ended),
      // Chromium does not report the end of every request of a frame that no longer exists.
      session.on('Page.frameDetached', ({ frameId }) => this.#end((_, frame) => frame === frameId)),
    ];
    this.#stops.push(...stops.map((stop) => this.#page.undo(stop)));
  }

  #end(isEnded: (key: string, frame: string | undefined) => boolean): void {
    for (const [key, frame] of this.#open) {
      if (!isEnded(key, frame)) continue;
      const open = this.#open.size;
      this.#open.delete(key);
      for (let tolerated = 0; tolerated < open; tolerated++) this.#busyUntil[tolerated] = now();
    }
  }
}
