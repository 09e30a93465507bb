/**
 * Checks the commands that a Playwright client sends on its own CDPSession against the same table as the commands of
 * CDP clients (compatibility.mdx#destinations).
 */
import { toServiceError } from '../../base/errors.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import type { Params, Verdict } from '../cdp/rules/verdict.ts';

/** @throws ServiceError for a file or a proxy that cannot be used */
export type CommandJudge = (method: string, params: Params) => Verdict | Promise<Verdict>;

/** What happens to a command: it passes with these parameters, or the client receives a result or an error for it. */
export type CommandOutcome = { pass: Params } | { result: object } | { error: string };

/** @param command the parameters of Playwright's `send`: method and parameters of the command */
export function outcomeOf(command: unknown, judge: CommandJudge): CommandOutcome | Promise<CommandOutcome> {
  if (!isPlainObject(command)) return { error: 'A command must be an object.' };
  const { method, params = {} } = command;
  if (typeof method !== 'string' || !isPlainObject(params)) {
    return { error: 'A command must have a method and may have parameters.' };
  }
  const failed = (error: unknown) => failure(method, toServiceError(error).message);
  try {
    const verdict = judge(method, params);
    if (!(verdict instanceof Promise)) return toOutcome(method, verdict);
    return verdict.then((later) => toOutcome(method, later)).catch(failed);
  } catch (error) {
    return failed(error);
  }
}

function toOutcome(method: string, verdict: Verdict): CommandOutcome {
  if ('pass' in verdict) return verdict;
  if ('answer' in verdict) return { result: verdict.answer };
  return failure(method, 'refuse' in verdict ? verdict.refuse : `'${method}' wasn't found`);
}

/** Returns an error in Playwright's wording for errors of a browser. */
function failure(method: string, reason: string): CommandOutcome {
  return { error: `Protocol error (${method.slice(0, 100)}): ${reason}` };
}

/**
 * Leaves the downloads of the session to Playwright, which knows them by the names that `allowAndName` gives them and
 * sends them to the client. A client that allows downloads cannot choose its own directory.
 */
export function keepsDownloads(judge: CommandJudge): CommandJudge {
  return (method, params) => {
    const { behavior } = params;
    if (!method.endsWith('.setDownloadBehavior') || behavior === 'deny') return judge(method, params);
    // The older command for pages does not support `allowAndName`.
    if (method === 'Page.setDownloadBehavior') return { answer: {} };
    return judge(method, { ...params, behavior: 'allowAndName' });
  };
}
