/**
 * Matches clients' regular expressions against URLs. Most run synchronously on RE2, whose time is linear in the length
 * of the URL. Patterns without a linear form (lookaround, back-references) run in a worker thread, within one time
 * budget per request: a pattern that exceeds it ends the request.
 */
import { patternLimits } from '../../limits.ts';
import { nextTurn } from '../deadline.ts';
import { now } from '../machine.ts';
import { isPlainText, type LinearPattern, linearPattern } from './linear-regexp.ts';
import { endSearches, type SearchPattern, searchInThread } from './regexp-thread.ts';

/** A pattern used more than what was left of its request's budget. */
export class PatternOverrun extends Error {
  override readonly name = 'PatternOverrun';
  readonly source: string;

  constructor(source: string) {
    super(
      `the regular expression ${JSON.stringify(source.slice(0, 200))} takes too long: all patterns of a request share ${patternLimits.workerMs} ms. ` +
        'Write it without lookaround and back-references, and without large counts such as {1,500}',
    );
    this.source = source;
  }
}

/** Time on the main thread that one test or compilation may take before it counts, in milliseconds. */
const freeTestMs = 0.05;
const freeCompileMs = 0.5;
/** Counted time on the main thread after which the patterns of a request move to the worker thread, in milliseconds. */
const inlineMs = 25;
/** RE2 may take a microsecond per character: longer strings go directly to the worker thread. */
const inlineCharacters = 10_000;
/** Time after which a search yields to other requests, in milliseconds. */
const sliceMs = 5;

/** Tracks the time that the patterns of one request may take. */
export class PatternBudget implements Disposable {
  /** Milliseconds left in the worker thread. */
  #leftMs: number = patternLimits.workerMs;
  #inlineLeftMs = inlineMs;
  readonly #over = new AbortController();

  /** Aborts with a PatternOverrun when the budget is used up. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get leftMs(): number {
    return this.#leftMs;
  }

  /** Whether patterns may still run on the main thread. */
  get isInline(): boolean {
    return this.#inlineLeftMs > 0;
  }

  /** Counts time on the main thread. */
  takeInline(ms: number): void {
    if (ms > 0) this.#inlineLeftMs -= ms;
  }

  /** Counts time in the worker thread. @throws PatternOverrun when none is left */
  take(ms: number, source: string): void {
    this.#leftMs -= ms;
    if (this.#leftMs > 0) return;
    this.#over.abort(new PatternOverrun(source));
    throw this.#over.signal.reason;
  }

  /** Drops the waiting searches when the request has ended. */
  [Symbol.dispose](): void {
    endSearches(this);
  }
}

export interface PatternList {
  /**
   * Index of the first pattern that matches, -1 for none; a promise when a pattern needs the worker thread or the
   * search yields. Rejects with a PatternOverrun when the budget is used up.
   */
  find(text: string): number | Promise<number>;
}

/**
 * @param sources sources of JavaScript regular expressions, without flags
 * @throws SyntaxError for an invalid one
 */
export function patternList(sources: readonly string[], budget: PatternBudget): PatternList {
  const entries = sources.map((source) => new Entry(source));

  // Waiting for a request tests the same URLs repeatedly: the thread searches each only once.
  const known = new Map<string, number>();
  return {
    find(text) {
      const before = known.get(text);
      if (before !== undefined) return before;
      const found = findFrom(entries, 0, text, budget);
      if (typeof found === 'number') return found;
      return found.then((index) => {
        if (known.size >= maxKnown) known.clear();
        if (text.length <= knownCharacters) known.set(text, index);
        return index;
      });
    },
  };
}

/** Number of cached results, and the longest text whose result is cached. */
const maxKnown = 5_000;
const knownCharacters = 2_000;

class Entry {
  readonly source: string;
  #linear: LinearPattern | undefined;
  #read = false;

  constructor(source: string) {
    // Only checks the syntax; `findFrom` decides how the pattern runs.
    // oxlint-disable-next-line eslint/no-new -- throws for an invalid pattern
    new RegExp(source);
    this.source = source;
  }

  /** The linear form, compiled when first needed: a request may have hundreds of patterns and never reach the last. */
  linear(budget: PatternBudget): LinearPattern | undefined {
    if (this.#read) return this.#linear;
    const began = now();
    this.#linear = linearPattern(this.source);
    this.#read = true;
    budget.takeInline(now() - began - freeCompileMs);
    return this.#linear;
  }
}

function isShort({ length }: string): boolean {
  return length <= inlineCharacters;
}

function findFrom(
  entries: readonly Entry[],
  from: number,
  text: string,
  budget: PatternBudget,
): number | Promise<number> {
  const plain = isPlainText(text);
  const began = now();
  let at = began;
  for (const [index, entry] of entries.entries()) {
    if (index < from) continue;
    if (budget.signal.aborted) return Promise.reject(budget.signal.reason);
    const linear = isShort(text) && plain && budget.isInline ? entry.linear(budget) : undefined;
    if (!linear) return findInThread(entries, index, text, budget);
    const compiledAt = now();
    const found = linear.test(text);
    at = now();
    budget.takeInline(at - compiledAt - freeTestMs);
    if (found) return index;
    if (at - began > sliceMs && index + 1 < entries.length) {
      return nextTurn().then(() => findFrom(entries, index + 1, text, budget));
    }
  }
  return -1;
}

/** Sends this pattern and the following ones that need the thread as one search, then continues with the rest. */
async function findInThread(
  entries: readonly Entry[],
  from: number,
  text: string,
  budget: PatternBudget,
): Promise<number> {
  const plain = isPlainText(text);
  const patterns: SearchPattern[] = [];
  for (const entry of entries.slice(from)) {
    const linear = plain ? entry.linear(budget) : undefined;
    if (linear && isShort(text) && budget.isInline) break;
    patterns.push({ source: entry.source, linear: linear !== undefined });
  }
  const found = await searchInThread(patterns, text, budget);
  if (found >= 0) return from + found;
  return findFrom(entries, from + patterns.length, text, budget);
}
