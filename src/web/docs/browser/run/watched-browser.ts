/**
 * Starts a browser for a BrowserQL document that the reader watches: the same browser, with the same options, as for
 * the sample's own request. A WebSocket keeps it open, so that it closes when the panel, the page or the socket does.
 */
import { base, socketOrigin } from '../shell/page-context.ts';
import { currentToken } from './token.ts';

export interface WatchedBrowser {
  /** Path on this server to send documents for this browser to, with the query of the sample. */
  path: string;
  /** URL of its view-only live view; undefined when the server did not provide one. */
  view: string | undefined;
  /** Closes the browser. Must always be called. */
  close(): void;
}

/** Returns the browser's id, and allows a second request to use it; only the socket decides how long it lives. */
const firstDocument = JSON.stringify({ query: 'mutation { reconnect(timeout: 1) { browserQLEndpoint } }' });

/** Splits the path of a sample. @returns undefined for a path that does not start a browser for its document */
function partsOf(path: string): { route: string; query: string } | undefined {
  const [, route, query = ''] = /^(\/(?:chromium|chrome|stealth)\/bql)(?:\?(.*))?$/.exec(path) ?? [];
  return route === undefined ? undefined : { route, query };
}

/**
 * Returns the response to the first document. @throws Error when the socket closes before the response arrives; the
 * abort reason of the signal
 */
function answerOf(socket: WebSocket, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.addEventListener('open', () => socket.send(firstDocument));
  socket.addEventListener('message', ({ data }) => resolve(String(data)));
  socket.addEventListener('close', () => reject(new Error('The server did not provide a browser to watch.')));
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

function idIn(answer: string): string {
  const { data }: { data?: { reconnect?: { browserQLEndpoint?: string } | null } | null } = JSON.parse(answer);
  const id = data?.reconnect?.browserQLEndpoint?.split('/').pop();
  if (id === undefined) throw new Error('The server did not keep the browser open.');
  return id;
}

/** Creates a live view. Its id is its key, so the URL contains no token. */
async function viewOf(id: string, signal: AbortSignal): Promise<string | undefined> {
  const token = currentToken();
  const response = await fetch(`${base}/browser/${id}/live`, {
    method: 'POST',
    signal,
    headers: { 'Content-Type': 'application/json', ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ showBrowserInterface: false }),
  });
  if (!response.ok) return undefined;
  const { liveURLId }: { liveURLId: string } = await response.json();
  // Do not use the URL from the response: behind EXTERNAL it has a different origin, which this page may not frame.
  const query = new URLSearchParams({ i: liveURLId, theme: document.documentElement.dataset['theme'] ?? '' });
  return `${base}/live/?${query}`;
}

/**
 * Starts a browser and creates a live view of it.
 * @param path path of the sample, with its query
 * @param signal cancels startup, and closes the browser if it has been started
 * @throws Error when the server provides no browser; the abort reason of the signal
 */
export async function startWatched(path: string, signal: AbortSignal): Promise<WatchedBrowser> {
  const parts = partsOf(path);
  if (parts === undefined) throw new Error('This route has no browser to watch.');
  const { route, query } = parts;
  signal.throwIfAborted();
  const params = new URLSearchParams(query);
  if (currentToken() !== '') params.set('token', currentToken());
  const socket = new WebSocket(`${socketOrigin}${route}${params.size === 0 ? '' : `?${params}`}`);
  try {
    const id = idIn(await answerOf(socket, signal));
    const view = await viewOf(id, signal);
    return { path: `${route}/${id}${query === '' ? '' : `?${query}`}`, view, close: () => socket.close() };
  } catch (error) {
    socket.close();
    throw error;
  }
}
