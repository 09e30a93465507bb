/** Serves the /dashboard page, and signs people in and out. */
import type { ServiceError } from '../../../base/errors.ts';
import { basePath } from '../http/base-path.ts';
import { ui } from '../pages/html-page.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { requiresToken } from '../sign-in/sign-in.ts';
import { closedPage, endSignIn, seeOther, signInPage, handleSignIn } from '../sign-in/sign-in-page.ts';
import { dashboardPlace, isSignedOut, requireEnabled, requireOriginNamed } from './guard.ts';

export const dashboardPage = uiRoute('GET /dashboard', {
  auth: requireEnabled,
  handle: (call) =>
    isSignedOut(call) ? signInPage(call, dashboardPlace, { next: dashboardPlace.path }) : showPage(call),
});

export const signIn = uiRoute('POST /dashboard/sign-in', {
  auth: requireOriginNamed,
  handle: (call) => handleSignIn(call, dashboardPlace),
});

/** Also ends the event streams of the sign-in; links that were opened with it work until they expire. */
export const signOut = uiRoute('POST /dashboard/sign-out', {
  auth: requireOriginNamed,
  handle: (call) => endSignIn(call, dashboardPlace),
});

/** A page that explains an error in one sentence. */
export async function noticePage(call: Call, error: ServiceError, title: string): Promise<Response> {
  const base = basePath(call.services.config);
  return closedPage(
    error.status,
    await ui.page('notice', { base, theme: '', title, text: error.message, again: '' }),
    error.headers,
  );
}

async function showPage(call: Call): Promise<Response> {
  const { config } = call.services;
  return closedPage(
    200,
    await ui.page('dashboard', {
      base: basePath(config),
      theme: '',
      account: requiresToken(call) ? 'token' : 'open',
      docs: config.DOCS,
    }),
  );
}

/** Redirects a browser to the dashboard, which asks for the token if needed. */
export function toDashboard(call: Call): Response {
  return seeOther(`${basePath(call.services.config)}/dashboard`);
}
