/**
 * Follows the lifecycle events of the main frame's document. Network idle is Chromium's own event, so no requests are
 * counted here.
 */
import type { DrivenPage } from './driven-page.ts';

/** Names of Page.lifecycleEvent that are waited for. */
export type LifeEvent =
  'DOMContentLoaded' | 'load' | 'networkIdle' | 'networkAlmostIdle' | 'firstContentfulPaint' | 'firstMeaningfulPaint';

/**
 * How long the wait goes on for a navigation that the page itself began, after the old document is complete,
 * in milliseconds. Longer would let a link to a dead host hang a page that is there.
 */
const ownNavigationLimitMs = 2_000;
/** A frame that stopped loading and does not tell of its load within this time never will (window.stop, a download). */
const stoppedGraceMs = 200;

interface Watcher {
  events: readonly LifeEvent[];
  isNew: () => boolean;
  resolve(): void;
}

export class DocumentLifecycle implements Disposable {
  /** Grows by one with each new document of the main frame; document.open counts. */
  documents = 0;
  /** The document that is there; undefined while it is the blank one made ahead. */
  loaderId: string | undefined;
  readonly #seen = new Set<string>();
  readonly #loaders = new Set<string>();
  readonly #watchers = new Set<Watcher>();
  #ownNavigation = false;
  #abandoned = false;
  #stopped: ReturnType<typeof setTimeout> | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor(page: Omit<DrivenPage, 'life'>) {
    const main = page.mainFrameId;
    page.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== main) return;
      if (name === 'init') this.#begin(loaderId);
      else if (loaderId === this.loaderId || this.documents === 0) {
        this.#seen.add(name);
        this.#check();
      }
    });
    page.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
      if (frameId === main && disposition === 'currentTab') this.#ownNavigation = true;
    });
    page.on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (frameId === main) this.#settleOwnNavigation();
    });
    page.on('Page.frameStartedLoading', ({ frameId }) => {
      if (frameId === main) clearTimeout(this.#stopped);
    });
    page.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId !== main || this.documents === 0) return;
      this.#settleOwnNavigation();
      if (this.#seen.has('load')) return;
      clearTimeout(this.#stopped);
      this.#stopped = setTimeout(() => {
        this.#abandoned = true;
        this.#check();
      }, stoppedGraceMs);
    });
  }

  /** Whether this document has begun. */
  has(loaderId: string): boolean {
    return this.#loaders.has(loaderId);
  }

  /**
   * Resolves when the document that is there is new and all its events have happened. A document that a client-side
   * redirect replaces meanwhile does not count, the next one does.
   * @param isNew tells the awaited document from the one before it
   */
  reached(events: readonly LifeEvent[], isNew: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.add({ events, isNew, resolve });
      this.#check();
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#stopped);
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#watchers.clear();
  }

  #begin(loaderId: string): void {
    this.documents++;
    this.loaderId = loaderId;
    this.#loaders.add(loaderId);
    this.#seen.clear();
    this.#abandoned = false;
    this.#ownNavigation = false;
    clearTimeout(this.#stopped);
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }

  #settleOwnNavigation(): void {
    this.#ownNavigation = false;
    this.#check();
  }

  #check(): void {
    for (const watcher of this.#watchers) {
      if (!watcher.isNew() || !watcher.events.every((event) => this.#happened(event))) continue;
      if (this.#ownNavigation) {
        this.#patience ??= setTimeout(() => this.#settleOwnNavigation(), ownNavigationLimitMs);
        continue;
      }
      this.#watchers.delete(watcher);
      watcher.resolve();
    }
  }

  #happened(event: LifeEvent): boolean {
    // A document whose parsing was cut off by a download or a 204 answer never tells of its load.
    return this.#seen.has(event) || (this.#abandoned && (event === 'load' || event === 'DOMContentLoaded'));
  }
}
