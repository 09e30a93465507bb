/** Compiles the regular expressions of a page request, which refuse or answer requests, under one time budget. */
import { ServiceError } from '../../../base/errors.ts';
import {
  PatternBudget,
  type PatternList,
  patternList,
  PatternOverrun,
} from '../../../base/runtime/regexp/untrusted-regexp.ts';
import type { CommonFields } from '../../../base/schema/request/fields.ts';
import type { Page } from '../page.ts';

export interface RequestPatterns {
  refused: PatternList;
  /** One pattern for each interceptor. */
  answered: PatternList;
}

/**
 * Compiles the patterns once for the page and all its frames. Fails the client's request when they exceed the budget:
 * it is then unknown whether the page's request is allowed, so it is not sent.
 */
export function requestPatterns(
  page: Page,
  { rejectRequestPattern, requestInterceptors }: Pick<CommonFields, 'rejectRequestPattern' | 'requestInterceptors'>,
): RequestPatterns {
  const budget = new PatternBudget();
  page.undo(() => budget[Symbol.dispose]());
  budget.signal.addEventListener('abort', () => {
    const { reason } = budget.signal;
    if (reason instanceof PatternOverrun) {
      const field = rejectRequestPattern.includes(reason.source) ? 'rejectRequestPattern' : 'requestInterceptors';
      page.end(overrunError(field, reason));
    }
  });
  return {
    refused: patternList(rejectRequestPattern, budget),
    answered: patternList(
      requestInterceptors.map(({ pattern }) => pattern),
      budget,
    ),
  };
}

function overrunError(field: string, { message }: PatternOverrun): ServiceError {
  return new ServiceError('invalid-body', `"${field}": ${message}.`, { issues: [{ path: field, message }] });
}
