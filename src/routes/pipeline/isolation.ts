/** Refuses a choice of isolation where there is none. */
import { ServiceError } from '../../errors.ts';
import type { BrowserQuery } from '../../schema/request/query.ts';

/**
 * @param whose whom the browser is for, at the beginning of a sentence
 * @throws ServiceError `invalid-query` for isolation=context
 */
export function requireProcess({ isolation }: BrowserQuery, whose: string): void {
  if (isolation !== 'context') return;
  throw new ServiceError(
    'invalid-query',
    `"isolation=context" is not possible here: ${whose} always gets a process. Leave it out.`,
    { issues: [{ path: 'isolation', message: 'must be "process" here, or left out' }] },
  );
}
