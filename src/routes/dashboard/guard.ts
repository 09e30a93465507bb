/**
 * Lets people into the dashboard: with the cookie that the token has bought them, and on a server without tokens as every
 * caller that it accepts. The cookie counts below /dashboard alone.
 */
import { parse, serialize } from 'hono/utils/cookie';
import type { SignIn } from '../../dashboard/sign-ins.ts';
import { ServiceError } from '../../errors.ts';
import { basePath } from '../http/base-path.ts';
import type { Call } from '../pipeline/call.ts';
import { isOfOwnPage } from '../pipeline/socket-door.ts';

const cookieName = 'browserd-dashboard';

/** @throws ServiceError `not-found` when ENABLE_DASHBOARD is off */
export function requireEnabled({ services }: Call): void {
  if (services.config.ENABLE_DASHBOARD) return;
  throw new ServiceError('not-found', 'Not Found: ENABLE_DASHBOARD=false turns the dashboard off.');
}

/** True on a server that asks for a token, where people sign in. */
export function asksForToken({ services }: Call): boolean {
  return services.config.TOKEN.length > 0;
}

/** Who has sent the call; undefined for nobody. */
export function signInOf({ request, services }: Call): SignIn | undefined {
  const id = parse(request.headers.get('cookie') ?? '', cookieName)[cookieName];
  return id === undefined ? undefined : services.dashboard.signIns.find(id);
}

/** True for somebody who has to sign in first, or once more. */
export function isSignedOut(call: Call): boolean {
  return asksForToken(call) && signInOf(call) === undefined;
}

/**
 * The check of every route that shows something.
 * @throws ServiceError `not-found`, `forbidden-caller` for pages of other sites, `unauthorized`
 */
export function requireSignedIn(call: Call): void {
  requireEnabled(call);
  requireOwnPage(call);
  if (!isSignedOut(call)) return;
  throw new ServiceError('unauthorized', 'Sign in at /dashboard first.');
}

/**
 * The check of every route that changes something: browsers name the page that sends a POST.
 * @throws ServiceError as `requireSignedIn`, and `bad-request` without an Origin
 */
export function requireOwnForm(call: Call): void {
  requireOriginNamed(call);
  requireSignedIn(call);
}

/** @throws ServiceError `not-found`, `bad-request`, `forbidden-caller` */
export function requireOriginNamed(call: Call): void {
  requireEnabled(call);
  requireOwnPage(call);
  if (call.request.headers.get('origin') !== null) return;
  throw new ServiceError(
    'bad-request',
    'The header Origin is missing: send it with the address of this server, as a browser does.',
  );
}

/** @throws ServiceError `forbidden-caller` */
function requireOwnPage(call: Call): void {
  const { headers } = call.request;
  if (!isOfOwnPage(call)) {
    throw new ServiceError(
      'forbidden-caller',
      `Only pages of this server may use its dashboard, and Origin names another than ${JSON.stringify((headers.get('host') ?? '').slice(0, 100))}. A proxy in front must pass Host on, or EXTERNAL must name the public address.`,
    );
  }
  if (!/^(?:cross|same)-site$/.test(headers.get('sec-fetch-site') ?? '')) return;
  throw new ServiceError('forbidden-caller', 'Pages of other sites may not use the dashboard (Sec-Fetch-Site).');
}

/**
 * The Set-Cookie header of a sign-in; without one, that which removes the cookie. Whether the page came over TLS, the
 * Origin tells, which its callers have asked for.
 */
export function cookieOf(call: Call, signIn: SignIn | undefined): string {
  const secondsLeft = signIn ? Math.floor((signIn.expiresAt - Date.now()) / 1_000) : 0;
  return serialize(cookieName, signIn?.id ?? '', {
    path: `${basePath(call.services.config)}/dashboard`,
    httpOnly: true,
    sameSite: 'Strict',
    secure: call.request.headers.get('origin')?.startsWith('https:') === true,
    maxAge: Math.max(0, secondsLeft),
  });
}
