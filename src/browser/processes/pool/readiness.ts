/**
 * Determines whether the server can serve a request now: because one succeeded recently, or because opening a page
 * works. Keeps results for seconds and runs one check at a time, so frequent probes cost nothing.
 */
import { ServiceError } from '../../../base/errors.ts';
import { orAborted, pause, startDeadline } from '../../../base/runtime/deadline.ts';
import { now } from '../../../base/runtime/machine.ts';
import { createPageTarget } from '../page-target.ts';
import type { BrowserPool } from './pool.ts';
import { storageProblem, type StorageSetting } from '../storage.ts';

export interface Problem {
  reason: 'browser' | 'disk';
  /** A message for the operator. */
  message: string;
}

/** How long a successful request is taken as proof that the next one will succeed, in milliseconds. */
const callProvesMs = 10_000;
/** How long the result of a check is kept, in milliseconds. */
const keepMs = 5_000;
/**
 * A probe receives the last result immediately while a new check runs, unless that result is older than this, in
 * milliseconds; then the probe waits for the check.
 */
const staleMs = 15_000;
/** Time limit of a check, in milliseconds. */
const limitMs = 5_000;
/** Time in milliseconds within which a browser must open a page; otherwise it is considered stuck and is closed. */
const stuckMs = 15_000;
/**
 * Pause before the second attempt, in milliseconds: one failure may be an accident (a browser that is being replaced).
 */
const pauseMs = 1_000;
/** Minimum time in milliseconds between two browser starts for checks on an idle server. */
const startEveryMs = 60_000;

export class Readiness {
  readonly #pool: Pick<BrowserPool, 'warm'>;
  readonly #browser: CachedResult;
  readonly #disk: CachedResult;
  /** The check in progress; a hung browser is checked only once. */
  #proof: Promise<boolean> | undefined;
  /** When a check last started a browser, or tried to. */
  #startedAt = -Infinity;
  /** True from a success until a check fails. */
  #wasWell = false;
  /** True when a request raised doubts that no check has examined yet. */
  #isDoubted = false;
  /** True once the server has finished starting: a browser is warm if the settings ask for one. */
  hasStarted = false;

  /** @param storage the directories that requests write to */
  constructor(
    pool: Pick<BrowserPool, 'warm'>,
    storage: readonly (readonly [setting: StorageSetting, directory: string])[],
  ) {
    this.#pool = pool;
    this.#browser = new CachedResult((last) => this.#proveBrowser(last));
    this.#disk = new CachedResult(() => proveStorage(storage));
  }

  /** Records that a request that used a browser has succeeded. */
  reportSuccess(): void {
    this.#isDoubted = false;
    this.#wasWell = true;
    this.#browser.know(undefined, callProvesMs);
  }

  /**
   * Drops the last result: a request found no browser, or its browser did not start.
   * @param starts true when a browser failed to start
   */
  invalidate(starts: boolean): void {
    if (starts) this.#startedAt = -Infinity;
    this.#isDoubted = true;
    this.#browser.forget();
  }

  /**
   * Returns the problem that keeps the server from serving requests; undefined when there is none. Never rejects; waits
   * for a check only when no recent result is known.
   */
  async problem(): Promise<Problem | undefined> {
    const [disk, browser] = await Promise.all([this.#disk.read(), this.#browser.read()]);
    return disk ?? browser;
  }

  /** Resolves when no check of the disks is running: a check writes a file and removes it immediately. */
  diskSettled(): Promise<void> {
    return this.#disk.settled();
  }

  /**
   * Returns the last result of `problem`. Checks the disks like `problem`, but browsers only after a failure: clients
   * may have no token, and must not make a healthy server open pages.
   */
  async known(): Promise<Problem | undefined> {
    const disk = await this.#disk.read();
    if (this.#isDoubted || this.#browser.last !== undefined) {
      this.#isDoubted = false;
      void this.#browser.read();
    }
    return disk ?? this.#browser.last;
  }

  /**
   * Tries twice when the last check or request succeeded, so that one accident is not mistaken for a broken browser.
   */
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
        this.#proof ??= openPage(this.#pool, mayStart).finally(() => (this.#proof = undefined));
        // No browser is running and none may be started: the last result stands, because the last attempt decided it.
        if (!(await limited(this.#proof, 'open a page'))) return last;
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

/**
 * Creates a page in a warm browser, evaluates an expression in it and destroys it. Closes a browser that fails to do
 * so.
 */
async function openPage(pool: Pick<BrowserPool, 'warm'>, mayStart: () => boolean): Promise<boolean> {
  const warm = await pool.warm(mayStart);
  if (!warm) return false;
  const { connection } = warm.browser;
  try {
    using deadline = startDeadline(stuckMs, () => new TooLate('could not open a page'), []);
    const { session, contextId } = await orAborted(
      createPageTarget(warm.browser, { ownContext: true }),
      deadline.signal,
    );
    const { result } = await orAborted(session.send('Runtime.evaluate', { expression: '6 * 7' }), deadline.signal);
    if (result.value !== 42) throw new Error('a blank page returned a wrong result');
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

/** @throws TooLate after `limitMs` */
async function limited<T>(work: Promise<T>, what: string): Promise<T> {
  using deadline = startDeadline(limitMs, () => new TooLate(`could not ${what} within ${limitMs / 1_000} seconds`), []);
  return await orAborted(work, deadline.signal);
}

function sentenceOf(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof TooLate) return `The server ${error.message}.`;
  return 'The browser failed to open a page.';
}

/** Caches the result of a check that is expensive and requested often. */
class CachedResult {
  readonly #find: (last: Problem | undefined) => Promise<Problem | undefined>;
  /** The last result, however old; undefined before the first. */
  last: Problem | undefined;
  #foundAt = -Infinity;
  #keptUntil = -Infinity;
  #finding: Promise<void> | undefined;

  /** @param find must not reject */
  constructor(find: (last: Problem | undefined) => Promise<Problem | undefined>) {
    this.#find = find;
  }

  /** Sets a result without a check, for this time in milliseconds. */
  know(answer: Problem | undefined, forMs: number): void {
    this.last = answer;
    this.#foundAt = now();
    this.#keptUntil = Math.max(this.#keptUntil, this.#foundAt + forMs);
  }

  /** Resolves when no check runs. */
  async settled(): Promise<void> {
    await this.#finding;
  }

  /** Drops the result: the next `read` waits for a new one. */
  forget(): void {
    this.#foundAt = this.#keptUntil = -Infinity;
  }

  async read(): Promise<Problem | undefined> {
    if (now() >= this.#keptUntil) {
      this.#finding ??= this.#findOut();
      if (now() - this.#foundAt > staleMs) await this.#finding;
    }
    return this.last;
  }

  async #findOut(): Promise<void> {
    const startedAt = now();
    const answer = await this.#find(this.last);
    this.#finding = undefined;
    // A request that succeeded during the check is newer proof.
    if (answer === undefined || this.#foundAt <= startedAt) this.know(answer, keepMs);
  }
}
