/**
 * Ad blocking for pages that a client drives, through sessions of the server: on every page that there is or will be of
 * a browser, or on one page. The client's own interception (Fetch in its sessions) works beside it.
 */
import { attachToChildren } from '../../cdp/auto-attach.ts';
import type { CdpSession } from '../../cdp/connection.ts';
import { adTest, type AdBlocker } from './ad-test.ts';
import { hideAdsOn } from './hide-ads.ts';

/**
 * Attaches to every page of the browser (Target.setAutoAttach) and keeps advertisements from it until the connection ends.
 * Pages that are opened later run only when the rules are in force.
 * @param root the browser's own session on a connection of the server
 */
export async function blockAdsEverywhere(root: CdpSession, blocker: AdBlocker): Promise<void> {
  await blockBelow(root, blocker, undefined);
}

/**
 * Keeps advertisements from one page and its frames until the session ends; in force when it resolves.
 * @param session one that the client does not use
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

/** @param pageTest that of the page around: its frames of other sites share its memory of addresses */
function blockBelow(parent: CdpSession, blocker: AdBlocker, pageTest: Test | undefined): Promise<unknown> {
  return attachToChildren(parent, ({ session, type, targetId }) => {
    if (type !== 'page' && type !== 'iframe') return [blockBelow(session, blocker, pageTest)];
    // The id of a page's target is that of its main frame.
    const test = pageTest ?? adTest(blocker, targetId);
    return [
      ...block(session, test),
      ...(type === 'page' ? hideWhenLoaded(session, targetId, blocker) : []),
      blockBelow(session, blocker, test),
    ];
  }).ready;
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
