/**
 * Signs people in to pages on this server: in exchange for the token they get a cookie, which is valid only for one
 * group of pages. The API never accepts the cookie.
 */
import { parse, serialize } from 'hono/utils/cookie';
import type { SignIn } from '../../../control/dashboard/sign-ins.ts';
import { ServiceError } from '../../../base/errors.ts';
import { namedType } from '../../../base/runtime/http/accept.ts';
import { basePath } from '../http/base-path.ts';
import type { Call } from '../pipeline/call.ts';
import type { SignInTarget } from '../pipeline/route.ts';
import { isFromOwnPage } from '../pipeline/socket-endpoint.ts';
import { now } from '../../../base/runtime/machine.ts';

/** True on a server that requires a token, where people sign in. */
export function requiresToken({ services }: Call): boolean {
  return services.control.accounts.requiresToken;
}

/** The sign-in of a request; undefined if there is none, or if its token is no longer valid. */
export function signInOf({ request, services }: Call, place: SignInTarget): SignIn | undefined {
  const { store } = place;
  const id = signInCookie(request, place);
  const known = id === undefined ? undefined : store(services).find(id);
  if (!known || services.control.accounts.isValid(known.owner, known.tokenHash)) return known;
  store(services).end(known.id);
  return undefined;
}

/** The secret of the sign-in cookie that a request sent. */
export function signInCookie({ headers }: Request, { cookie }: SignInTarget): string | undefined {
  return parse(headers.get('cookie') ?? '', cookie)[cookie];
}

/** True for a browser that shows the response to a person. */
export function acceptsHtml({ request }: Call): boolean {
  return namedType(request.headers.get('accept'), ['text/html']) !== undefined;
}

/** @throws ServiceError `bad-request`, `forbidden-caller` */
export function requireOrigin(call: Call, place: SignInTarget): void {
  requireOwnPage(call, place);
  if (call.request.headers.get('origin') !== null) return;
  throw new ServiceError(
    'bad-request',
    'The Origin header is missing: send it with the origin of this server, as a browser does.',
  );
}

/** @throws ServiceError `forbidden-caller` */
export function requireOwnPage(call: Call, { name }: SignInTarget): void {
  const { headers } = call.request;
  if (!isFromOwnPage(call)) {
    throw new ServiceError(
      'forbidden-caller',
      `Only pages from this server may use ${name}, but the Origin header does not match the host ${JSON.stringify((headers.get('host') ?? '').slice(0, 100))}. A proxy in front must forward the Host header, or EXTERNAL must be the public URL.`,
    );
  }
  if (!/^(?:cross|same)-site$/.test(headers.get('sec-fetch-site') ?? '')) return;
  throw new ServiceError('forbidden-caller', `Pages from other sites cannot use ${name} (Sec-Fetch-Site).`);
}

/**
 * The Set-Cookie header of a sign-in; without a sign-in, the header that removes the cookie. The Origin header, which
 * callers have already required, shows whether the page was loaded over TLS.
 */
export function cookieOf(call: Call, { cookie, path }: SignInTarget, signIn: SignIn | undefined): string {
  const secondsLeft = signIn ? Math.floor((signIn.endsAt - now()) / 1_000) : 0;
  return serialize(cookie, signIn?.id ?? '', {
    path: `${basePath(call.services.config)}${path}`,
    httpOnly: true,
    sameSite: 'Strict',
    secure: call.request.headers.get('origin')?.startsWith('https:') === true,
    maxAge: Math.max(0, secondsLeft),
  });
}
