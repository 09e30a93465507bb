/**
 * Separates the downloads of a virtual browser from those of its neighbors: Chromium reports all downloads to every
 * session.
 */
import { SerialQueue } from '../../../base/runtime/serial.ts';
import type { Params } from './target-info.ts';

export interface OwnDownloadsOptions {
  /** Whether a frame belongs to the virtual browser. */
  ownsFrame(frameId: string): Promise<boolean>;
  /** Sends an event of one of the virtual browser's downloads. */
  emit(method: string, params: object): void;
}

export class OwnDownloads {
  readonly #options: OwnDownloadsOptions;
  /** Guids of the downloads in progress. */
  readonly #running = new Set<string>();
  /** Keeps events in order, although it may take time to find out which browser they belong to. */
  readonly #events = new SerialQueue();

  constructor(options: OwnDownloadsOptions) {
    this.#options = options;
  }

  /** Handles an event of the browser. @returns false for an event that is not about a download */
  take(method: string, params: Params): boolean {
    if (method !== 'Browser.downloadWillBegin' && method !== 'Browser.downloadProgress') return false;
    void this.#events.run(async () => {
      if (await this.#isOwn(method, params)) this.#options.emit(method, params);
    });
    return true;
  }

  async #isOwn(method: string, { guid, frameId, state }: Params): Promise<boolean> {
    const id = String(guid);
    if (method === 'Browser.downloadWillBegin') {
      // The browser may exit in the meantime.
      if (!(await this.#options.ownsFrame(String(frameId)).catch(() => false))) return false;
      this.#running.add(id);
      return true;
    }
    const own = this.#running.has(id);
    if (state !== 'inProgress') this.#running.delete(id);
    return own;
  }
}
