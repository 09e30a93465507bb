/**
 * Ad blocking for pages that a client drives, through sessions of the server: on every page that there is or will be of
 * a browser, or on one page. The client's own interception (Fetch in its sessions) works beside it.
 */
import type { CdpSession } from '../../cdp/connection.ts';
import { adTest, type AdBlocker } from './ad-test.ts';
import { hideAdsOn } from './hide-ads.ts';

/**
 * Attaches to every page of the browser (Target.setAutoAttach) and keeps advertisements from it until the connection ends.
 * Pages that are opened later run only when the rules are in force.
 * @param root the browser's own session on a connection of the server
 */
export async function blockAdsEverywhere(root: CdpSession, blocker: AdBlocker): Promise<void> {
  attachToChildren(root, blocker, undefined);
  await root.send('Target.setAutoAttach', autoAttach);
}

/**
 * Keeps advertisements from one page and its frames until the session ends; in force when it resolves.
 * @param session one that the client does not use
 * @param frameId the main frame of the page
 */
export async function blockAdsOn(session: CdpSession, frameId: string, blocker: AdBlocker): Promise<void> {
  const test = adTest(blocker, frameId);
  attachToChildren(session, blocker, test);
  await Promise.all([
    ...block(session, test),
    ...hideWhenLoaded(session, frameId, blocker),
    session.send('Target.setAutoAttach', autoAttach),
  ]);
}

const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true } as const;

type Test = ReturnType<typeof adTest>;

function attachToChildren(parent: CdpSession, blocker: AdBlocker, pageTest: Test | undefined): void {
  parent.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    const session = parent.connection.session(sessionId);
    const { type, targetId } = targetInfo;
    const commands: Promise<unknown>[] = [];
    if (type === 'page' || type === 'iframe') {
      // The id of a page's target is that of its main frame; frames of other sites share the page's memory of addresses.
      const test = pageTest ?? adTest(blocker, targetId);
      attachToChildren(session, blocker, test);
      commands.push(...block(session, test));
      if (type === 'page') commands.push(...hideWhenLoaded(session, targetId, blocker));
    }
    commands.push(session.send('Target.setAutoAttach', autoAttach), session.send('Runtime.runIfWaitingForDebugger'));
    // A target that is gone already needs no rules.
    for (const command of commands) command.catch(() => {});
  });
}

function block(session: CdpSession, test: Test): Promise<unknown>[] {
  session.on('Fetch.requestPaused', (event) => {
    const { requestId } = event;
    const answered = test(event)
      ? session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      : session.send('Fetch.continueRequest', { requestId });
    answered.catch(() => {});
  });
  return [session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })];
}

function hideWhenLoaded(session: CdpSession, frameId: string, blocker: AdBlocker): Promise<unknown>[] {
  const hide = () => void hideAdsOn(session, frameId, blocker).catch(() => {});
  session.on('Page.domContentEventFired', hide);
  session.on('Page.loadEventFired', hide);
  return [session.send('Page.enable')];
}
