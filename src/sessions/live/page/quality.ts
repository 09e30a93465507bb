/** Chooses the quality of frames of a moving page: lower while viewers cannot keep up. */

export interface Quality {
  /** JPEG quality, 1 to 100. */
  quality: number;
  /** Fraction of the viewport's width and height. */
  scale: number;
}

/** From best to worst; the requested quality precedes them. */
const steps: readonly Quality[] = [
  { quality: 60, scale: 1 },
  { quality: 40, scale: 1 },
  { quality: 30, scale: 1 },
  { quality: 30, scale: 0.75 },
  { quality: 30, scale: 0.5 },
];

/** Minimum duration of a step, in milliseconds. */
const stepMs = 2_000;
/** The quality drops one step when no viewer was ready for more than this share of the frames. */
const tooMany = 0.3;
/** The quality rises one step when that share was at most `fewEnough`, `calmSteps` times in a row. */
const fewEnough = 0.05;
const calmSteps = 3;

export class QualityLadder {
  readonly #steps: readonly Quality[];
  #at = 0;
  #since: number;
  #taken = 0;
  #missed = 0;
  #calm = 0;

  /**
   * @param asked the highest quality, 1 to 100
   * @param now current time in milliseconds
   */
  constructor(asked: number, now: number) {
    this.#steps = [{ quality: asked, scale: 1 }, ...steps.filter(({ quality }) => quality < asked)];
    this.#since = now;
  }

  get now(): Quality {
    return this.#steps[this.#at] ?? { quality: 30, scale: 0.5 };
  }

  /**
   * Records a frame.
   * @param taken whether a viewer was ready for the next frame when it was due
   * @param now current time in milliseconds
   * @returns true when the quality has changed
   */
  note(taken: boolean, now: number): boolean {
    if (taken) this.#taken++;
    else this.#missed++;
    if (now - this.#since < stepMs) return false;
    const part = this.#missed / (this.#taken + this.#missed);
    this.#since = now;
    this.#taken = this.#missed = 0;
    this.#calm = part <= fewEnough ? this.#calm + 1 : 0;
    const before = this.#at;
    if (part > tooMany) this.#at = Math.min(this.#at + 1, this.#steps.length - 1);
    else if (this.#calm >= calmSteps) {
      this.#at = Math.max(this.#at - 1, 0);
      this.#calm = 0;
    }
    return this.#at !== before;
  }
}
