/** Opens the `url` of `POST /session` in the session's first browser, before the first client attaches to it. */
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import type { CdpSession } from '../../browser/cdp/connection.ts';
import { orAborted, startDeadline } from '../../base/runtime/deadline.ts';
import type { AttachableSession } from './session.ts';

/**
 * Time in milliseconds after which loading stops if the site has not responded. Puppeteer waits forever for a page that
 * is still loading its first document; an empty document is more useful to the client.
 */
const responseTimeoutMs = 10_000;

/**
 * Opens the URL in the page that the browser started with. Resolves when the document or Chromium's error page has
 * committed, when the site takes too long, or when the browser exits; never rejects.
 * @param session must have target discovery enabled, so that the browser reports its targets to the connection
 * @param signal signal of the waiting request; aborting it stops loading immediately
 */
export async function openStartPage(
  { process: { connection } }: { readonly process: Pick<AttachableSession['process'], 'connection'> },
  url: string,
  signal: AbortSignal,
): Promise<void> {
  using deadline = startDeadline(responseTimeoutMs, () => new Error('the site did not respond'), [signal]);
  const { root } = connection;
  try {
    const { targetInfos } = await root.send('Target.getTargets');
    const page = targetInfos.find(({ type }) => type === 'page');
    // Some command-line switches that clients pass make a browser start without a page.
    const { targetId } = page ?? (await root.send('Target.createTarget', { url: 'about:blank' }));
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    const session = connection.session(sessionId);
    const opened = navigate(session, targetId, url).then(() => untilTargetHasUrl(root, targetId));
    await orAborted(opened, deadline.signal).catch(() => session.send('Page.stopLoading'));
    await root.send('Target.detachFromTarget', { sessionId });
  } catch {
    // The browser has exited; its session reports that to the client.
  }
}

/** @param targetId target id of the page; its main frame has the same id */
async function navigate(session: CdpSession, targetId: string, url: string): Promise<void> {
  const committed = new Promise<void>((resolve) => {
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === targetId) resolve();
    });
  });
  await session.send('Page.enable');
  const { errorText, isDownload } = await session.send('Page.navigate', { url });
  // Downloads and responses without a body do not change the page.
  if (isDownload === true || errorText === 'net::ERR_ABORTED') return;
  // Chromium responds to Page.navigate before the document commits: a client that attached then would not see a page.
  await committed;
}

/**
 * Resolves when the target of the page has a URL. The renderer reports a document a few milliseconds before the browser
 * process commits it; until then the URL of the target is empty, and a connecting Puppeteer omits such a target from
 * its pages.
 */
async function untilTargetHasUrl(root: CdpSession, targetId: string): Promise<void> {
  const answered = new AbortController();
  const given = root.once(
    'Target.targetInfoChanged',
    ({ targetInfo }) => targetInfo.targetId === targetId && targetInfo.url !== '',
    answered.signal,
  );
  ignoreFailures([given]);
  try {
    // The browser sends events and responses in order: if the response has no URL, the event is still to come.
    const { targetInfo } = await root.send('Target.getTargetInfo', { targetId });
    if (targetInfo.url === '') await given;
  } finally {
    answered.abort();
  }
}
