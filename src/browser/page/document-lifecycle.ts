/**
 * Tracks the lifecycle events of the main frame's document and resolves waits for them. Chromium reports network idle
 * itself, so this module does not count requests.
 */
import type { Events } from '../cdp/connection.ts';
import type { DrivenPage } from './driven-page.ts';

/** Names of Page.lifecycleEvent that callers can wait for. */
export type LifecycleEvent =
  'DOMContentLoaded' | 'load' | 'networkIdle' | 'networkAlmostIdle' | 'firstContentfulPaint' | 'firstMeaningfulPaint';

/**
 * Maximum time in milliseconds, after the current document is complete, to wait for the next one when the page itself
 * starts a navigation. With a longer limit, a link to a dead host could hang a page that has already loaded.
 */
const ownNavigationLimitMs = 2_000;
/**
 * Time in milliseconds after frameStoppedLoading within which a load event arrives, if it arrives at all: window.stop
 * and downloads prevent it.
 */
const stoppedGraceMs = 200;

interface Watcher {
  events: readonly LifecycleEvent[];
  isNew: () => boolean;
  resolve(): void;
}

export class DocumentLifecycle implements Disposable {
  /** Number of documents that the main frame has had; document.open counts too. */
  documents = 0;
  /** Loader of the current document; undefined while that is the initial blank one. */
  loaderId: string | undefined;
  /**
   * URL of the PDF to which the main frame has navigated in place of a page: the full browser shows a viewer, whose
   * document is empty, and the headless shell downloads it and keeps the page before it.
   */
  pdf: string | undefined;
  /** Called when the main frame navigates to a PDF. */
  onPdf: (() => void) | undefined;
  readonly #seen = new Set<string>();
  readonly #loaders = new Set<string>();
  readonly #watchers = new Set<Watcher>();
  #ownNavigation = false;
  #abandoned = false;
  #stopped: ReturnType<typeof setTimeout> | undefined;
  #ownNavigationTimer: ReturnType<typeof setTimeout> | undefined;

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
    page.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === main) this.#setPdf(isPdf(frame.mimeType) ? frame.url : undefined);
    });
    page.on('Network.responseReceived', ({ type, frameId, response }) => {
      if (type !== 'Document' || frameId !== main || !isPdf(response.mimeType) || isAttachment(response)) return;
      this.#setPdf(response.url);
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

  /** Whether this document has started. */
  has(loaderId: string): boolean {
    return this.#loaders.has(loaderId);
  }

  /**
   * Resolves when the current document is new and has had all these events. If a client-side redirect replaces the
   * document in the meantime, the wait continues with the next one.
   * @param isNew whether the current document is the awaited one and not the previous one
   */
  reached(events: readonly LifecycleEvent[], isNew: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.add({ events, isNew, resolve });
      this.#check();
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#stopped);
    clearTimeout(this.#ownNavigationTimer);
    this.#ownNavigationTimer = undefined;
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
    clearTimeout(this.#ownNavigationTimer);
    this.#ownNavigationTimer = undefined;
  }

  #setPdf(url: string | undefined): void {
    this.pdf = url;
    if (url === undefined) return;
    this.onPdf?.();
    this.#check();
  }

  #settleOwnNavigation(): void {
    this.#ownNavigation = false;
    this.#check();
  }

  #check(): void {
    for (const watcher of this.#watchers) {
      if (!watcher.isNew() || !watcher.events.every((event) => this.#happened(event))) continue;
      if (this.#ownNavigation) {
        this.#ownNavigationTimer ??= setTimeout(() => this.#settleOwnNavigation(), ownNavigationLimitMs);
        continue;
      }
      this.#watchers.delete(watcher);
      watcher.resolve();
    }
  }

  #happened(event: LifecycleEvent): boolean {
    // Chromium does not send a load event for a document whose parsing was cut off by a download or a 204 response.
    return this.#seen.has(event) || (this.#abandoned && (event === 'load' || event === 'DOMContentLoaded'));
  }
}

function isPdf(mimeType: string): boolean {
  return /^(application|text)\/pdf$/i.test(mimeType);
}

function isAttachment({ headers }: Events['Network.responseReceived'][0]['response']): boolean {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === 'content-disposition');
  return /^\s*attachment\b/i.test(headers[name ?? ''] ?? '');
}
