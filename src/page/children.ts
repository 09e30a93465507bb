/** Frames of other sites and workers are targets of their own: they get the page's settings before they run. */
import { networkBuffers } from '../browsers/page-target.ts';
import type { CdpSession } from '../browsers/cdp-connection.ts';
import type { Page } from './page.ts';

/**
 * Attaches to every child target of the page (Target.setAutoAttach), also to children of children. Popups are not among
 * them, and do not exist: `--block-new-web-contents`.
 * @param apply commands for a child, sent before it is let go; what a kind of target does not know is skipped
 */
export function applyToChildren(
  page: Page,
  session: CdpSession,
  apply: (child: CdpSession, type: string, targetId: string) => Promise<unknown>[],
): Promise<unknown> {
  const listen = (parent: CdpSession) => {
    const off = parent.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const child = parent.connection.session(sessionId);
      listen(child);
      const commands = [
        // Without it a worker takes no extra headers, and its requests have no kind.
        child.send('Network.enable', { ...networkBuffers }),
        ...apply(child, targetInfo.type, targetInfo.targetId),
        child.send('Target.setAutoAttach', autoAttach),
        child.send('Runtime.runIfWaitingForDebugger'),
      ];
      // A child that is gone already, or has no such domain, is no failure of the request.
      for (const command of commands) command.catch(() => {});
    });
    page.undo(off);
  };
  listen(session);
  return session.send('Target.setAutoAttach', autoAttach);
}

const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true } as const;
