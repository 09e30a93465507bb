/**
 * Keeps the main thread of the browser process free in processes that many clients share. A page that starts workers or
 * calls browser functions without a pause makes the pages of all other clients wait. While that thread has no time
 * left, the renderers that use more CPU time than the average of their process are paused part of the time.
 */
import { now, readSystemFile } from '../../../base/runtime/machine.ts';
import { commandLineOf, pauseProcess, resumeAtEnd, resumeProcess } from '../../../base/runtime/process.ts';
import { groupTime } from '../../../base/runtime/process-groups.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import type { BrowserProcess } from '../process.ts';

const lookEveryMs = 250;
/** The thread has no time left when it runs, or waits for a CPU, for this share of the time between two checks. */
const floodedShare = 0.9;
/** Paused renderers resume when its share falls below this. */
const freeShare = 0.7;
const turnMs = 50;
/**
 * A renderer is paused for at most this many turns in a row, then runs for one, so that clients still receive responses
 * from it.
 */
const maxTurnsPaused = 8;
/** A renderer that was not paused for this many turns is released. */
const turnsToLetGo = 40;

/** Measures how busy the first thread of a process is. */
class ThreadLoad {
  readonly #file: string;
  #at = now();
  #usedMs: number;

  constructor(pid: number) {
    this.#file = `/proc/${pid}/task/${pid}/schedstat`;
    this.#usedMs = this.#read();
  }

  /** The share of the time since the last call in which it ran or could have run; 0 without /proc. */
  share(): number {
    const [at, usedMs] = [now(), this.#read()];
    const share = (usedMs - this.#usedMs) / Math.max(1, at - this.#at);
    [this.#at, this.#usedMs] = [at, usedMs];
    return share;
  }

  #read(): number {
    // Time on a CPU and time in the queue for one, in nanoseconds (Documentation/scheduler/sched-stats of Linux).
    const [ran = 0, waited = 0] = (readSystemFile(this.#file) ?? '').split(' ').map(Number);
    return (ran + waited) / 1e6;
  }
}

interface Held {
  /** CPU time that it used between two checks before it was paused, in milliseconds. */
  ms: number;
  /** Resumes it; it is also resumed when this process exits. */
  release(): void;
}

/** A browser process whose clients share its thread. */
class Watched {
  readonly #pid: number;
  readonly #log: Log;
  readonly #load: ThreadLoad;
  /** CPU time of each process in the group at the last check, while the thread is flooded. */
  #times = new Map<number, number>();
  /** Renderers to pause. */
  readonly #held = new Map<number, Held>();
  #turns: ReturnType<typeof setInterval> | undefined;

  constructor(pid: number, log: Log) {
    this.#pid = pid;
    this.#log = log;
    this.#load = new ThreadLoad(pid);
  }

  async look(): Promise<void> {
    const before = this.#times;
    this.#times = new Map();
    if (this.#load.share() < floodedShare) return;
    const used = new Map<number, number>();
    for (const { pid, ms } of await groupTime(new Set([this.#pid]))) {
      this.#times.set(pid, ms);
      const since = before.get(pid);
      if (since === undefined || !(await commandLineOf(pid)).includes('--type=renderer')) continue;
      used.set(pid, this.#held.get(pid)?.ms ?? ms - since);
    }
    if (used.size < 2) return;
    const average = [...used.values()].reduce((sum, ms) => sum + ms, 0) / used.size;
    for (const [pid, ms] of used) {
      if (ms > average && !this.#held.has(pid)) this.#held.set(pid, { ms, release: resumeAtEnd(pid) });
    }
    if (this.#held.size > 0) this.#begin();
  }

  end(): void {
    clearInterval(this.#turns);
    this.#turns = undefined;
    for (const { release } of this.#held.values()) release();
    this.#held.clear();
  }

  #begin(): void {
    if (this.#turns !== undefined) return;
    this.#log.warn('page.floods-browser', { renderers: this.#held.size });
    const load = new ThreadLoad(this.#pid);
    let [paused, free] = [0, 0];
    this.#turns = setInterval(() => {
      const pause = load.share() >= freeShare && paused < maxTurnsPaused;
      paused = pause ? paused + 1 : 0;
      free = pause ? 0 : free + 1;
      for (const [pid, { release }] of this.#held) {
        if ((pause ? pauseProcess : resumeProcess)(pid)) continue;
        release();
        this.#held.delete(pid);
      }
      if (free >= turnsToLetGo || this.#held.size === 0) this.end();
    }, turnMs);
  }
}

export class FloodGuard {
  readonly #log: Log;
  readonly #watched = new Set<Watched>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Watches a process until it has exited. */
  watch({ pid, gone }: BrowserProcess): void {
    if (gone.aborted) return;
    const watched = new Watched(pid, this.#log);
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => void this.#look(), lookEveryMs);
    const ended = () => {
      watched.end();
      this.#watched.delete(watched);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
    gone.addEventListener('abort', ended, { once: true });
  }

  /** On a busy machine, a check may take longer than the interval between two checks. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    for (const watched of this.#watched) await watched.look();
    this.#looking = false;
  }
}
