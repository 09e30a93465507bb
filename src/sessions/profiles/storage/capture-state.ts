/**
 * Reads the state of a browser's context for a profile: its cookies, and the storage of the origins that its pages show.
 * It opens no page, because clients would see it.
 */
import type { BrowserConnection, CdpSession } from '../../../browser/cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { readStorage } from '../../../browser/injected/vault/storage-state.ts';
import { messageLimits, profileLimits } from '../../../base/limits.ts';
import { toExpression } from '../../../browser/page/page-function.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import { jsonIn } from '../../../base/schema/json-text.ts';
import { isPlainObject } from '../../../base/schema/record.ts';

export interface Captured {
  cookies: unknown[];
  /** The smallest first. */
  origins: Record<string, unknown>[];
  /** Origins of pages that did not answer, or hold more than a profile may. */
  unread: string[];
  /** The largest origins, without which the others fit into a profile. */
  truncatedOrigins: number;
  truncatedIdbDatabases: number;
  truncatedIdbEntries: number;
}

/**
 * @param page target id of one of the pages of the context
 * @param mayRead decides on the addresses of pages
 * @throws ServiceError `browser-crashed` when the browser does not answer in time; what it throws
 */
export async function captureState(
  connection: BrowserConnection,
  page: string,
  mayRead: (address: string) => boolean,
): Promise<Captured> {
  const late = () => new ServiceError('browser-crashed', 'The browser did not tell its cookies in time.');
  using deadline = startDeadline(profileLimits.readPageMs, late, [connection.root.closed]);
  const { cookies, pages } = await orAborted(lookAt(connection.root, page), deadline.signal);
  const captured: Captured = {
    cookies: cookies.map(({ name, value, domain, path, expires, httpOnly, secure, sameSite }) => ({
      name,
      value,
      domain,
      path,
      expires,
      httpOnly,
      secure,
      ...(sameSite === undefined ? {} : { sameSite }),
    })),
    origins: [],
    unread: [],
    truncatedOrigins: 0,
    truncatedIdbDatabases: 0,
    truncatedIdbEntries: 0,
  };
  const shown = new Map<string, string>();
  for (const { targetId, url } of pages) {
    if (mayRead(url) && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
      shown.set(new URL(url).origin, targetId);
    }
  }
  using end = startDeadline(profileLimits.readMs, () => new Error('the pages take too long'), []);
  const taken: { bytes: number; origin: Record<string, unknown> }[] = [];
  let left = profileLimits.bytes;
  // One after another: each may be as large as the whole profile.
  for (const [origin, targetId] of shown) {
    const text = await readPage(connection, targetId, end.signal).catch(() => '');
    const read = parsed(text);
    // The page may have gone elsewhere meanwhile.
    if (!read || read['tooLong'] === true || read['origin'] !== origin) {
      captured.unread.push(origin);
      continue;
    }
    const bytes = new TextEncoder().encode(text).length;
    taken.push({ bytes, origin: { ...read, origin } });
    taken.sort((a, b) => a.bytes - b.bytes);
    left -= bytes;
    while (left < 0) {
      left += taken.pop()?.bytes ?? 0;
      captured.truncatedOrigins++;
    }
  }
  captured.origins = taken.map((each) => each.origin);
  for (const { truncatedIdbDatabases = 0, truncatedIdbEntries = 0 } of captured.origins) {
    captured.truncatedIdbDatabases += Number(truncatedIdbDatabases);
    captured.truncatedIdbEntries += Number(truncatedIdbEntries);
  }
  return captured;
}

/** The cookies and pages of the context of a page. */
async function lookAt(root: CdpSession, page: string) {
  const [{ targetInfos }, { browserContextIds }] = await Promise.all([
    root.send('Target.getTargets'),
    root.send('Target.getBrowserContexts'),
  ]);
  const contextId = targetInfos.find(({ targetId }) => targetId === page)?.browserContextId;
  // The browser has a name for its default context, but takes it in no command.
  const isOwn = contextId !== undefined && browserContextIds.includes(contextId);
  const { cookies } = await root.send('Storage.getCookies', isOwn ? { browserContextId: contextId } : {});
  const pages = targetInfos.filter(({ type, browserContextId }) => type === 'page' && browserContextId === contextId);
  return { cookies, pages };
}

/** What a page told; undefined for what is no object of JSON. */
function parsed(text: string): Record<string, unknown> | undefined {
  const read = jsonIn(text, messageLimits);
  return isPlainObject(read) ? read : undefined;
}

async function readPage(connection: BrowserConnection, targetId: string, end: AbortSignal): Promise<string> {
  using deadline = startDeadline(profileLimits.readPageMs, () => new Error('the page does not answer'), [end]);
  const { signal } = deadline;
  const { sessionId } = await orAborted(
    connection.root.send('Target.attachToTarget', { targetId, flatten: true }),
    signal,
  );
  const session = connection.session(sessionId);
  try {
    const world = session.send('Page.createIsolatedWorld', { frameId: targetId });
    const { executionContextId } = await orAborted(world, signal);
    const { databases, entries, bytes, levels } = profileLimits;
    const reading = session.send('Runtime.evaluate', {
      expression: toExpression(readStorage, [{ databases, entries, characters: bytes, levels }]),
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    const { result } = await orAborted(reading, signal);
    return String(result.value);
  } finally {
    connection.root.send('Target.detachFromTarget', { sessionId }).catch(() => {});
  }
}
