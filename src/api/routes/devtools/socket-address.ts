/**
 * Checks the address of the socket in the query of the DevTools front-end. The front-end has the server's own origin, so
 * whatever it opens passes as the server's own page: a stranger's link must not make it start browsers.
 */
import { ServiceError } from '../../../base/errors.ts';
import { promisedPage } from '../sessions/devtools.ts';

/** Both are `host/path`; `wss` is the one of Chromium for a server with TLS. */
const parameters = ['ws', 'wss'] as const;

/**
 * Checks the path only: the host is that of the page by its Content-Security-Policy, in the browser.
 * @throws ServiceError `invalid-query` unless the address is that of a page; `forbidden-caller` when a page of another
 * site asks for a page that is yet to be opened, whose id needs no knowledge
 */
export function checkSocketAddress(query: URLSearchParams, headers: Headers): void {
  const site = headers.get('sec-fetch-site');
  for (const name of parameters) {
    for (const value of query.getAll(name)) {
      const id = pageOf(value);
      if (id === undefined) {
        throw new ServiceError(
          'invalid-query',
          // Without the value, which may hold a token.
          `${name}: this is not the address of a page. Give it as host/devtools/page/<id>, the way devtoolsFrontendUrl of /json/list has it.`,
        );
      }
      if (promisedPage.test(id) && (site === 'cross-site' || site === 'same-site')) {
        throw new ServiceError(
          'forbidden-caller',
          `${name}: pages of other sites may not open DevTools on a new page, which starts a browser (Sec-Fetch-Site). Open the address by hand.`,
        );
      }
    }
  }
}

/** The id of the page that a socket address names, read as browsers read it; undefined for all other addresses. */
function pageOf(value: string): string | undefined {
  // The front-end puts its own host before an address that begins with a slash.
  const address = `ws://${value.startsWith('/') ? 'host' : ''}${value}`;
  if (!URL.canParse(address)) return undefined;
  const [, id] = /\/devtools\/page\/([\w-]+)$/.exec(new URL(address).pathname) ?? [];
  return id;
}
