/**
 * Reads the state of a browser context for a profile: its cookies, and the storage of the origins that its pages show.
 * It does not open pages, because clients would see them.
 */
import type { BrowserConnection, CdpSession } from '../../../browser/cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { readStorage } from '../../../browser/injected/vault/storage-state.ts';
import { messageLimits, profileLimits } from '../../../base/limits.ts';
import { toExpression } from '../../../browser/page/page-function.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import { tryParseJson } from '../../../base/schema/json-text.ts';
import { isPlainObject } from '../../../base/schema/record.ts';

export interface Captured {
  cookies: unknown[];
  /** Smallest first. */
  origins: Record<string, unknown>[];
  /** Origins of pages that did not respond, or hold more than a profile may. */
  unread: string[];
  /** Number of origins left out, largest first, so that the others fit into a profile. */
  truncatedOrigins: number;
  truncatedIdbDatabases: number;
  truncatedIdbEntries: number;
}

/**
 * @param page target id of a page of the context
 * @param mayRead whether a page with this URL may be read
 * @throws ServiceError `browser-crashed` when the browser does not respond in time; any error that the browser returns
 */
export async function captureState(
  connection: BrowserConnection,
  page: string,
  mayRead: (address: string) => boolean,
): Promise<Captured> {
  const late = () => new ServiceError('browser-crashed', 'The browser did not return its cookies in time.');
  using deadline = startDeadline(profileLimits.readPageMs, late, [connection.root.closed]);
  const { cookies, pages } = await orAborted(lookAt(connection.root, page), deadline.signal);
  const captured: Captured = {
    cookies,
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
  using end = startDeadline(profileLimits.readMs, () => new Error('the pages took too long'), []);
  const taken: { bytes: number; origin: Record<string, unknown> }[] = [];
  let left = profileLimits.bytes;
  // Sequentially: each may be as large as the whole profile.
  for (const [origin, targetId] of shown) {
    const text = await readPage(connection, targetId, end.signal).catch(() => '');
    const read = parsed(text);
    // The page may have navigated to another origin in the meantime.
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

/** Returns the cookies and pages of a page's context. */
async function lookAt(root: CdpSession, page: string) {
  const [{ targetInfos }, { browserContextIds }] = await Promise.all([
    root.send('Target.getTargets'),
    root.send('Target.getBrowserContexts'),
  ]);
  const contextId = targetInfos.find(({ targetId }) => targetId === page)?.browserContextId;
  // The browser reports an id for its default context, but no command accepts that id.
  const isOwn = contextId !== undefined && browserContextIds.includes(contextId);
  const { cookies } = await root.send('Storage.getCookies', { browserContextId: isOwn ? contextId : undefined });
  const pages = targetInfos.filter(({ type, browserContextId }) => type === 'page' && browserContextId === contextId);
  return { cookies, pages };
}

/** Parses a page's result; undefined when it is not a JSON object. */
function parsed(text: string): Record<string, unknown> | undefined {
  const read = tryParseJson(text, messageLimits);
  return isPlainObject(read) ? read : undefined;
}

async function readPage(connection: BrowserConnection, targetId: string, end: AbortSignal): Promise<string> {
  using deadline = startDeadline(profileLimits.readPageMs, () => new Error('the page did not respond'), [end]);
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
