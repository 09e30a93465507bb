/** Implements if and ifnot, which check conditions immediately and never wait. */
import { compileMatch } from '../../../browser/page/requests/request-match.ts';
import { matchesNow } from '../find/find-elements.ts';
import { type Maybe, operation, type StepCall } from '../run/operation.ts';
import { toList } from '../run/records.ts';
import { badArgument } from '../run/step-error.ts';

interface Conditions {
  request?: Maybe<{ method?: Maybe<string>; url?: Maybe<string> }>;
  response?: Maybe<{ statuses?: Maybe<number[]>; codes?: Maybe<number[]>; url?: Maybe<string> }>;
  selector?: Maybe<string>;
  visible?: Maybe<boolean>;
}

async function conditionsMet({ args, page, tab, info }: StepCall<Conditions>): Promise<boolean> {
  const { request, response, selector } = args;
  if (!request && !response && typeof selector !== 'string') {
    throw badArgument(`"${info.fieldName}" needs a condition: "selector", "request" or "response".`);
  }
  if (request) {
    const match = compileMatch({ method: toList(request.method), url: toList(request.url), operator: 'and' });
    if (!tab.log().records.some((record) => match.test(record))) return false;
  }
  if (response) {
    const status = toList(response.statuses).concat(toList(response.codes));
    const match = compileMatch({ status, url: toList(response.url), operator: 'and' });
    if (!tab.log().records.some((record) => record.response !== undefined && match.test(record))) return false;
  }
  return typeof selector !== 'string' || matchesNow(page, selector, args.visible ?? false);
}

export const ifMet = operation<Conditions>({ run: async (call) => ((await conditionsMet(call)) ? true : null) });

export const ifNot = operation<Conditions>({ run: async (call) => ((await conditionsMet(call)) ? null : true) });
