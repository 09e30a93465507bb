/** Builds responses for the pages that the server shows to people, and a one-sentence page for errors. */
import { toServiceError } from '../../../base/errors.ts';
import { namedType } from '../../../base/runtime/http/accept.ts';
import type { CommonSlots } from '../../../web/pages/serve/page-slots.ts';
import { Ui } from '../../../web/pages/serve/ui.ts';
import { basePath } from '../http/base-path.ts';
import type { Call } from '../pipeline/call.ts';

export const ui = new Ui();

/** Additional or overriding sources, by CSP directive. */
type Sources = Readonly<Record<string, string>>;

/** A policy under which everything is loaded from the server itself, and inline scripts and styles are forbidden. */
export function policyOf(frameAncestors: string, more: Sources): string {
  return Object.entries({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' blob: data:",
    'connect-src': "'self'",
    'font-src': "'self'",
    'form-action': "'none'",
    'base-uri': "'none'",
    'frame-ancestors': frameAncestors,
    ...more,
  })
    .map(([directive, sources]) => `${directive} ${sources}`.trim())
    .join('; ');
}

/** Headers of a page whose URL contains a key. */
export function pageHeaders(policy: string): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
  };
}

/** The theme, which a site that frames the page can choose. */
function themeOf(url: URL): '' | 'light' | 'dark' {
  const theme = url.searchParams.get('theme');
  return theme === 'light' || theme === 'dark' ? theme : '';
}

/**
 * Responds with a page, or with the error message as a page if building it fails and the client accepts HTML.
 * @param make builds the page's HTML
 * @param title title of the error page, by the status of the error
 * @param more sources for additional directives
 */
export async function htmlPage(
  call: Call,
  make: (common: CommonSlots) => Promise<string>,
  title: (status: number) => string,
  more: Sources = {},
): Promise<Response> {
  const { config } = call.services;
  const common: CommonSlots = { base: basePath(config), theme: themeOf(call.url) };
  const headers = pageHeaders(policyOf(config.LIVE_FRAME_ANCESTORS, more));
  try {
    return new Response(await make(common), { headers });
  } catch (thrown) {
    const error = toServiceError(thrown);
    const reader = namedType(call.request.headers.get('accept'), ['text/html']) !== undefined;
    if (!reader || error.code === 'internal') throw thrown;
    const again = error.status === 404 ? '' : `${common.base}${call.url.pathname}${call.url.search}`;
    const html = await ui.page('notice', { ...common, title: title(error.status), text: error.message, again });
    return new Response(html, { status: error.status, headers: { ...error.headers, ...headers } });
  }
}
