/** Serves the sign-in page that asks for the token, and handles its form. */
import * as v from 'valibot';
import { hashOf } from '../../../control/accounts/accounts.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { dashboardLimits } from '../../../base/limits.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { parseJson } from '../../../base/schema/json-text.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { basePath } from '../http/base-path.ts';
import { readTextBody } from '../http/body.ts';
import { pageHeaders, policyOf, ui } from '../pages/html-page.ts';
import type { Call } from '../pipeline/call.ts';
import { cookieOf, acceptsHtml, signInOf } from './sign-in.ts';
import type { SignInTarget } from '../pipeline/route.ts';

/** No page may frame it. */
const policy = policyOf("'none'", { 'img-src': "'self' blob:", 'form-action': "'self'" });

/** A page for people who are signed in or asked to sign in. */
export function closedPage(status: number, html: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(html, {
    status,
    headers: {
      ...headers,
      ...pageHeaders(policy),
      // With no-referrer, forms would be sent with the origin null.
      'Referrer-Policy': 'same-origin',
    },
  });
}

/** Redirects a browser to another URL with a GET (RFC 9110 section 15.4.4). */
export function seeOther(Location: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { ...headers, Location, 'Cache-Control': 'no-store' } });
}

interface SignInPrompt {
  /** Path of the requested page, without the base path; the form sends it back. */
  next: string;
  /** Error of the last attempt; empty for the first attempt. */
  problem?: string;
}

/** The page that asks for the token, with status 401. */
export async function signInPage(
  call: Call,
  place: SignInTarget,
  { next, problem = '' }: SignInPrompt,
): Promise<Response> {
  const base = basePath(call.services.config);
  const { action, name } = place;
  return closedPage(401, await ui.page('sign-in', { base, theme: '', action, name, next, problem }));
}

/**
 * Handles the form: sets a cookie if the token is correct, and redirects to the requested page.
 * @throws ServiceError `unauthorized` for programs, `invalid-body`, `payload-too-large`
 */
export async function handleSignIn(call: Call, place: SignInTarget): Promise<Response> {
  const { token, next } = await orAborted(readForm(call), call.signal);
  const wanted = isPathOf(place, next) ? next : place.path;
  let owner = '';
  try {
    const account = call.services.control.accounts.authenticate(token);
    place.requireAccount(account);
    owner = account.name;
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (!acceptsHtml(call) || !['unauthorized', 'not-in-plan'].includes(error.code)) throw thrown;
    call.record(error);
    const problem =
      error.code === 'not-in-plan' ? `${error.message}` : 'Wrong token. Look for TOKEN in the server settings.';
    return signInPage(call, place, { next: wanted, problem });
  }
  const headers = {
    'Cache-Control': 'no-store',
    'Set-Cookie': cookieOf(call, place, place.store(call.services).begin({ owner, tokenHash: hashOf(token ?? '') })),
  };
  if (!acceptsHtml(call)) return new Response(null, { status: 204, headers });
  return seeOther(`${basePath(call.services.config)}${wanted}`, headers);
}

/** Ends the cookie's sign-in, and redirects a browser to the page that asks for the token. */
export function endSignIn(call: Call, place: SignInTarget): Response {
  const known = signInOf(call, place);
  if (known) place.store(call.services).end(known.id);
  const headers = { 'Set-Cookie': cookieOf(call, place, undefined) };
  return seeOther(`${basePath(call.services.config)}${place.path}`, headers);
}

/** True for a path of this server: a form must not lead to another site (`//host`, `/\host`). */
function isPathOf({ path }: SignInTarget, next: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) return false;
  return path === '/' || next === path || next.startsWith(`${path}/`);
}

const body = v.strictObject({ token: v.string() });

/** @throws ServiceError `invalid-body`, `payload-too-large` */
async function readForm({ request, services }: Call): Promise<{ token: string | undefined; next: string }> {
  const limitBytes = Math.min(dashboardLimits.signInBytes, services.config.MAX_PAYLOAD_SIZE);
  const text = await readTextBody(request, limitBytes);
  if (/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    let json: unknown;
    try {
      json = parseJson(text);
    } catch (cause) {
      throw new ServiceError('invalid-body', "Couldn't parse JSON body", { cause });
    }
    return { token: parseBody(body, json).token, next: '' };
  }
  const form = new URLSearchParams(text);
  return { token: form.get('token')?.trim() || undefined, next: form.get('next') ?? '' };
}
