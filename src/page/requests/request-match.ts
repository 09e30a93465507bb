/** Which requests a rule or a question is about: addresses by globs and expressions, methods, kinds, all or any of them. */
import { type PatternBudget, patternList } from '../../runtime/regexp/untrusted-regexp.ts';

export interface RequestMatch {
  /** Addresses, with `*` for any text. */
  url?: readonly string[];
  /** Upper case. */
  method?: readonly string[];
  /** Lower case, as the Network domain names kinds. */
  type?: readonly string[];
  /** Of responses. */
  status?: readonly number[];
  /** `or`: one of the given matchers is enough. */
  operator: 'and' | 'or';
}

export interface MatchedRequest {
  url: string;
  method: string;
  type: string;
  /** Undefined while there is no response. */
  status?: number;
}

/** Whether a text fits a pattern in which `*` is any text. Takes time in proportion to the text, whatever the pattern. */
export function matchesGlob(glob: string, text: string): boolean {
  const parts = glob.split('*');
  const [first = '', ...others] = parts;
  if (parts.length === 1) return text === glob || text === `${glob}/`;
  if (!text.startsWith(first)) return false;
  const last = others.pop() ?? '';
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

export interface CompiledMatch {
  /** True when nothing is asked for: `test` then holds for everything. */
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

/** A match with regular expressions for the address as well. */
export interface PatternMatch {
  readonly empty: boolean;
  /** At once, unless an expression needs the thread of the slow ones. Rejects when those have spent their budget. */
  test(request: MatchedRequest): boolean | Promise<boolean>;
}

/**
 * @param regex sources of JavaScript regular expressions; one is enough
 * @param budget what they may cost, with all others of the call
 * @throws SyntaxError for one that is none
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
      // They cost the most, and are asked last.
      if (!others.empty && others.test(request) === (match.operator === 'or')) return match.operator === 'or';
      const found = patterns.find(request.url);
      return typeof found === 'number' ? found >= 0 : found.then((index) => index >= 0);
    },
  };
}
