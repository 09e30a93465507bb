/**
 * Runs many jobs in one warm browser, each in a separate context. Creates contexts with a blank page ahead of time and
 * destroys each after its job (decisions.mdx#contexts-in-a-shared-browser).
 */
import { startDeadline, orAborted } from '../../../base/runtime/deadline.ts';
import { processorCount } from '../../../base/runtime/machine.ts';
import { createPageTarget, type PageTarget } from '../page-target.ts';
import type { BrowserProcess } from '../process.ts';
import { Pulse } from './pulse.ts';
import { type Wear, WearMeter } from './wear.ts';

/** Time in milliseconds within which a browser must create or close a blank page; otherwise it is considered stuck. */
const housekeepingLimitMs = 15_000;
/** With this many pages in use per CPU, the browser stops creating spare pages. */
const busyPagesPerProcessor = 2;

export class SharedBrowser {
  readonly process: BrowserProcess;
  readonly #spareCount: number;
  readonly #empty: (browser: SharedBrowser) => void;
  readonly #meter: WearMeter;
  readonly #spares: Promise<PageTarget>[] = [];
  readonly #whenIdle: (() => void)[] = [];
  #active = 0;
  readonly #retiring = new AbortController();
  readonly #unfit = new AbortController();

  /** @param empty called when the last job has left */
  constructor(process: BrowserProcess, spareCount: number, wear: Wear, empty: (browser: SharedBrowser) => void) {
    this.process = process;
    this.#empty = empty;
    this.#spareCount = spareCount;
    this.#meter = new WearMeter(process, wear);
    process.gone.addEventListener(
      'abort',
      () => {
        this.#retiring.abort(process.gone.reason);
        this.#unfit.abort(process.gone.reason);
      },
      { once: true },
    );
    // oxlint-disable-next-line eslint/no-new -- it ends with the connection
    new Pulse(
      process.connection,
      () => this.#active > 0,
      () => this.#unfit.abort(new Error('the browser is not responding')),
      () => void process.close(),
    );
    this.#prepare();
  }

  /** Aborted when the browser no longer accepts jobs, or has exited. */
  get retiring(): AbortSignal {
    return this.#retiring.signal;
  }

  /**
   * Aborted when the browser has exited or no longer responds: a request that still waits for a page will not receive
   * one here.
   */
  get unfit(): AbortSignal {
    return this.#unfit.signal;
  }

  /** Jobs that are running in it. */
  get active(): number {
    return this.#active;
  }

  /** Why the browser should be replaced, or undefined while it is fit. */
  get worn(): WearMeter['worn'] {
    return this.#meter.worn;
  }

  /**
   * A blank page in a fresh context.
   * @param proxyServer the context's own proxy; such a page is never created ahead of time
   * @throws Error when the browser exits or is stuck; a stuck browser is closed as well
   */
  async take(proxyServer?: string): Promise<PageTarget> {
    this.#active++;
    this.#meter.jobBegins();
    try {
      for (;;) {
        const target = await (proxyServer === undefined
          ? (this.#spares.shift() ?? this.#create())
          : this.#create(proxyServer));
        if (!target.crashed) return target;
        // The renderer of a spare page was killed by the system or by another page's crash.
        await this.#dispose(target);
      }
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Destroys the page's context with everything that the job left in it, and makes the next spare. Never throws. */
  async giveBack(target: PageTarget): Promise<void> {
    try {
      await this.#dispose(target);
    } catch {
      // A browser that cannot close a context may be broken.
      await this.process.close();
    } finally {
      this.#leave();
      this.#prepare();
      this.#meter.jobEnds();
    }
  }

  /** Accepts no more jobs; closes when the last one has finished. */
  async retire(): Promise<void> {
    this.#retiring.abort(new Error('the browser is being replaced'));
    if (this.#active > 0 && !this.process.gone.aborted) {
      await new Promise<void>((resolve) => {
        this.#whenIdle.push(resolve);
        this.process.gone.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    await this.process.close();
  }

  async #dispose({ contextId }: PageTarget): Promise<void> {
    if (this.process.gone.aborted || contextId === undefined) return;
    const { root } = this.process.connection;
    await this.#limited(root.send('Target.disposeBrowserContext', { browserContextId: contextId }));
  }

  #leave(): void {
    this.#active--;
    if (this.#active > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
    if (!this.#retiring.signal.aborted) this.#empty(this);
  }

  #prepare(): void {
    // While the CPUs are busy, a page created ahead of time gains nothing and uses memory.
    const room = Math.max(0, busyPagesPerProcessor * processorCount - this.#active);
    const wanted = this.#retiring.signal.aborted || this.#unfit.signal.aborted ? 0 : Math.min(this.#spareCount, room);
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
