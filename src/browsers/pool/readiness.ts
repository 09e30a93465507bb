/**
 * Tells whether a call would be served now: a call has ended well lately, or a page is opened to find out. Answers are
 * kept for seconds, and one check runs at a time, so asking often costs nothing.
 */
import { ServiceError } from '../../errors.ts';
import { orAborted, pause, startDeadline } from '../../runtime/deadline.ts';
import { now } from '../../runtime/machine.ts';
import { createPageTarget } from '../page-target.ts';
import type { BrowserPool } from './pool.ts';
import { storageProblem, type StorageSetting } from '../storage.ts';

export interface Problem {
  reason: 'browser' | 'disk';
  /** A sentence for the operator. */
  message: string;
}

/** A call that ended well proves so long, in milliseconds, that the next one will. */
const callProvesMs = 10_000;
/** … and an answer that was found for the purpose. */
const keepMs = 5_000;
/** Whoever asks after a long silence waits for a new answer; until then he gets the last one, in milliseconds. */
const staleMs = 15_000;
/** A proof that takes longer has failed, in milliseconds. */
const limitMs = 5_000;
/** A browser that has not opened a page within this time is taken for stuck, and ended, in milliseconds. */
const stuckMs = 15_000;
/** One failure may be an accident (a browser that is being replaced): it is tried again after so many milliseconds. */
const pauseMs = 1_000;
/** An idle server starts a browser for a proof at most once in so many milliseconds. */
const startEveryMs = 60_000;

export class Readiness {
  readonly #pool: Pick<BrowserPool, 'warm'>;
  readonly #browser: KeptAnswer;
  readonly #disk: KeptAnswer;
  /** The proof that goes on; a browser that hangs is asked once. */
  #proof: Promise<boolean> | undefined;
  /** When a proof last started a browser, or tried to. */
  #startedAt = -Infinity;
  /** Set while a browser has proved itself and not failed since. */
  #wasWell = false;

  /** @param storage the directories that calls write to */
  constructor(
    pool: Pick<BrowserPool, 'warm'>,
    storage: readonly (readonly [setting: StorageSetting, directory: string])[],
  ) {
    this.#pool = pool;
    this.#browser = new KeptAnswer((last) => this.#proveBrowser(last));
    this.#disk = new KeptAnswer(() => proveStorage(storage));
  }

  /** A call that used a browser has ended well. */
  worked(): void {
    this.#wasWell = true;
    this.#browser.know(undefined, callProvesMs);
  }

  /** A call found no browser, or one that did not start: what was known counts no more. @param starts it was a start */
  doubted(starts: boolean): void {
    if (starts) this.#startedAt = -Infinity;
    this.#browser.forget();
  }

  /** What stands in the way of calls, or undefined. Never rejects; waits for a proof only when nothing is known. */
  async problem(): Promise<Problem | undefined> {
    const [disk, browser] = await Promise.all([this.#disk.read(), this.#browser.read()]);
    return disk ?? browser;
  }

  /** Opens a page, or waits for the one that is being opened. Resolves with false when there was no browser to ask. */
  #prove(mayStart: () => boolean): Promise<boolean> {
    this.#proof ??= openPage(this.#pool, mayStart).finally(() => (this.#proof = undefined));
    return this.#proof;
  }

  /** A browser that was well is given a second chance before it is called broken. */
  async #proveBrowser(last: Problem | undefined): Promise<Problem | undefined> {
    let starts: boolean | undefined;
    const mayStart = () => {
      starts ??= now() - this.#startedAt >= startEveryMs;
      if (starts) this.#startedAt = now();
      return starts;
    };
    const chances = this.#wasWell ? 2 : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        // Without a browser there is nothing new to say; whoever called last has shown what a start comes to.
        if (!(await limited(this.#prove(mayStart), 'open a page'))) return last;
        this.#wasWell = true;
        return undefined;
      } catch (error) {
        if (attempt < chances) {
          await pause(pauseMs, undefined);
          continue;
        }
        this.#wasWell = false;
        const storage = error instanceof ServiceError && error.code === 'storage-full';
        return { reason: storage ? 'disk' : 'browser', message: sentenceOf(error) };
      }
    }
  }
}

/** Makes a page in a warm browser, lets it compute something and destroys it; a browser that cannot is ended. */
async function openPage(pool: Pick<BrowserPool, 'warm'>, mayStart: () => boolean): Promise<boolean> {
  const warm = await pool.warm(mayStart);
  if (!warm) return false;
  const { connection, mode } = warm.browser;
  try {
    using deadline = startDeadline(stuckMs, () => new TooLate('could not open a page'), []);
    const { session, contextId } = await orAborted(createPageTarget(connection, mode, true), deadline.signal);
    const { result } = await orAborted(session.send('Runtime.evaluate', { expression: '6 * 7' }), deadline.signal);
    if (result.value !== 42) throw new Error('a blank page cannot compute');
    const browserContextId = contextId ?? '';
    await orAborted(connection.root.send('Target.disposeBrowserContext', { browserContextId }), deadline.signal);
    if (warm.own) void warm.browser.close();
    return true;
  } catch (error) {
    void warm.browser.close();
    throw error;
  }
}

async function proveStorage(
  storage: readonly (readonly [setting: StorageSetting, directory: string])[],
): Promise<Problem | undefined> {
  try {
    const problem = await limited(storageProblem(storage), 'write to its disks');
    return problem && { reason: 'disk', message: problem.message };
  } catch (error) {
    return { reason: 'disk', message: sentenceOf(error) };
  }
}

class TooLate extends Error {}

/** @throws TooLate after the time of a proof */
async function limited<T>(work: Promise<T>, what: string): Promise<T> {
  using deadline = startDeadline(limitMs, () => new TooLate(`could not ${what} within ${limitMs / 1_000} seconds`), []);
  return await orAborted(work, deadline.signal);
}

function sentenceOf(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof TooLate) return `The server ${error.message}.`;
  return 'The browser failed to open a page.';
}

/** The answer to a question that is asked often and is costly to find out. */
class KeptAnswer {
  readonly #find: (last: Problem | undefined) => Promise<Problem | undefined>;
  #answer: Problem | undefined;
  #foundAt = -Infinity;
  #keptUntil = -Infinity;
  #finding: Promise<void> | undefined;

  /** @param find must not reject */
  constructor(find: (last: Problem | undefined) => Promise<Problem | undefined>) {
    this.#find = find;
  }

  /** The answer is known by other means, for a time in milliseconds. */
  know(answer: Problem | undefined, forMs: number): void {
    this.#answer = answer;
    this.#foundAt = now();
    this.#keptUntil = Math.max(this.#keptUntil, this.#foundAt + forMs);
  }

  /** Whoever asks next waits for a new answer. */
  forget(): void {
    this.#foundAt = this.#keptUntil = -Infinity;
  }

  async read(): Promise<Problem | undefined> {
    if (now() >= this.#keptUntil) {
      this.#finding ??= this.#findOut();
      if (now() - this.#foundAt > staleMs) await this.#finding;
    }
    return this.#answer;
  }

  async #findOut(): Promise<void> {
    const startedAt = now();
    const answer = await this.#find(this.#answer);
    this.#finding = undefined;
    // A call that ended well meanwhile knows better.
    if (answer === undefined || this.#foundAt <= startedAt) this.know(answer, keepMs);
  }
}
