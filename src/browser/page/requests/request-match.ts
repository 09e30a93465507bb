/** Matches requests by URL (globs, regular expressions), method, type and status, combined with `and` or `or`. */
import { placesIn } from '../../../base/runtime/find-text.ts';
import { type PatternBudget, patternList } from '../../../base/runtime/regexp/untrusted-regexp.ts';

export interface RequestMatch {
  /** URL globs, with `*` for any text. */
  url?: readonly string[];
  /** Upper case. */
  method?: readonly string[];
  /** The Network domain's resource types, in lowercase. */
  type?: readonly string[];
  /** Status codes of responses. */
  status?: readonly number[];
  /** `or`: one matching property is enough. */
  operator: 'and' | 'or';
}

export interface MatchedRequest {
  url: string;
  method: string;
  type: string;
  /** Undefined while there is no response. */
  status?: number;
}

/** Length up to which a part of a glob is searched with `indexOf`, in characters. */
const shortPart = 8;

/**
 * Whether text matches a glob in which `*` stands for any text. Takes time linear in the length of the text, for any
 * glob.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const parts = glob.split('*');
  const [first = '', ...others] = parts;
  if (parts.length === 1) return text === glob || text === `${glob}/`;
  if (!text.startsWith(first)) return false;
  const last = others.pop() ?? '';
  let at = first.length;
  for (const part of others) {
    if (part === '') continue;
    const found = part.length <= shortPart ? text.indexOf(part, at) : (placesIn(text, part, at).next().value ?? -1);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

export interface CompiledMatch {
  /** True when no property is given; `test` then accepts every request. */
  readonly empty: boolean;
  test(request: MatchedRequest): boolean;
}

export function compileMatch({ url, method, type, status, operator }: RequestMatch): CompiledMatch {
  const tests: ((request: MatchedRequest) => boolean)[] = [];
  if (url && url.length > 0) tests.push((request) => url.some((glob) => matchesGlob(glob, request.url)));
  if (method && method.length > 0) tests.push((request) => method.includes(request.method));
  if (type && type.length > 0) tests.push((request) => type.includes(request.type));
  if (status && status.length > 0) {
    tests.push((request) => request.status !== undefined && status.includes(request.status));
  }
  return {
    empty: tests.length === 0,
    test: (request) =>
      tests.length === 0 ||
      (operator === 'and' ? tests.every((test) => test(request)) : tests.some((test) => test(request))),
  };
}

/** A match that also tests the URL with regular expressions. */
export interface PatternMatch {
  readonly empty: boolean;
  /** Synchronous, unless a slow expression must run in the worker thread. Rejects when the budget is spent. */
  test(request: MatchedRequest): boolean | Promise<boolean>;
}

/**
 * @param regex sources of JavaScript regular expressions; one match is enough
 * @param budget time budget shared by all expressions of the request
 * @throws SyntaxError for an invalid expression
 */
export function compilePatternMatch(
  match: RequestMatch,
  regex: readonly string[],
  budget: PatternBudget,
): PatternMatch {
  const others = compileMatch(match);
  if (regex.length === 0) return others;
  const patterns = patternList(regex, budget);
  return {
    empty: false,
    test(request) {
      // Regular expressions cost the most, so they are tested last.
      if (!others.empty && others.test(request) === (match.operator === 'or')) return match.operator === 'or';
      const found = patterns.find(request.url);
      return typeof found === 'number' ? found >= 0 : found.then((index) => index >= 0);
    },
  };
}
