/** Signs readers in to, and out of, the documentation of a server with DOCS=token. */
import { ServiceError } from '../../../base/errors.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { requireOrigin } from '../sign-in/sign-in.ts';
import { endSignIn, handleSignIn } from '../sign-in/sign-in-page.ts';
import { docsPlace } from './readers.ts';

/** @throws ServiceError `not-found`, `bad-request`, `forbidden-caller` */
function requireOwnForm(call: Call): void {
  if (call.services.config.DOCS !== 'token')
    throw new ServiceError('not-found', 'Not Found: this documentation does not require sign-in (DOCS).');
  requireOrigin(call, docsPlace);
}

export const docsSignIn = uiRoute(`POST ${docsPlace.action}`, {
  subject: undefined,
  auth: requireOwnForm,
  handle: (call) => handleSignIn(call, docsPlace),
});

export const docsSignOut = uiRoute('POST /docs-sign-out', {
  auth: requireOwnForm,
  handle: (call) => endSignIn(call, docsPlace),
});
