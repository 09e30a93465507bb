/** Chooses how good the pictures of a moving page are: worse ones while viewers take fewer than there are. */

export interface Quality {
  /** Of JPEG, 1 to 100. */
  quality: number;
  /** Part of the viewport's width and height. */
  scale: number;
}

/** From the best to the worst; the asked quality comes before them. */
const steps: readonly Quality[] = [
  { quality: 60, scale: 1 },
  { quality: 40, scale: 1 },
  { quality: 30, scale: 1 },
  { quality: 30, scale: 0.75 },
  { quality: 30, scale: 0.5 },
];

/** How long a step lasts at least, in milliseconds. */
const stepMs = 2_000;
/** Of the pictures in that time, the part after which no viewer was ready: above the first it gets worse … */
const tooMany = 0.3;
/** … and at or below the second, this many times in a row, better. */
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
   * @param asked the best quality, 1 to 100
   * @param now in milliseconds
   */
  constructor(asked: number, now: number) {
    this.#steps = [{ quality: asked, scale: 1 }, ...steps.filter(({ quality }) => quality < asked)];
    this.#since = now;
  }

  get now(): Quality {
    return this.#steps[this.#at] ?? { quality: 30, scale: 0.5 };
  }

  /**
   * Notes a picture.
   * @param taken whether a viewer was ready for the next one when its turn came
   * @param now in milliseconds
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
