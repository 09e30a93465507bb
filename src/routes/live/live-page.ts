/** Serves the page of a live view, `/live/?i=<id>`, to people who have its link, and its script and style. */
import { ServiceError, toServiceError } from '../../errors.ts';
import { namedType } from '../../runtime/http/accept.ts';
import { createUi } from '../../ui/serve/create-ui.ts';
import { basePath } from '../http/base-path.ts';
import type { Call } from '../pipeline/call.ts';
import type { DirectRoute } from '../pipeline/route.ts';
import { findView } from './find-view.ts';

const ui = createUi();

/** Everything comes from the server itself, and nothing is written into the page. */
const policyOf = (frameAncestors: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');

export const livePages: readonly DirectRoute[] = ['/live', '/live/index.html'].map((path) => ({
  kind: 'direct',
  method: 'GET',
  path,
  summary: 'Live view',
  description: 'The page on which a person watches a page and acts in it. Its id is the key: it asks for no token.',
  auth: 'open',
  answers: ['text/html'],
  handle: showPage,
}));

export const uiFiles: DirectRoute = {
  kind: 'direct',
  method: 'GET',
  path: '/_ui/*',
  summary: 'Files of pages',
  description: 'Scripts and styles of the pages that the server shows to people.',
  auth: 'open',
  answers: ['text/javascript', 'text/css'],
  async handle({ request, url }) {
    const file = await ui.asset(url.pathname, request);
    if (file) return file;
    throw new ServiceError('not-found', `Not Found: no file ${url.pathname.slice(0, 100)}.`);
  },
};

async function showPage(call: Call): Promise<Response> {
  const { url } = call;
  const { config } = call.services;
  const common = { base: basePath(config), theme: themeOf(url) } as const;
  try {
    const view = findView(call, url.searchParams.get('i') ?? '');
    view.checkRoom();
    return answer(200, await ui.page('live', { ...common, socket: `/live/${view.id}` }), config);
  } catch (thrown) {
    const error = toServiceError(thrown);
    const reader = namedType(call.request.headers.get('accept'), ['text/html']) !== undefined;
    if (!reader || error.code === 'internal') throw thrown;
    const title = error.status === 404 ? 'This link has ended' : 'Not now';
    return answer(error.status, await ui.page('notice', { ...common, title, text: error.message }), config, error);
  }
}

function answer(status: number, html: string, config: Call['services']['config'], error?: ServiceError): Response {
  return new Response(html, {
    status,
    headers: {
      ...error?.headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(config.LIVE_FRAME_ANCESTORS),
      'Cache-Control': 'no-store',
      // The address is a key.
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    },
  });
}

/** Whoever shows the page in a frame can choose its theme. */
function themeOf(url: URL): '' | 'light' | 'dark' {
  const theme = url.searchParams.get('theme');
  return theme === 'light' || theme === 'dark' ? theme : '';
}
