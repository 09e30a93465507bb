/** Signs readers in to the documentation of a server with DOCS=token. */
import { ServiceError } from '../../errors.ts';
import { noContent } from '../../schema/answer/answers.ts';
import type { DirectRoute } from '../pipeline/route.ts';
import { requireOrigin } from '../sign-in/sign-in.ts';
import { takeSignIn } from '../sign-in/sign-in-page.ts';
import { docsPlace } from './readers.ts';

export const docsSignIn: DirectRoute = {
  kind: 'direct',
  method: 'POST',
  path: docsPlace.action,
  summary: 'Sign in to the documentation',
  description: 'Takes the token of the server, as a form or as JSON, and gives a cookie for the documentation.',
  auth(call) {
    if (call.services.config.DOCS !== 'token')
      throw new ServiceError('not-found', 'Not Found: nobody signs in to this documentation (DOCS).');
    requireOrigin(call, docsPlace);
  },
  answers: ['text/html', noContent],
  handle: (call) => takeSignIn(call, docsPlace),
};
