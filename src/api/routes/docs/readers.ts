/** Decides who may read the documentation (DOCS): everybody, or only people with the token or a sign-in cookie. */
import { ServiceError } from '../../../base/errors.ts';
import type { Call } from '../pipeline/call.ts';
import { requiresToken, signInOf } from '../sign-in/sign-in.ts';
import type { SignInTarget } from '../pipeline/route.ts';

export const docsPlace: SignInTarget = {
  cookie: 'browserd-docs',
  path: '/',
  name: 'the documentation',
  action: '/docs-sign-in',
  store: ({ web: { readers } }) => readers,
  requireAccount: () => {},
};

/** False for a client that has to sign in before reading. */
export function mayRead(call: Call): boolean {
  const { config } = call.services;
  const { accounts } = call.services.control;
  if (config.DOCS !== 'token' || !requiresToken(call)) return true;
  return accounts.accepts(call.credential) || signInOf(call, docsPlace) !== undefined;
}

/** @throws ServiceError `unauthorized`, `not-found` when DOCS is off */
export function requireReader(call: Call): void {
  if (call.services.config.DOCS === 'off')
    throw new ServiceError('not-found', 'Not Found: DOCS=off turns the documentation off.');
  if (!mayRead(call))
    throw new ServiceError('unauthorized', 'The documentation of this server requires its token (DOCS=token).');
}
