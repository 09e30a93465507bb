/** Serves the DevTools front-end, which the `devtoolsFrontendUrl` of a page links to (compatibility.mdx#discovery). */
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { namedType, preferredEncoding } from '../../../base/runtime/http/accept.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { inspectionPage } from './debugger.ts';
import { embedderScript, embedderScriptPath } from './embedder-script.ts';
import { frontEnd, type FrontEndFile } from './front-end-files.ts';
import { checkSocketAddress } from './socket-address.ts';

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

export const devtoolsFrontEnd = uiRoute({
  method: 'GET',
  path: `${prefix}*`,
  summary: 'DevTools front-end',
  description: 'The files of the DevTools front-end. They need no token, but the socket that the front-end opens does.',
  auth: 'open',
  answers: ['text/html'],
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
