/**
 * Limits pages that keep a CPU busy, in processes that many clients share: gives their renderers the lowest priority
 * after a while, and kills them after a longer time.
 */
import { now, processorCount, readSystemFile } from '../../../base/runtime/machine.ts';
import { commandLineOf, killProcess, setThreadPriorities } from '../../../base/runtime/process.ts';
import { groupTime } from '../../../base/runtime/process-groups.ts';
import type { BrowserHost, BrowserProcess } from '../process.ts';

const lookEveryMs = 1_000;
/** Part of PAGE_BUSY_MS after which a page is given the lowest priority. */
const lowerAfter = 1 / 20;
/** A process is busy when it uses at least this part of its share of the CPUs. */
const busyShare = 0.8;
const lowest = 19;

interface Renderer {
  /** CPU time at the last check, in milliseconds. */
  usedMs: number;
  /** CPU time that it has used since it last paused. */
  busyMs: number;
  lowered: boolean;
}

export class BusyGuard {
  readonly #limitMs: number;
  readonly #host: Pick<BrowserHost, 'niceness' | 'log'>;
  readonly #watched = new Map<number, BrowserProcess>();
  #renderers = new Map<number, Renderer>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #lookedAt = 0;

  /** @param limitMs time in milliseconds after which a busy renderer is killed; 0 switches the guard off */
  constructor(limitMs: number, host: Pick<BrowserHost, 'niceness' | 'log'>) {
    this.#limitMs = limitMs;
    this.#host = host;
  }

  /** Watches the renderers of a process until the returned function is called. */
  watch(browser: BrowserProcess): () => void {
    if (this.#limitMs === 0) return () => {};
    this.#watched.set(browser.pid, browser);
    this.#lookedAt ||= now();
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs);
    return () => {
      this.#watched.delete(browser.pid);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#lookedAt = 0;
      this.#renderers.clear();
    };
  }

  async #look(): Promise<void> {
    const passedMs = now() - this.#lookedAt;
    this.#lookedAt = now();
    const known = this.#renderers;
    // On a machine with more runnable threads than CPUs, each process receives only a part of one.
    const minBusyMs = busyShare * Math.min(1, processorCount / runningTasks()) * passedMs;
    const members = await groupTime(new Set(this.#watched.keys()));
    this.#renderers = new Map(
      members.map(({ pid, ms }) => {
        const before = known.get(pid);
        const newMs = ms - (before?.usedMs ?? ms);
        // On a crowded machine, a page may be busy for a long time without having used much CPU time.
        const busyMs = before !== undefined && newMs >= minBusyMs ? before.busyMs + newMs : 0;
        return [pid, { usedMs: ms, busyMs, lowered: before?.lowered ?? false }];
      }),
    );
    for (const [pid, renderer] of this.#renderers) await this.#limit(pid, renderer);
  }

  async #limit(pid: number, renderer: Renderer): Promise<void> {
    if (renderer.lowered && renderer.busyMs === 0) {
      renderer.lowered = false;
      await setThreadPriorities(pid, this.#host.niceness);
    }
    if (renderer.busyMs < this.#limitMs * lowerAfter) return;
    if (!(await commandLineOf(pid)).includes('--type=renderer')) return;
    if (!renderer.lowered) {
      renderer.lowered = true;
      await setThreadPriorities(pid, lowest);
    }
    if (renderer.busyMs < this.#limitMs || !killProcess(pid)) return;
    this.#host.log.warn('page.busy-exceeded', { seconds: Math.round(renderer.busyMs / 1_000) });
  }
}

/** Number of threads on the machine that run or could run now. */
function runningTasks(): number {
  // Field 4 of proc_loadavg(5): running and total, such as 2/512.
  return Number(readSystemFile('/proc/loadavg')?.split(' ')[3]?.split('/')[0] ?? 1) || 1;
}
