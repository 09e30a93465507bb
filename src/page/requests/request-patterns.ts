/** The regular expressions of a page request: what they refuse, what they answer, and what they may cost together. */
import { ServiceError } from '../../errors.ts';
import { PatternBudget, type PatternList, patternList, PatternOverrun } from '../../runtime/regexp/untrusted-regexp.ts';
import type { CommonFields } from '../../schema/request/fields.ts';
import type { Page } from '../page.ts';

export interface RequestPatterns {
  refused: PatternList;
  /** One for each interceptor. */
  answered: PatternList;
}

/**
 * Makes them ready, once for the page and all its frames. When they have spent their budget the call ends: whether the
 * request may go out is then not known, and it does not.
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
