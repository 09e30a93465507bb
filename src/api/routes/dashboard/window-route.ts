/**
 * Declares routes that the dashboard opens in a new window, where even an error must be a page. They redirect a browser
 * to a link; other clients get the link as JSON.
 */
import { toServiceError } from '../../../base/errors.ts';
import { basePath } from '../http/base-path.ts';
import { jsonResponse } from '../http/json-response.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute, type Subject } from '../pipeline/route.ts';
import { isSignedOut, requireOriginNamed, requireSignedIn } from './guard.ts';
import { acceptsHtml } from '../sign-in/sign-in.ts';
import { seeOther } from '../sign-in/sign-in-page.ts';
import { noticePage, toDashboard } from './pages.ts';

interface OpenedWindow {
  path: string;
  subject: Subject;
  /** Title of the page that explains why there is nothing to see. */
  nothing: string;
  /** Returns a function that builds the URL from a base. */
  open(call: Call): Promise<(base: string) => string>;
}

export function windowRoute({ path, subject, nothing, open }: OpenedWindow) {
  return uiRoute(`POST ${path}`, {
    subject,
    // The handler checks whether the person is signed in: people get the page that asks for the token.
    auth: requireOriginNamed,
    async handle(call) {
      if (acceptsHtml(call) && isSignedOut(call)) return toDashboard(call);
      requireSignedIn(call);
      try {
        const addressBelow = await open(call);
        if (!acceptsHtml(call)) return jsonResponse({ url: addressBelow(call.base) });
        return seeOther(addressBelow(basePath(call.services.config)));
      } catch (thrown) {
        const error = toServiceError(thrown);
        if (!acceptsHtml(call) || error.code === 'internal') throw thrown;
        return noticePage(call, error, nothing);
      }
    },
  });
}
