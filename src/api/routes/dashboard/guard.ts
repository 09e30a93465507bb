/**
 * Controls access to the dashboard: with the cookie that people get for the token, or, on a server without tokens, for
 * every client that it accepts. The cookie is valid only under /dashboard.
 */
import { ServiceError } from '../../../base/errors.ts';
import type { Call } from '../pipeline/call.ts';
import { requiresToken, requireOrigin, requireOwnPage, signInOf } from '../sign-in/sign-in.ts';
import type { SignInTarget } from '../pipeline/route.ts';

export const dashboardPlace: SignInTarget = {
  cookie: 'browserd-dashboard',
  path: '/dashboard',
  name: 'the dashboard',
  action: '/dashboard/sign-in',
  store: ({ web: { dashboard } }) => dashboard.signIns,
  // The dashboard shows the sessions of all accounts.
  requireAccount: (account) => account.requireOperator(),
};

/** @throws ServiceError `not-found` when ENABLE_DASHBOARD is off */
export function requireEnabled({ services }: Call): void {
  if (services.config.ENABLE_DASHBOARD) return;
  throw new ServiceError('not-found', 'Not Found: ENABLE_DASHBOARD=false turns the dashboard off.');
}

/** True if the person has to sign in first, or again. */
export function isSignedOut(call: Call): boolean {
  return requiresToken(call) && signInOf(call, dashboardPlace) === undefined;
}

/**
 * The check for every route that shows something.
 * @throws ServiceError `not-found`, `forbidden-caller` for pages on other sites, `unauthorized`
 */
export function requireSignedIn(call: Call): void {
  requireEnabled(call);
  requireOwnPage(call, dashboardPlace);
  if (isSignedOut(call)) throw new ServiceError('unauthorized', 'Sign in at /dashboard first.');
  // Only the operator can sign in.
  call.actFor('');
}

/**
 * The check for every route that changes something: browsers identify the page that sends a POST.
 * @throws the errors documented for `requireSignedIn`; ServiceError `bad-request` without an Origin
 */
export function requireOwnForm(call: Call): void {
  requireOriginNamed(call);
  requireSignedIn(call);
}

/** @throws ServiceError `not-found`, `bad-request`, `forbidden-caller` */
export function requireOriginNamed(call: Call): void {
  requireEnabled(call);
  requireOrigin(call, dashboardPlace);
}
