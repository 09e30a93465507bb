/** Lists and opens the windows of a session's browser: popups and pages that other clients opened. */
import type { BrowserConnection } from '../../../browser/cdp/connection.ts';
import { adoptPageTarget } from '../../../browser/processes/page-target.ts';
import { openPage, type Page } from '../../../browser/page/page.ts';

interface Window {
  targetId: string;
  url: string;
  title: string;
}

export class Windows implements Disposable {
  readonly #connection: BrowserConnection;
  readonly #contextId: string | undefined;
  readonly #signal: AbortSignal;
  /** Oldest first. */
  readonly #order: string[] = [];
  readonly #pages = new Map<string, Page>();
  readonly #stop: () => void;
  readonly #watching: Promise<unknown>;

  /** @param first the session's first page; its owner disposes it */
  constructor(first: Page) {
    const { connection, contextId, targetId } = first.target;
    this.#connection = connection;
    this.#contextId = contextId;
    this.#signal = first.signal;
    this.#pages.set(targetId, first);
    const { root } = connection;
    this.#stop = root.on('Target.targetCreated', ({ targetInfo }) => {
      const { type, targetId: id } = targetInfo;
      if (type === 'page' && !this.#order.includes(id)) this.#order.push(id);
    });
    // Only the targetCreated events show the order in which windows opened.
    this.#watching = root.send('Target.setDiscoverTargets', { discover: true });
    this.#watching.catch(() => {});
  }

  /** Lists the current windows, oldest first. */
  async list(): Promise<Window[]> {
    await this.#watching;
    const { targetInfos } = await this.#connection.root.send('Target.getTargets', { filter: [{ type: 'page' }] });
    return targetInfos
      .filter(({ browserContextId }) => this.#contextId === undefined || browserContextId === this.#contextId)
      .map(({ targetId, url, title }) => ({ targetId, url, title }))
      .toSorted((a, b) => this.#order.indexOf(a.targetId) - this.#order.indexOf(b.targetId));
  }

  /** Returns a page that drives a window; always the same page for the same window. */
  async open(targetId: string): Promise<Page> {
    const known = this.#pages.get(targetId);
    if (known && !known.failure.aborted) return known;
    const target = await adoptPageTarget(this.#connection, targetId, this.#contextId);
    const page = openPage(target, { signal: this.#signal });
    this.#pages.set(targetId, page);
    await page.send('Page.setLifecycleEventsEnabled', { enabled: true });
    return page;
  }

  [Symbol.dispose](): void {
    this.#stop();
    const [, ...others] = this.#pages.values();
    for (const page of others) {
      page[Symbol.dispose]();
      const { id } = page.session;
      if (id !== undefined) {
        this.#connection.root.send('Target.detachFromTarget', { sessionId: id }).catch(() => {});
      }
    }
  }
}
