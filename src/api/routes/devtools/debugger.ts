/** Serves /debugger, which redirects to the documentation page about inspecting pages. */
import type { Config } from '../../../base/config/config.ts';
import { ServiceError } from '../../../base/errors.ts';
import { basePath } from '../http/base-path.ts';
import { uiRoute } from '../pipeline/route.ts';

export const debuggerPage = uiRoute('GET /debugger', {
  auth: 'open',
  handle({ services, url }) {
    const { config } = services;
    if (!config.ENABLE_DEBUGGER)
      throw new ServiceError('not-found', 'Not Found: ENABLE_DEBUGGER=false turns the debugger off.');
    if (config.DOCS === 'off') {
      throw new ServiceError('not-found', 'Not Found: the debugger is a documentation page, and DOCS is off.');
    }
    // Drop the query: it may contain a token, which no page needs.
    if (!url.pathname.endsWith('/')) return redirect(301, `${basePath(config)}/debugger/`);
    return redirect(302, inspectionPage(config));
  },
});

/** The path of the documentation page about inspecting pages. @param hash a heading on it, with its `#` */
export function inspectionPage(config: Config, hash = ''): string {
  return `${basePath(config)}/enterprise/live-debugger${hash}`;
}

function redirect(status: 301 | 302, location: string): Response {
  return new Response(null, { status, headers: { Location: location, 'Cache-Control': 'no-cache' } });
}
