/**
 * Signs people in who read pages of this server in a browser: for the token of the server they get a cookie, which
 * counts for the pages of one place alone. The API never looks at it.
 */
import { parse, serialize } from 'hono/utils/cookie';
import type { Account } from '../../../control/accounts/account.ts';
import type { SignIn, SignIns } from '../../../control/dashboard/sign-ins.ts';
import { ServiceError } from '../../../base/errors.ts';
import { namedType } from '../../../base/runtime/http/accept.ts';
import { basePath } from '../http/base-path.ts';
import type { Call } from '../pipeline/call.ts';
import type { Services } from '../pipeline/services.ts';
import { isOfOwnPage } from '../pipeline/socket-door.ts';
import { now } from '../../../base/runtime/machine.ts';

/** Pages for which people sign in. */
export interface SignInPlace {
  cookie: string;
  /** The path that the cookie is sent to and all below it, without the base path. */
  path: string;
  /** In a sentence: "the dashboard". */
  name: string;
  /** Where the form goes, without the base path. */
  action: string;
  kept(services: Services): SignIns;
  /** @throws ServiceError `not-in-plan` for an account whose token does not open the place */
  requireAccount(account: Account): void;
}

/** True on a server that asks for a token, where people sign in. */
export function asksForToken({ services }: Call): boolean {
  return services.control.accounts.asksForToken;
}

/** Who has sent the call; undefined for nobody, and once the token of the sign-in counts no more. */
export function signInOf({ request, services }: Call, place: SignInPlace): SignIn | undefined {
  const { kept } = place;
  const id = signInCookie(request, place);
  const known = id === undefined ? undefined : kept(services).find(id);
  if (!known || services.control.accounts.counts(known.owner, known.tokenHash)) return known;
  kept(services).end(known.id);
  return undefined;
}

/** The secret of a sign-in that a request has sent. */
export function signInCookie({ headers }: Request, { cookie }: SignInPlace): string | undefined {
  return parse(headers.get('cookie') ?? '', cookie)[cookie];
}

/** True for a browser that shows the answer to a person. */
export function isRead({ request }: Call): boolean {
  return namedType(request.headers.get('accept'), ['text/html']) !== undefined;
}

/** @throws ServiceError `bad-request`, `forbidden-caller` */
export function requireOrigin(call: Call, place: SignInPlace): void {
  requireOwnPage(call, place);
  if (call.request.headers.get('origin') !== null) return;
  throw new ServiceError(
    'bad-request',
    'The header Origin is missing: send it with the address of this server, as a browser does.',
  );
}

/** @throws ServiceError `forbidden-caller` */
export function requireOwnPage(call: Call, { name }: SignInPlace): void {
  const { headers } = call.request;
  if (!isOfOwnPage(call)) {
    throw new ServiceError(
      'forbidden-caller',
      `Only pages of this server may use ${name}, and Origin names another than ${JSON.stringify((headers.get('host') ?? '').slice(0, 100))}. A proxy in front must pass Host on, or EXTERNAL must name the public address.`,
    );
  }
  if (!/^(?:cross|same)-site$/.test(headers.get('sec-fetch-site') ?? '')) return;
  throw new ServiceError('forbidden-caller', `Pages of other sites may not use ${name} (Sec-Fetch-Site).`);
}

/**
 * The Set-Cookie header of a sign-in; without one, that which removes the cookie. Whether the page came over TLS, the
 * Origin tells, which its callers have asked for.
 */
export function cookieOf(call: Call, { cookie, path }: SignInPlace, signIn: SignIn | undefined): string {
  const secondsLeft = signIn ? Math.floor((signIn.endsAt - now()) / 1_000) : 0;
  return serialize(cookie, signIn?.id ?? '', {
    path: `${basePath(call.services.config)}${path}`,
    httpOnly: true,
    sameSite: 'Strict',
    secure: call.request.headers.get('origin')?.startsWith('https:') === true,
    maxAge: Math.max(0, secondsLeft),
  });
}
