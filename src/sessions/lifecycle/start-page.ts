/** Opens the `url` of `POST /session` in the session's first browser, before the first client gets it. */
import { quietly } from '../../browser/cdp/auto-attach.ts';
import type { CdpSession } from '../../browser/cdp/connection.ts';
import { orAborted, startDeadline } from '../../base/runtime/deadline.ts';
import type { AttachableSession } from './session.ts';

/**
 * A site that has not answered after this time is given up, in milliseconds. Puppeteer waits for ever for a page that
 * is still loading its first document; an empty document serves the client better.
 */
const answerLimitMs = 10_000;

/**
 * Opens the address in the page that the browser started with. Resolves when the document, or Chromium's error page in
 * its place, has committed, when the site is given up, or when the browser ends; never rejects.
 * @param session its targets are being watched: the browser reports them to the connection
 * @param signal of the waiting call; its abort gives the site up at once
 */
export async function openStartPage(
  { process: { connection } }: { readonly process: Pick<AttachableSession['process'], 'connection'> },
  url: string,
  signal: AbortSignal,
): Promise<void> {
  using deadline = startDeadline(answerLimitMs, () => new Error('the site does not answer'), [signal]);
  const { root } = connection;
  try {
    const { targetInfos } = await root.send('Target.getTargets');
    const page = targetInfos.find(({ type }) => type === 'page');
    // With some switches of callers a browser starts without a page.
    const { targetId } = page ?? (await root.send('Target.createTarget', { url: 'about:blank' }));
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    const session = connection.session(sessionId);
    const opened = navigate(session, targetId, url).then(() => addressed(root, targetId));
    await orAborted(opened, deadline.signal).catch(() => session.send('Page.stopLoading'));
    await root.send('Target.detachFromTarget', { sessionId });
  } catch {
    // The browser has ended; its session tells the client.
  }
}

/** @param targetId of the page, which is the id of its main frame too */
async function navigate(session: CdpSession, targetId: string, url: string): Promise<void> {
  const committed = new Promise<void>((resolve) => {
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === targetId) resolve();
    });
  });
  await session.send('Page.enable');
  const { errorText, isDownload } = await session.send('Page.navigate', { url });
  // A download and a response without a body leave the page as it was.
  if (isDownload === true || errorText === 'net::ERR_ABORTED') return;
  // Chromium answers Page.navigate before the document commits: a client that attached in between would see no page.
  await committed;
}

/**
 * Resolves when the target of the page has an address. The renderer tells of a document some milliseconds before the
 * browser's process has committed it; until then the address of the target is empty, and Puppeteer, when it connects,
 * leaves such a target out of its pages.
 */
async function addressed(root: CdpSession, targetId: string): Promise<void> {
  const answered = new AbortController();
  const given = root.once(
    'Target.targetInfoChanged',
    ({ targetInfo }) => targetInfo.targetId === targetId && targetInfo.url !== '',
    answered.signal,
  );
  quietly([given]);
  try {
    // The browser keeps the order of events and answers: when it answers without an address, the event is still to come.
    const { targetInfo } = await root.send('Target.getTargetInfo', { targetId });
    if (targetInfo.url === '') await given;
  } finally {
    answered.abort();
  }
}
