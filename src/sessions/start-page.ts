/** The page that a session's first browser shows to the first client: `url` of `POST /session`. */
import type { CdpSession } from '../cdp/connection.ts';
import { orAborted, startDeadline } from '../runtime/deadline.ts';
import type { AttachableSession } from './session.ts';

/**
 * A site that has not answered after this time, in milliseconds, is given up. Puppeteer waits for ever for a page that
 * is still on its way to its first document: an empty one serves the client better.
 */
const answerLimitMs = 10_000;

/**
 * Opens the address in the page that the browser began with. Resolves when its document is there, or Chromium's error
 * page in its place, when the site is given up, or when the browser ends; never rejects.
 * @param signal of whoever waits; its abort gives the site up at once
 */
export async function openStartPage({ process }: AttachableSession, url: string, signal: AbortSignal): Promise<void> {
  using deadline = startDeadline(answerLimitMs, () => new Error('the site does not answer'), [signal]);
  const { connection } = process;
  const { root } = connection;
  try {
    const { targetInfos } = await root.send('Target.getTargets');
    const page = targetInfos.find(({ type }) => type === 'page');
    // Switches of the caller may start a browser without a window.
    const { targetId } = page ?? (await root.send('Target.createTarget', { url: 'about:blank' }));
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    const session = connection.session(sessionId);
    await orAborted(navigate(session, targetId, url), deadline.signal).catch(() => session.send('Page.stopLoading'));
    await root.send('Target.detachFromTarget', { sessionId });
  } catch {
    // The browser has ended, which its session tells the client.
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
  // A download and an answer without a body leave the page as it was.
  if (isDownload === true || errorText === 'net::ERR_ABORTED') return;
  // The answer to Page.navigate comes before the document: a client that attached in between would see no page.
  await committed;
}
