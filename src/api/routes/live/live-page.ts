/** Serves the live view page, `/live/?i=<id>`, to people who have its link, and the assets of all UI pages. */
import { ServiceError } from '../../../base/errors.ts';
import { htmlPage, ui } from '../pages/html-page.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { findView } from './find-view.ts';

export const livePages = ['/live', '/live/index.html'].map((path) =>
  uiRoute(`GET ${path}`, {
    subject: 'link',
    auth: 'open',
    handle: showPage,
  }),
);

export const uiFiles = uiRoute('GET /_ui/*', {
  auth: 'open',
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
