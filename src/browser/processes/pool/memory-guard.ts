/**
 * Kills the renderer of a page that uses more memory than PAGE_MEMORY_MB, before the machine runs out of memory and the
 * kernel kills a process of its choice. The browser process itself holds what pages without a profile store: caches,
 * files, databases. When it exceeds the limit, the virtual browser that stores most of the data is closed, or, when
 * none does, the whole process is killed.
 */
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import { groupMemory } from '../../../base/runtime/process-groups.ts';
import { now } from '../../../base/runtime/machine.ts';
import { commandLineOf, killProcess } from '../../../base/runtime/process.ts';

/** Interval between checks in milliseconds; a page can allocate about a gigabyte in this time. */
const lookEveryMs = 1_000;
/**
 * Time in milliseconds that a process has to free the memory after a browser in it was closed. Does not apply while the
 * process uses more than this multiple of the limit.
 */
const reliefMs = 5_000;
const reliefTimes = 1.5;
/** Time limit for asking a browser how much its pages store, in milliseconds. */
const askMs = 2_000;
/** Approximate memory of a browser's own process when its pages store nothing. */
const ownBytes = 100 * 2 ** 20;

/** The part of a browser that the guard needs. */
export interface WatchedBrowser {
  readonly id: string;
  /** Leader of the process group. */
  readonly pid: number;
  /** Subject and verb that explain why its own process uses much memory. Default "its pages stored". */
  readonly holds?: string;
  /**
   * Kills it immediately, with everything that shares its process.
   * @param why the reason that its clients see, as a clause
   */
  fail(why: string): void;
  /** Set for a browser that shares its process. */
  readonly share?: {
    /** Bytes that its pages store. Rejects when the browser does not report it. */
    stored(): Promise<number>;
    /** Closes only this browser. */
    fail(why: string): void;
  };
}

export class MemoryGuard implements Disposable {
  readonly #limitBytes: number;
  readonly #log: Log;
  readonly #watched = new Map<WatchedBrowser, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** When the time to free memory runs out, by process id. */
  readonly #relieved = new Map<number, number>();

  /** @param limitBytes memory limit of one renderer; 0 switches the guard off */
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
    this.#relieved.clear();
  }

  /** Checks all browsers at once: reading /proc costs as much for one of them as for all. */
  async #look(): Promise<void> {
    const browsers = Map.groupBy(this.#watched.keys(), ({ pid }) => pid);
    const groups = new Set(browsers.keys());
    const large = ({ bytes }: { bytes: number }) => bytes > this.#limitBytes;
    if (!(await groupMemory(groups)).some(large)) return;
    // Read again before killing anything: a remembered id may now belong to another process.
    for (const { pid, group, bytes } of (await groupMemory(groups, 'afresh')).filter(large)) {
      const sharing = browsers.get(group) ?? [];
      const megabytes = Math.round(bytes / 2 ** 20);
      if (pid === group) {
        void this.#end(sharing, bytes);
      } else if ((await commandLineOf(pid)).includes('--type=renderer') && killProcess(pid)) {
        this.#log.warn('page.memory-exceeded', { browser: sharing[0]?.id, megabytes });
      }
    }
  }

  /** Closes the browser that fills its process, or kills the whole process. */
  async #end(sharing: readonly WatchedBrowser[], bytes: number): Promise<void> {
    const [first] = sharing;
    if (!first) return;
    const { pid, holds = 'its pages stored' } = first;
    if (now() < (this.#relieved.get(pid) ?? 0) && bytes < this.#limitBytes * reliefTimes) return;
    this.#relieved.set(pid, now() + reliefMs);
    const why = `${holds} more data than PAGE_MEMORY_MB allows (${this.#limitBytes / 2 ** 20} MB)`;
    const largest = await this.#largest(sharing, bytes - ownBytes);
    if (largest?.share) largest.share.fail(why);
    else {
      first.fail(why);
      this.#relieved.delete(pid);
    }
    this.#log.warn('browser.memory-exceeded', {
      browser: (largest ?? first).id,
      megabytes: Math.round(bytes / 2 ** 20),
    });
  }

  /** The browser that stores at least half of these bytes; undefined if none does. */
  async #largest(sharing: readonly WatchedBrowser[], bytes: number): Promise<WatchedBrowser | undefined> {
    if (sharing.length < 2) return undefined;
    using deadline = startDeadline(askMs, () => undefined, []);
    const ask = ({ share }: WatchedBrowser) => orAborted(share?.stored() ?? Promise.resolve(0), deadline.signal);
    const answers = await Promise.allSettled(sharing.map(ask));
    const stored = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 0));
    const most = Math.max(...stored);
    return most >= bytes / 2 ? sharing[stored.indexOf(most)] : undefined;
  }
}
