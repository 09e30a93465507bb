/**
 * Blocks ads on pages that a client drives over CDP: on every page of a browser, or on one page.
 * Uses the server's own sessions, so the client's interception (Fetch in its sessions) works independently.
 */
import { attachToChildren, type ChildSetup } from '../../cdp/auto-attach.ts';
import type { CdpSession } from '../../cdp/connection.ts';
import { adTest, type AdBlocker } from './ad-test.ts';
import { hideAdsOn } from './hide-ads.ts';

/** Blocks ads on a page, or below another target of a browser, until the session ends. */
export function adBlocking(blocker: AdBlocker): ChildSetup {
  return blockingOf(blocker, undefined);
}

/**
 * Blocks ads on one page and its frames until the session ends; the rules are in effect when it resolves.
 * @param session a session that the client does not use
 * @param frameId the main frame of the page
 */
export async function blockAdsOn(session: CdpSession, frameId: string, blocker: AdBlocker): Promise<void> {
  const test = adTest(blocker, frameId);
  await Promise.all([
    ...block(session, test),
    ...hideWhenLoaded(session, frameId, blocker),
    blockBelow(session, blocker, test),
  ]);
}

type Test = ReturnType<typeof adTest>;

function blockBelow(parent: CdpSession, blocker: AdBlocker, pageTest: Test | undefined): Promise<unknown> {
  return attachToChildren(parent, blockingOf(blocker, pageTest)).ready;
}

/** @param pageTest the containing page's test: out-of-process iframes share its record of document URLs */
function blockingOf(blocker: AdBlocker, pageTest: Test | undefined): ChildSetup {
  return ({ session, type, targetId }) => {
    if (type !== 'page' && type !== 'iframe') return [blockBelow(session, blocker, pageTest)];
    // A page's target id equals the id of its main frame.
    const test = pageTest ?? adTest(blocker, targetId);
    return [
      ...block(session, test),
      ...(type === 'page' ? hideWhenLoaded(session, targetId, blocker) : []),
      blockBelow(session, blocker, test),
    ];
  };
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
