/** Serves the DevTools front-end, which the `devtoolsFrontendUrl` of a page links to (compatibility.mdx#discovery). */
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { namedType, preferredEncoding } from '../../../base/runtime/http/accept.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { inspectionPage } from './debugger.ts';
import { frontEnd, type FrontEndFile } from './front-end-files.ts';
import { reservedPageId } from '../sessions/devtools.ts';

/** The path where the front-end's pages look for the script that they load before their own. */
const embedderScriptPath = 'embedder-static/embedderScript.js';

/**
 * Adds the page's `token` to the socket URL, and uses `wss` if the page is secure: Chromium's `ws` is not, and browsers
 * do not open insecure sockets from https pages, while the server cannot see that TLS ends at a proxy in front of it.
 */
const embedderScript = `'use strict';
{
  const url = new URL(location.href);
  const query = url.searchParams;
  const socket = query.get('ws') || query.get('wss');
  const token = query.get('token');
  if (socket) {
    const scheme = query.get('ws') && location.protocol !== 'https:' ? 'ws' : 'wss';
    const added = token ? (socket.includes('?') ? '&' : '?') + 'token=' + encodeURIComponent(token) : '';
    for (const name of ['ws', 'wss', 'token']) query.delete(name);
    query.set(scheme, socket + added);
    history.replaceState(null, '', url);
  }
}
`;

const prefix = '/devtools/';

/**
 * Allows only files and sockets of the page's own host. Element styles need 'unsafe-inline'; previews of responses are
 * data: documents in sandboxed frames.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  'frame-src data:',
  "form-action 'none'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'Cache-Control': 'public, no-cache',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The files need no token, but the socket that the front-end opens does. */
export const devtoolsFrontEnd = uiRoute(`GET ${prefix}*`, {
  auth: 'open',
  async handle(call) {
    const { request, services, signal, url } = call;
    const path = url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : '';
    if (/^(?:browser|page)\//.test(path)) throw socketOnly(url.pathname);
    if (!services.config.ENABLE_DEBUGGER) throw missing('ENABLE_DEBUGGER=false turns the DevTools front-end off.');
    if (path.endsWith('.html')) checkSocketAddress(url.searchParams, request.headers);
    const front = await orAborted(frontEnd(), signal);
    if (front === undefined) return notInstalled(call);
    if (path === embedderScriptPath) {
      return new Response(embedderScript, {
        headers: { ...headers, 'Content-Type': 'text/javascript; charset=utf-8' },
      });
    }
    const file = front.file(path);
    if (file === undefined) throw missing(`The DevTools front-end has no file ${JSON.stringify(path.slice(0, 100))}.`);
    return orAborted(send(file, request.headers), signal);
  },
});

async function send(file: FrontEndFile, given: Headers): Promise<Response> {
  const all = { ...headers, 'Content-Type': file.contentType, Vary: 'Accept-Encoding', ETag: await file.tag() };
  if (
    given
      .get('if-none-match')
      ?.split(',')
      .some((each) => each.trim() === all.ETag)
  ) {
    return new Response(null, { status: 304, headers: all });
  }
  const takesGzip = preferredEncoding(given.get('accept-encoding')) !== undefined;
  if (file.gzipped === undefined || !takesGzip) return new Response(await file.bytes(), { headers: all });
  return new Response(await file.gzipped(), { headers: { ...all, 'Content-Encoding': 'gzip' } });
}

/** Redirects people to documentation about alternatives; programs, and servers without documentation, get an error. */
function notInstalled({ request, services }: Call): Response {
  const { config } = services;
  const reader = namedType(request.headers.get('accept'), ['text/html']) !== undefined;
  if (reader && config.DOCS !== 'off') {
    const location = inspectionPage(config, '#without-the-front-end');
    return new Response(null, { status: 302, headers: { Location: location, 'Cache-Control': 'no-store' } });
  }
  throw missing(
    'The DevTools front-end is not installed: run npm ci. Without it, open devtools://devtools/bundled/inspector.html?ws=host/devtools/page/<id> in Chrome.',
  );
}

function socketOnly(path: string): ServiceError {
  const shown = path.slice(0, 100);
  return new ServiceError('not-found', `Not Found: ${shown} is a WebSocket. Connect to it with ws:// or wss://.`);
}

function missing(reason: string): ServiceError {
  return new ServiceError('not-found', `Not Found: ${reason}`);
}

/** Both have the format `host/path`; Chromium uses `wss` for a server with TLS. */
const parameters = ['ws', 'wss'] as const;

/**
 * Checks the socket URL of a page that opens DevTools. The front-end has the server's own origin, so every socket that
 * it opens is same-origin: a link on another site must not be able to make it start browsers. Checks only the path: in the browser, the Content-Security-Policy limits the host to that of the page.
 * @throws ServiceError `invalid-query` if a value is not the URL of a page; `forbidden-caller` when another site
 *   requests a page promised by `PUT /json/new`, because anyone can make up such an id
 */
function checkSocketAddress(query: URLSearchParams, given: Headers): void {
  const site = given.get('sec-fetch-site');
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
