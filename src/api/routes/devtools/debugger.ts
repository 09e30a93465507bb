/** Answers /debugger, which leads to the page of the documentation about looking into pages. */
import type { Config } from '../../../base/config/config.ts';
import { ServiceError } from '../../../base/errors.ts';
import { basePath } from '../http/base-path.ts';
import type { DirectRoute } from '../pipeline/route.ts';

export const debuggerPage: DirectRoute = {
  kind: 'direct',
  method: 'GET',
  path: '/debugger',
  summary: 'Debugger',
  description: 'Leads to what the server has for looking into pages.',
  auth: 'open',
  answers: ['text/html'],
  handle({ services, url }) {
    const { config } = services;
    if (!config.ENABLE_DEBUGGER) throw new ServiceError('not-found', 'Not Found: ENABLE_DEBUGGER=false turns it off.');
    if (config.DOCS === 'off') {
      throw new ServiceError('not-found', 'Not Found: the debugger is a page of the documentation, and DOCS is off.');
    }
    // The query stays behind: it may hold a token, which no page needs.
    if (!url.pathname.endsWith('/')) return redirect(301, `${basePath(config)}/debugger/`);
    return redirect(302, inspectionPage(config));
  },
};

/** The path of the page about looking into pages. @param hash a heading of it, with its `#` */
export function inspectionPage(config: Config, hash = ''): string {
  return `${basePath(config)}/enterprise/live-debugger${hash}`;
}

function redirect(status: 301 | 302, location: string): Response {
  return new Response(null, { status, headers: { Location: location, 'Cache-Control': 'no-cache' } });
}
