/** Measures how many spares are worth having: the most that were taken in one burst during the last minute. */

/** Time in milliseconds within which takes form one burst: about as long as a busy machine needs to start a browser. */
const burstMs = 1_000;
/** Time in milliseconds after which demand is forgotten. */
const defaultMemoryMs = 60_000;

interface Peak {
  at: number;
  takes: number;
}

export class Demand {
  readonly #memoryMs: number;
  /** Times of the takes in the last burst. */
  readonly #recent: number[] = [];
  /** Peaks of the last minute, the highest first; each later one is lower. */
  readonly #peaks: Peak[] = [];

  /** @param memoryMs how long a take counts, in milliseconds; a minute by default */
  constructor(memoryMs: number = defaultMemoryMs) {
    this.#memoryMs = memoryMs;
  }

  /** Records that one was taken. @param time the time in milliseconds, from a clock that never goes back */
  took(time: number): void {
    this.#recent.push(time);
    while ((this.#recent[0] ?? time) <= time - burstMs) this.#recent.shift();
    const takes = this.#recent.length;
    // A lower peak before a higher one never counts again.
    while ((this.#peaks.at(-1)?.takes ?? Infinity) <= takes) this.#peaks.pop();
    this.#peaks.push({ at: time, takes });
  }

  /** The highest peak of the last minute; 0 without any. */
  peak(time: number): number {
    while ((this.#peaks[0]?.at ?? time) <= time - this.#memoryMs) this.#peaks.shift();
    return this.#peaks[0]?.takes ?? 0;
  }

  /** Milliseconds until `peak` falls, unless something is taken; undefined when it is 0. */
  fallsIn(time: number): number | undefined {
    if (this.peak(time) === 0) return undefined;
    return (this.#peaks[0]?.at ?? time) + this.#memoryMs - time;
  }
}
