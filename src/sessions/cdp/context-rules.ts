/** Decides which CDP commands code in a shared browser may send: those that act on the pages of its own context. */
import { judge } from './rules/judge.ts';
import type { Params, RuleContext, Verdict } from './rules/verdict.ts';

export const noOwnProxy = 'A context cannot have its own proxy here. Set the proxy in the request: ?--proxy-server=…';

/** Browser commands that concern a context: the bridge sets the client's own context in each. */
export const contextCommands: ReadonlySet<string> = new Set([
  'Browser.grantPermissions',
  'Browser.resetPermissions',
  'Browser.setPermission',
  'Storage.getCookies',
  'Storage.setCookies',
  'Storage.clearCookies',
]);

/**
 * Checks commands on the session of a page or worker, except those of the Browser domain.
 * @param owns returns whether the client has a session
 */
export function judgePageCommand(
  method: string,
  params: Params,
  rules: RuleContext,
  owns: (sessionId: string) => boolean,
): Verdict | Promise<Verdict> {
  if (!method.startsWith('Target.')) return judge(method, params, rules);
  // Target commands on a page's session may only concern child targets of the page.
  const { sessionId, targetId } = params;
  const concernsPage =
    method === 'Target.setAutoAttach' ||
    (method === 'Target.detachFromTarget' && owns(String(sessionId))) ||
    (method === 'Target.getTargetInfo' && targetId === undefined);
  return concernsPage
    ? { pass: params }
    : { refuse: 'This command is not available here. It is not limited to the page.' };
}
