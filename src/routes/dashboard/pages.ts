/** Serves the page /dashboard, and signs people in and out. */
import * as v from 'valibot';
import { ServiceError, toServiceError } from '../../errors.ts';
import { dashboardLimits } from '../../limits.ts';
import { orAborted } from '../../runtime/deadline.ts';
import { namedType } from '../../runtime/http/accept.ts';
import { noContent } from '../../schema/answer/answers.ts';
import { parseBody } from '../../schema/parse.ts';
import { createUi } from '../../ui/serve/create-ui.ts';
import { checkToken } from '../http/auth.ts';
import { basePath } from '../http/base-path.ts';
import { readTextBody } from '../http/body.ts';
import type { Call } from '../pipeline/call.ts';
import type { DirectRoute } from '../pipeline/route.ts';
import { asksForToken, cookieOf, isSignedOut, requireEnabled, requireOriginNamed, signInOf } from './guard.ts';

const ui = createUi();

/** Everything comes from the server itself, nothing is written into the page, and no page may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const dashboardPage: DirectRoute = {
  kind: 'direct',
  method: 'GET',
  path: '/dashboard',
  summary: 'Dashboard',
  description:
    'The page on which people watch what the server does; without a sign-in, the page that asks for the token.',
  auth: requireEnabled,
  answers: ['text/html'],
  handle: (call) => (isSignedOut(call) ? signInPage(call) : showPage(call)),
};

export const signIn: DirectRoute = {
  kind: 'direct',
  method: 'POST',
  path: '/dashboard/sign-in',
  summary: 'Sign in',
  description: 'Takes the token of the server, as a form or as JSON, and gives a cookie for the dashboard.',
  auth: requireOriginNamed,
  answers: ['text/html', noContent],
  async handle(call) {
    try {
      checkToken(await orAborted(readToken(call), call.signal), call.services.config.TOKEN);
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (!isRead(call) || error.code !== 'unauthorized') throw thrown;
      call.record(error);
      return signInPage(call, 'This is not the token of the server. Look for TOKEN in its settings.');
    }
    const headers = {
      'Cache-Control': 'no-store',
      'Set-Cookie': cookieOf(call, call.services.dashboard.signIns.begin()),
    };
    if (!isRead(call)) return new Response(null, { status: 204, headers });
    return toDashboard(call, headers);
  },
};

export const signOut: DirectRoute = {
  kind: 'direct',
  method: 'POST',
  path: '/dashboard/sign-out',
  summary: 'Sign out',
  description:
    'Ends the sign-in of the cookie and the events that are shown with it; links that were opened work until they end.',
  auth: requireOriginNamed,
  answers: ['text/html'],
  handle(call) {
    const known = signInOf(call);
    if (known) call.services.dashboard.signIns.end(known.id);
    return toDashboard(call, { 'Set-Cookie': cookieOf(call, undefined) });
  },
};

/** A page that says in one sentence why there is nothing else. */
export async function noticePage(call: Call, error: ServiceError, title: string): Promise<Response> {
  const base = basePath(call.services.config);
  return page(
    error.status,
    await ui.page('notice', { base, theme: '', title, text: error.message, again: '' }),
    error.headers,
  );
}

/** True for a browser that shows the answer to a person. */
export function isRead({ request }: Call): boolean {
  return namedType(request.headers.get('accept'), ['text/html']) !== undefined;
}

async function showPage(call: Call): Promise<Response> {
  const { config } = call.services;
  return page(
    200,
    await ui.page('dashboard', {
      base: basePath(config),
      theme: '',
      account: asksForToken(call) ? 'token' : 'open',
      docs: config.DOCS,
    }),
  );
}

/** @param problem what was wrong with the last try; empty for the first */
async function signInPage(call: Call, problem = ''): Promise<Response> {
  const base = basePath(call.services.config);
  return page(401, await ui.page('sign-in', { base, theme: '', problem }));
}

function page(status: number, html: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(html, {
    status,
    headers: {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      // Not no-referrer: forms would be sent with the origin null.
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    },
  });
}

/** Leads a browser to the page, which asks for the token where that is needed. */
export function toDashboard(call: Call, headers: Readonly<Record<string, string>> = {}): Response {
  return seeOther(`${basePath(call.services.config)}/dashboard`, headers);
}

/** Leads a browser to another address, by a GET (RFC 9110 section 15.4.4). */
export function seeOther(Location: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { ...headers, Location, 'Cache-Control': 'no-store' } });
}

const body = v.strictObject({ token: v.string() });

/** @throws ServiceError `invalid-body`, `payload-too-large` */
async function readToken({ request, services }: Call): Promise<string | undefined> {
  const limitBytes = Math.min(dashboardLimits.signInBytes, services.config.MAX_PAYLOAD_SIZE);
  const text = await readTextBody(request, limitBytes);
  if (/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (cause) {
      throw new ServiceError('invalid-body', "Couldn't parse JSON body", { cause });
    }
    return parseBody(body, json).token;
  }
  return new URLSearchParams(text).get('token')?.trim() || undefined;
}
