/** Frames of other sites and workers are targets of their own: they get the page's settings before they run. */
import { networkBuffers } from '../browsers/page-target.ts';
import type { CdpSession } from '../browsers/cdp-connection.ts';
import type { Page } from './page.ts';

/**
 * Attaches to every child target of the page (Target.setAutoAttach), also to children of children. Popups cannot be held
 * back like that by anything smaller than the browser: they are closed as soon as they open.
 * @param apply commands for a child, sent before it is let go; what a kind of target does not know is skipped
 */
export function applyToChildren(
  page: Page,
  session: CdpSession,
  apply: (child: CdpSession, type: string) => Promise<unknown>[],
): Promise<unknown> {
  page.on('Page.windowOpen', () => {
    // Without an answer there is nothing to close: the browser is gone.
    closePopups(page).catch(() => {});
  });
  const listen = (parent: CdpSession) => {
    const off = parent.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const child = parent.connection.session(sessionId);
      listen(child);
      const commands = [
        // Without it a worker takes no extra headers, and its requests have no kind.
        child.send('Network.enable', { ...networkBuffers }),
        ...apply(child, targetInfo.type),
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

/** The event comes before the target, within milliseconds on an idle machine. */
const popupPollMs = 50;
const popupPolls = 100;

async function closePopups(page: Page): Promise<void> {
  const { contextId, targetId } = page.target;
  const { root } = page.target.connection;
  for (let poll = 0; poll < popupPolls; poll++) {
    const { targetInfos } = await page.until(root.send('Target.getTargets'));
    // In a context of its own every other page is the page's popup, also one that has no opener (noopener).
    const popups = targetInfos.filter(
      (target) =>
        target.type === 'page' &&
        target.targetId !== targetId &&
        (contextId === undefined ? target.openerId === targetId : target.browserContextId === contextId),
    );
    for (const popup of popups) {
      // Another event's turn may have closed it already.
      root.send('Target.closeTarget', { targetId: popup.targetId }).catch(() => {});
    }
    if (popups.length > 0) return;
    await page.sleep(popupPollMs);
  }
}
