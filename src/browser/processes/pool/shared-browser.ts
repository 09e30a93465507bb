/**
 * Runs many jobs in one warm browser, each in a separate context. Creates contexts with a blank page ahead of time and
 * destroys each after its job (decisions.mdx#contexts-in-a-shared-browser).
 */
import { startDeadline, orAborted } from '../../../base/runtime/deadline.ts';
import { processorCount } from '../../../base/runtime/machine.ts';
import { createPageTarget, type PageTarget } from '../page-target.ts';
import type { BrowserProcess } from '../process.ts';
import { SharedProcess } from './shared-process.ts';
import type { Wear } from './wear.ts';

/** Time in milliseconds within which a browser must create or close a blank page; otherwise it is considered stuck. */
const housekeepingLimitMs = 15_000;
/** With this many pages in use per CPU, the browser stops creating spare pages. */
const busyPagesPerProcessor = 2;

export class SharedBrowser extends SharedProcess {
  readonly #spareCount: number;
  readonly #spares: Promise<PageTarget>[] = [];

  constructor(process: BrowserProcess, spareCount: number, wear: Wear) {
    super(process, wear);
    this.#spareCount = spareCount;
    this.#prepare();
  }

  /**
   * A blank page in a fresh context.
   * @param proxyServer the context's own proxy; such a page is never created ahead of time
   * @throws Error when the browser exits or is stuck; a stuck browser is closed as well
   */
  take(proxyServer?: string): Promise<PageTarget> {
    return this.enter(async () => {
      for (;;) {
        const target = await (proxyServer === undefined
          ? (this.#spares.shift() ?? this.#create())
          : this.#create(proxyServer));
        if (!target.crashed) return target;
        // The renderer of a spare page was killed by the system or by another page's crash.
        await this.#dispose(target);
      }
    });
  }

  /** Destroys the page's context with everything that the job left in it, and makes the next spare. Never throws. */
  async giveBack(target: PageTarget): Promise<void> {
    try {
      await this.#dispose(target);
    } catch {
      // A browser that cannot close a context may be broken.
      await this.process.close();
    } finally {
      this.leave();
      this.#prepare();
    }
  }

  async #dispose({ contextId }: PageTarget): Promise<void> {
    if (this.process.gone.aborted || contextId === undefined) return;
    const { root } = this.process.connection;
    await this.#limited(root.send('Target.disposeBrowserContext', { browserContextId: contextId }));
  }

  #prepare(): void {
    // While the CPUs are busy, a page created ahead of time gains nothing and uses memory.
    const room = Math.max(0, busyPagesPerProcessor * processorCount - this.active);
    const wanted = this.retiring.aborted || this.unfit.aborted ? 0 : Math.min(this.#spareCount, room);
    while (this.#spares.length < wanted) {
      const spare = this.#create();
      // The request that takes the spare receives the error; an untaken spare must not cause an unhandled rejection.
      spare.catch(() => {});
      this.#spares.push(spare);
    }
  }

  async #create(proxyServer?: string): Promise<PageTarget> {
    try {
      return await this.#limited(createPageTarget(this.process, { ownContext: true, proxyServer }));
    } catch (error) {
      void this.process.close();
      throw error;
    }
  }

  async #limited<T>(work: Promise<T>): Promise<T> {
    const reason = () => new Error(`the browser did not respond within ${housekeepingLimitMs} ms`);
    using deadline = startDeadline(housekeepingLimitMs, reason, []);
    return await orAborted(work, deadline.signal);
  }
}
