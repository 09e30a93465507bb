/**
 * Writes the state of a profile to a browser context before any code runs there: cookies directly, and the storage of
 * each origin through a server-controlled page whose requests are answered without the network.
 */
import type { BrowserConnection, CdpSession } from '../../../browser/cdp/connection.ts';
import { ProtocolError } from '../../../browser/cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { writeStorage } from '../../../browser/injected/vault/storage-state.ts';
import { profileLimits } from '../../../base/limits.ts';
import { toExpression } from '../../../browser/page/page-function.ts';
import { toBase64 } from '../../../base/runtime/bytes.ts';
import { onAbort, orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import type { ProfileState, StoredCookie, StoredOrigin } from '../state.ts';

const blank = toBase64(new TextEncoder().encode('<!doctype html>'));

/**
 * @param contextId undefined for the default context
 * @returns how many cookies, entries and databases the browser rejected
 * @throws ServiceError `launch-failed` when the browser does not accept the state in time; the abort reason of the
 *   signal
 */
export async function writeState(
  connection: BrowserConnection,
  contextId: string | undefined,
  state: ProfileState,
  signal: AbortSignal,
): Promise<number> {
  const late = () => new ServiceError('launch-failed', 'The browser did not accept the profile in time. Try again.');
  using deadline = startDeadline(profileLimits.writeMs, late, [signal, connection.root.closed]);
  const inContext = { browserContextId: contextId };
  let refused = await orAborted(setCookies(connection.root, state.cookies, inContext), deadline.signal);
  if (state.origins.length === 0) return refused;
  const { targetId } = await orAborted(
    connection.root.send('Target.createTarget', { url: 'about:blank', background: true, ...inContext }),
    deadline.signal,
  );
  let page: CdpSession | undefined;
  try {
    const attaching = connection.root.send('Target.attachToTarget', { targetId, flatten: true });
    const { sessionId } = await orAborted(attaching, deadline.signal);
    page = connection.session(sessionId);
    await orAborted(answerItself(page), deadline.signal);
    for (const origin of state.origins) {
      refused += await orAborted(writeOrigin(page, targetId, origin), deadline.signal);
    }
  } finally {
    const closing = connection.root.send('Target.closeTarget', { targetId });
    // Chromium responds before the page has closed, and clients would still see it.
    await orAborted(Promise.all([closing, page && ended(page)]), deadline.signal).catch(() => {});
  }
  return refused;
}

function ended({ closed }: CdpSession): Promise<void> {
  return new Promise((resolve) => void onAbort(closed, resolve));
}

/**
 * Sets all cookies at once, or one by one when the browser rejects one without saying which.
 * @returns number rejected
 */
async function setCookies(root: CdpSession, cookies: StoredCookie[], inContext: object): Promise<number> {
  if (cookies.length === 0) return 0;
  const set = (some: StoredCookie[]) =>
    root.send('Storage.setCookies', { cookies: some.map(toProtocol), ...inContext }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ProtocolError) return false;
        throw error;
      },
    );
  if (await set(cookies)) return 0;
  const taken = await Promise.all(cookies.map((cookie) => set([cookie])));
  return taken.filter((ok) => !ok).length;
}

function toProtocol({ partitionKey: site, _crHasCrossSiteAncestor: crossed = false, ...cookie }: StoredCookie) {
  return site === undefined
    ? cookie
    : { ...cookie, partitionKey: { topLevelSite: site, hasCrossSiteAncestor: crossed } };
}

/** Answers every request of the page with an empty document. */
async function answerItself(session: CdpSession): Promise<void> {
  session.on('Fetch.requestPaused', ({ requestId }) => {
    const responseHeaders = [{ name: 'Content-Type', value: 'text/html' }];
    session
      .send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body: blank })
      .catch(() => {});
  });
  await Promise.all([
    session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    session.send('Network.enable'),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Page.enable'),
  ]);
}

async function writeOrigin(session: CdpSession, frameId: string, stored: StoredOrigin): Promise<number> {
  const { origin, localStorage, indexedDB } = stored;
  const { errorText } = await session.send('Page.navigate', { url: `${origin}/` });
  if (errorText !== undefined) return 1;
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: toExpression(writeStorage, [JSON.stringify({ localStorage, indexedDB })]),
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
  });
  return exceptionDetails === undefined && typeof result.value === 'number' ? result.value : 1;
}
