/** Serves the live view page, `/live/?i=<id>`, to people who have its link, and the assets of all UI pages. */
import { ServiceError } from '../../../base/errors.ts';
import { htmlPage, ui } from '../pages/html-page.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { findView } from './find-view.ts';

export const livePages = ['/live', '/live/index.html'].map((path) =>
  uiRoute({
    method: 'GET',
    path,
    subject: 'link',
    summary: 'Live view',
    description:
      'The page where a person watches a browser page and interacts with it. Its id is the key: no token is required.',
    auth: 'open',
    answers: ['text/html'],
    handle: showPage,
  }),
);

export const uiFiles = uiRoute({
  method: 'GET',
  path: '/_ui/*',
  summary: 'Page assets',
  description: 'Scripts and styles of the pages that the server shows to people.',
  auth: 'open',
  answers: ['text/javascript', 'text/css'],
  async handle({ request, url }) {
    const file = await ui.asset(url.pathname, request);
    if (file) return file;
    throw new ServiceError('not-found', `Not Found: no file ${url.pathname.slice(0, 100)}.`);
  },
});

function showPage(call: Call): Promise<Response> {
  return htmlPage(
    call,
    (common) => {
      const view = findView(call, call.url.searchParams.get('i') ?? '');
      view.requireCapacity();
      return ui.page('live', { ...common, socket: `/live/${view.id}` });
    },
    (status) => (status === 404 ? 'This link has expired' : 'Try again later'),
  );
}
