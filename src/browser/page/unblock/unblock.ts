/**
 * Gets past the barriers that a site puts in front of a page: waits for challenges that end automatically, clicks their
 * checkboxes, and solves captchas. Always reports what it saw and tried.
 */
import { now } from '../../../base/runtime/machine.ts';
import type { Mouse } from '../captcha/act.ts';
import type { CaptchaHelp } from '../captcha/help.ts';
import type { CaptchaType } from '../captcha/kinds.ts';
import { findCaptchas } from '../captcha/look.ts';
import { solveCaptcha } from '../captcha/solve.ts';
import { withRetry } from '../evaluate.ts';
import type { Page } from '../page.ts';
import { type Barrier, barrierOf, type DocumentResponse } from './barrier.ts';

/**
 * `clear`: nothing blocked the page; `passed`: the page has loaded now; `captcha:…`: this captcha blocks the page and
 * was not solved; `denied`: the site refuses, and no way past was found; `timeout`: a challenge did not end in time.
 */
type UnblockState = 'clear' | 'passed' | 'denied' | 'timeout' | `captcha:${CaptchaType}`;

export interface Unblocked {
  state: UnblockState;
  /** The barriers that blocked the page, each once: types of captchas, headers of challenges, statuses. */
  seen: readonly string[];
  /** The methods that were tried, each once: `wait`, `captcha`. */
  tried: readonly string[];
}

export interface UnblockOptions {
  /** Time limit in milliseconds. */
  limitMs: number;
  help: CaptchaHelp;
  /** Aborts the work outside of the page, such as requests to the solver. */
  signal: AbortSignal;
}

/** How long to wait for another document when only the status indicates a refusal, in milliseconds. */
const refusalMs = 3_000;
/** How long to wait for a page to react to the token of a captcha, in milliseconds. */
const reactionMs = 3_000;

/** Thrown when the time limit is reached. */
class TimeLimitReached extends Error {}

/** What the site has sent as the main document of a page. */
export interface DocumentResponses {
  /** The response for the current document. */
  latest: DocumentResponse | undefined;
  /** Names of the challenges that earlier documents were; a page can pass one while it is still loading. */
  readonly passed: Set<string>;
}

/** Records the responses for the main documents of a page; must be called before the page navigates. */
export function watchResponses(page: Page): DocumentResponses {
  // Challenges reload the page, so the domain stays on.
  page.networkNeeded = true;
  const responses: DocumentResponses = { latest: undefined, passed: new Set() };
  page.on('Network.responseReceived', ({ type, frameId, response }) => {
    if (type !== 'Document' || frameId !== page.mainFrameId) return;
    const before = barrierOf(responses.latest, []);
    if (before && !before.perhapsFinal) responses.passed.add(before.name);
    responses.latest = response;
  });
  return responses;
}

/** @param responses what `watchResponses` records @throws any error that the page throws */
export function unblock(page: Page, responses: DocumentResponses, options: UnblockOptions): Promise<Unblocked> {
  return new Unblocking(page, responses, options).run();
}

class Unblocking {
  readonly #page: Page;
  readonly #responses: DocumentResponses;
  readonly #options: UnblockOptions;
  readonly #until: number;
  readonly #seen = new Set<string>();
  readonly #tried = new Set<string>();
  readonly #hand: Mouse;

  constructor(page: Page, responses: DocumentResponses, options: UnblockOptions) {
    this.#page = page;
    this.#responses = responses;
    this.#options = options;
    this.#until = now() + options.limitMs;
    this.#hand = {
      mouse: { x: 0, y: 0 },
      check: () => {
        if (now() >= this.#until) throw new TimeLimitReached();
      },
    };
  }

  async run(): Promise<Unblocked> {
    const state = await this.#pass();
    return { state, seen: [...this.#seen], tried: [...this.#tried] };
  }

  async #pass(): Promise<UnblockState> {
    for (;;) {
      const { documents } = this.#page.life;
      const captchas = await withRetry(this.#page, () => findCaptchas(this.#page));
      const barrier = barrierOf(this.#responses.latest, captchas);
      if (!barrier) return this.#loaded();
      this.#seen.add(barrier.name);
      const state = await this.#work(barrier, documents);
      if (state !== undefined) return state;
    }
  }

  /** The state of a page that nothing blocks, or that has passed its challenge while it was still loading. */
  #loaded(): UnblockState {
    if (this.#seen.size > 0) return 'passed';
    for (const name of this.#responses.passed) this.#seen.add(name);
    if (this.#seen.size === 0) return 'clear';
    this.#tried.add('wait');
    return 'passed';
  }

  /** @returns the state when there is nothing more to do */
  async #work({ captcha, perhapsFinal }: Barrier, documents: number): Promise<UnblockState | undefined> {
    if (!captcha) {
      this.#tried.add('wait');
      const limitMs = perhapsFinal ? Math.min(refusalMs, this.#remainingMs) : this.#remainingMs;
      if (await this.#nextDocument(documents, limitMs)) return undefined;
      return perhapsFinal ? 'denied' : 'timeout';
    }
    const { type, kind } = captcha;
    const late: UnblockState = kind?.interstitial ? 'timeout' : `captcha:${type}`;
    this.#tried.add('captcha');
    try {
      const { help, signal } = this.#options;
      const { solved } = await solveCaptcha(this.#page, {
        wanted: { type },
        appearMs: 0,
        mouse: this.#hand,
        help,
        signal,
      });
      if (!solved) return late;
    } catch (error) {
      if (error instanceof TimeLimitReached) return late;
      throw error;
    }
    const loads = await this.#nextDocument(documents, Math.min(reactionMs, this.#remainingMs));
    return loads ? undefined : 'passed';
  }

  get #remainingMs(): number {
    return Math.max(0, this.#until - now());
  }

  /** Waits until the page has loaded another document; false when it has not done so in time. */
  async #nextDocument(documents: number, limitMs: number): Promise<boolean> {
    const late = new TimeLimitReached();
    const { life } = this.#page;
    const isNew = () => life.documents > documents;
    try {
      await this.#page.withTimeout(life.reached(['load'], isNew), Math.max(1, limitMs), () => late);
      return true;
    } catch (error) {
      if (error === late) return isNew();
      throw error;
    }
  }
}
