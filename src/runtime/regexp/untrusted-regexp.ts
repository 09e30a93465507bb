/**
 * Regular expressions of callers, searched for in addresses. Most run at once, on an engine whose time grows with the
 * address only. What has no linear form (lookaround, back-references) runs in a thread of its own, and all of it within
 * one budget for each call: a pattern that needs longer ends the call.
 */
import { patternLimits } from '../../limits.ts';
import { laterTurn } from '../deadline.ts';
import { now } from '../machine.ts';
import { isPlainText, type LinearPattern, linearPattern } from './linear-regexp.ts';
import { endSearches, type SearchPattern, searchInThread } from './regexp-thread.ts';

/** A pattern took more than what was left of its call's budget. */
export class PatternOverrun extends Error {
  override readonly name = 'PatternOverrun';
  readonly source: string;

  constructor(source: string) {
    super(
      `the regular expression ${JSON.stringify(source.slice(0, 200))} takes too long: those of one call have ${patternLimits.workerMs} ms together. ` +
        'Write it without lookaround and back-references, and without large counts such as {1,500}',
    );
    this.source = source;
  }
}

/** Time on the server's own thread that a test or a compilation is free to take, in milliseconds. */
const freeTestMs = 0.05;
const freeCompileMs = 0.5;
/** What those of one call may take beyond that before they move to the thread, in milliseconds. */
const inlineMs = 25;
/** Other calls get their turn after so long, in milliseconds. */
const sliceMs = 5;

/** What the patterns of one call may cost. */
export class PatternBudget implements Disposable {
  /** Milliseconds of the thread. */
  #leftMs: number = patternLimits.workerMs;
  #inlineLeftMs = inlineMs;
  readonly #over = new AbortController();

  /** Aborted with a PatternOverrun when the budget is spent. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get leftMs(): number {
    return this.#leftMs;
  }

  /** Whether patterns may still run on the server's own thread. */
  get isInline(): boolean {
    return this.#inlineLeftMs > 0;
  }

  /** Notes time of the server's own thread. */
  takeInline(ms: number): void {
    if (ms > 0) this.#inlineLeftMs -= ms;
  }

  /** Notes time of the other thread. @throws PatternOverrun when that was the last of it */
  take(ms: number, source: string): void {
    this.#leftMs -= ms;
    if (this.#leftMs > 0) return;
    this.#over.abort(new PatternOverrun(source));
    throw this.#over.signal.reason;
  }

  /** Searches that still wait are not made: the call is over. */
  [Symbol.dispose](): void {
    endSearches(this);
  }
}

export interface PatternList {
  /**
   * Index of the first pattern that is found in the text, -1 for none; at once, unless one needs the thread.
   * Rejects with a PatternOverrun when the budget is spent.
   */
  find(text: string): number | Promise<number>;
}

/**
 * @param sources of JavaScript regular expressions, without flags
 * @throws SyntaxError for one that is none
 */
export function patternList(sources: readonly string[], budget: PatternBudget): PatternList {
  const entries = sources.map((source) => new Entry(source));

  // Whoever waits for a request asks about the same addresses again and again; the thread is asked once.
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

/** Answers that are remembered, and the longest text of which one is. */
const maxKnown = 5_000;
const knownCharacters = 2_000;

class Entry {
  readonly source: string;
  #linear: LinearPattern | undefined;
  #read = false;

  constructor(source: string) {
    // Reads it only: what it would do is decided when it runs.
    // oxlint-disable-next-line eslint/no-new -- throws for what is no pattern
    new RegExp(source);
    this.source = source;
  }

  /** The linear form, made when it is first needed: a call may have hundreds and never come to the last. */
  linear(budget: PatternBudget): LinearPattern | undefined {
    if (this.#read) return this.#linear;
    const began = now();
    this.#linear = linearPattern(this.source);
    this.#read = true;
    budget.takeInline(now() - began - freeCompileMs);
    return this.#linear;
  }
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
    const linear = plain && budget.isInline ? entry.linear(budget) : undefined;
    if (!linear) return findInThread(entries, index, text, budget);
    const compiledAt = now();
    const found = linear.test(text);
    at = now();
    budget.takeInline(at - compiledAt - freeTestMs);
    if (found) return index;
    if (at - began > sliceMs && index + 1 < entries.length) {
      return laterTurn().then(() => findFrom(entries, index + 1, text, budget));
    }
  }
  return -1;
}

/** Searches with all that follow which need the thread, then goes on with the rest. */
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
    if (linear && budget.isInline) break;
    patterns.push({ source: entry.source, linear: linear !== undefined });
  }
  const found = await searchInThread(patterns, text, budget);
  if (found >= 0) return from + found;
  return findFrom(entries, from + patterns.length, text, budget);
}
