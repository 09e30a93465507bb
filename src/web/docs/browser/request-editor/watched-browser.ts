/**
 * Starts a browser for a document or for code that the reader watches, with the options of the request. A WebSocket
 * keeps it open, so that it closes when the editor, the page or the socket does.
 */
import { createClient } from 'graphql-ws';
import { currentToken } from '../run/token.ts';
import { base, socketOrigin } from '../shell/page-context.ts';
import { send } from './request.ts';

/** A line that code wrote to the console. */
export interface ConsoleLine {
  type: string;
  text: string;
}

export interface WatchedBrowser {
  /** Path on this server to send the request to, with its query. */
  path: string;
  /** URL of its view-only live view; undefined when the server did not provide one. */
  view: string | undefined;
  /** Closes the browser. Must always be called. */
  close(): void;
}

/** Returns the browser's id, and allows another request to use it; only the socket decides how long it lives. */
const start = 'mutation { reconnect(timeout: 1) { browserQLEndpoint } }';

/** The lines of code have no location; those of pages do. */
const listen = 'subscription { console { type text location { url } } }';
interface Logged {
  console: ConsoleLine & { location: object | null };
}

/** Creates a live view. Its id is its key, so the URL contains no token. */
async function viewOf(id: string, signal: AbortSignal): Promise<string | undefined> {
  const body = JSON.stringify({ showBrowserInterface: false });
  const headers = { 'Content-Type': 'application/json' };
  const { status, bytes } = await send({ method: 'POST', path: `/browser/${id}/live`, headers, body }, signal);
  if (status !== 200) return undefined;
  const { liveURLId }: { liveURLId: string } = JSON.parse(new TextDecoder().decode(bytes));
  // Do not use the URL from the response: behind EXTERNAL it has a different origin, which this page may not frame.
  const query = new URLSearchParams({ i: liveURLId, theme: document.documentElement.dataset['theme'] ?? '' });
  return `${base}/live/?${query}`;
}

/**
 * Starts a browser and creates a live view of it.
 * @param path path of a BrowserQL route or of /function, with its query
 * @param signal cancels startup; closes the browser
 * @param onLine called with each line that code writes to the console
 * @throws Error when the server provides no browser; the abort reason of the signal
 */
export async function startWatched(
  path: string,
  signal: AbortSignal,
  onLine: (line: ConsoleLine) => void,
): Promise<WatchedBrowser> {
  const [, route, query] = /^(\/function|\/(?:chromium|chrome|stealth)\/bql)(?:\?(.*))?$/.exec(path) ?? [];
  if (route === undefined) throw new Error('This route has no browser to watch.');
  signal.throwIfAborted();
  const isCode = route === '/function';
  const params = new URLSearchParams(query);
  if (currentToken() !== '') params.set('token', currentToken());
  const url = `${socketOrigin}${isCode ? '/chromium/bql' : route}${params.size === 0 ? '' : `?${params}`}`;
  const client = createClient({ url, lazy: false, retryAttempts: 0, onNonLazyError: () => {} });
  const close = () => void client.dispose();
  signal.addEventListener('abort', close, { once: true });
  try {
    const { value } = await client
      .iterate<{ reconnect: { browserQLEndpoint: string } | null }>({ query: start })
      .next();
    const id = value?.data?.reconnect?.browserQLEndpoint.split('/').pop();
    if (id === undefined) throw new Error('The server did not keep the browser open.');
    if (isCode) {
      const next = ({ data }: { data?: Logged | null }) => data?.console.location === null && onLine(data.console);
      client.subscribe<Logged>({ query: listen }, { next, error: () => {}, complete: () => {} });
    }
    const view = await viewOf(id, signal);
    // Its profile and its domains are those it was started with.
    for (const name of ['token', 'profile', 'allowedDomains']) params.delete(name);
    return { path: `${route}/${id}${params.size === 0 ? '' : `?${params}`}`, view, close };
  } catch (error) {
    close();
    signal.throwIfAborted();
    throw error;
  }
}
