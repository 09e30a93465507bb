/** Determines when a browser that serves many jobs should be replaced. */
import { groupMemory } from '../../../base/runtime/process-groups.ts';
import { now } from '../../../base/runtime/machine.ts';
import type { BrowserProcess } from '../process.ts';

export interface Wear {
  /** Replace the browser after this number of jobs. */
  jobs: number;
  /** … after this time in milliseconds. */
  ageMs: number;
  /** … when its processes use this much private memory, in bytes. */
  memoryBytes: number;
}

/** Reading the memory of about ten processes takes a millisecond: too much for every job. */
const memoryCheckEveryMs = 5_000;

export class WearMeter {
  readonly #process: BrowserProcess;
  readonly #wear: Wear;
  #jobs = 0;
  #memoryBytes = 0;
  #memoryCheckedAt = 0;

  constructor(process: BrowserProcess, wear: Wear) {
    this.#process = process;
    this.#wear = wear;
  }

  /** Why the browser should be replaced; undefined while it is usable. */
  get worn(): 'jobs' | 'age' | 'memory' | undefined {
    if (this.#jobs >= this.#wear.jobs) return 'jobs';
    if (this.#jobs > 0 && now() - this.#process.startedAt > this.#wear.ageMs) return 'age';
    if (this.#memoryBytes > this.#wear.memoryBytes) return 'memory';
    return undefined;
  }

  jobBegins(): void {
    this.#jobs++;
  }

  /** Checks the memory, at most every five seconds. */
  jobEnds(): void {
    if (now() - this.#memoryCheckedAt < memoryCheckEveryMs) return;
    this.#memoryCheckedAt = now();
    void groupMemory(new Set([this.#process.pid])).then((members) => {
      this.#memoryBytes = members.reduce((sum, { bytes }) => sum + bytes, 0);
    });
  }
}
