/**
 * Ends the renderer of a page that takes more memory than PAGE_MEMORY_MB, before the machine runs out of memory and the
 * kernel kills a process of its choice; and a browser whose own process does, which keeps what pages without a profile
 * store: caches, files, databases.
 */
import type { Log } from '../../telemetry/log.ts';
import { groupMemory } from '../../runtime/process-groups.ts';
import { commandLineOf, killProcess } from '../../runtime/process.ts';

/** A page can take about a gigabyte in this time. */
const lookEveryMs = 1_000;

/** The part of a browser that the guard needs. */
export interface WatchedBrowser {
  readonly id: string;
  /** Leader of the process group. */
  readonly pid: number;
  /** What its own process does when it takes much memory. Default "its pages stored". */
  readonly holds?: string;
  /** Ends it at once. @param why a clause for its clients */
  fail(why: string): void;
}

export class MemoryGuard implements Disposable {
  readonly #limitBytes: number;
  readonly #log: Log;
  readonly #watched = new Map<WatchedBrowser, number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param limitBytes memory of one renderer; 0 switches the guard off */
  constructor(limitBytes: number, log: Log) {
    this.#limitBytes = limitBytes;
    this.#log = log;
  }

  /** Watches a browser until the returned function is called; several calls for one browser count as one. */
  watch(browser: WatchedBrowser): () => void {
    if (this.#limitBytes === 0) return () => {};
    this.#watched.set(browser, (this.#watched.get(browser) ?? 0) + 1);
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs);
    let watching = true;
    return () => {
      if (!watching) return;
      watching = false;
      const left = (this.#watched.get(browser) ?? 1) - 1;
      if (left > 0) this.#watched.set(browser, left);
      else this.#watched.delete(browser);
      if (this.#watched.size === 0) this[Symbol.dispose]();
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Looks at all browsers at once: one look at /proc costs as much for one of them as for all. */
  async #look(): Promise<void> {
    const browsers = new Map([...this.#watched.keys()].map((browser) => [browser.pid, browser]));
    const groups = new Set(browsers.keys());
    const large = ({ bytes }: { bytes: number }) => bytes > this.#limitBytes;
    if (!(await groupMemory(groups)).some(large)) return;
    // Only what is certain is ended: a remembered id may have passed to another process.
    for (const { pid, group, bytes } of (await groupMemory(groups, 'afresh')).filter(large)) {
      const browser = browsers.get(group);
      const megabytes = Math.round(bytes / 2 ** 20);
      if (pid === group) {
        const { holds = 'its pages stored' } = browser ?? {};
        browser?.fail(`${holds} more data than PAGE_MEMORY_MB allows (${this.#limitBytes / 2 ** 20} MB)`);
        this.#log.warn('browser.memory-exceeded', { browser: browser?.id, megabytes });
      } else if ((await commandLineOf(pid)).includes('--type=renderer') && killProcess(pid)) {
        this.#log.warn('page.memory-exceeded', { browser: browser?.id, megabytes });
      }
    }
  }
}
