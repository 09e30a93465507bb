/**
 * Checks the socket URL in the query of the DevTools front-end. The front-end is served from the server's own origin,
 * so every socket that it opens is same-origin: a link on another site must not be able to make it start browsers.
 */
import { ServiceError } from '../../../base/errors.ts';
import { reservedPageId } from '../sessions/devtools.ts';

/** Both have the format `host/path`; Chromium uses `wss` for a server with TLS. */
const parameters = ['ws', 'wss'] as const;

/**
 * Checks only the path: in the browser, the Content-Security-Policy limits the host to that of the page.
 * @throws ServiceError `invalid-query` if a value is not the URL of a page; `forbidden-caller` when another site
 *   requests a page promised by `PUT /json/new`, because anyone can make up such an id
 */
export function checkSocketAddress(query: URLSearchParams, headers: Headers): void {
  const site = headers.get('sec-fetch-site');
  for (const name of parameters) {
    for (const value of query.getAll(name)) {
      const id = pageOf(value);
      if (id === undefined) {
        throw new ServiceError(
          'invalid-query',
          // Leave out the value, which may contain a token.
          `${name}: not the URL of a page. Use host/devtools/page/<id>, as in the devtoolsFrontendUrl from /json/list.`,
        );
      }
      if (reservedPageId.test(id) && (site === 'cross-site' || site === 'same-site')) {
        throw new ServiceError(
          'forbidden-caller',
          `${name}: pages from other sites cannot open DevTools for a new page: that starts a browser (see Sec-Fetch-Site). Enter the URL yourself.`,
        );
      }
    }
  }
}

/** The id of the page that a socket URL identifies, parsed the way browsers parse it; undefined for all other URLs. */
function pageOf(value: string): string | undefined {
  // The front-end prepends its own host to a URL that starts with a slash.
  const address = `ws://${value.startsWith('/') ? 'host' : ''}${value}`;
  if (!URL.canParse(address)) return undefined;
  const [, id] = /\/devtools\/page\/([\w-]+)$/.exec(new URL(address).pathname) ?? [];
  return id;
}
