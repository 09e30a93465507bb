/** Answers with the pages that the server shows to people, and with a page of one sentence in place of an error. */
import { toServiceError } from '../../../base/errors.ts';
import { namedType } from '../../../base/runtime/http/accept.ts';
import { createUi, type Ui } from '../../../web/pages/serve/create-ui.ts';
import { basePath } from '../http/base-path.ts';
import type { Call } from '../pipeline/call.ts';

export const ui: Ui = createUi();

/** What every page gets. */
export interface CommonSlots {
  base: string;
  theme: '' | 'light' | 'dark';
}

/** Sources of the directives beside script, style, img and connect, which come from the server itself. */
type Sources = Readonly<Record<string, string>>;

/** A policy under which everything comes from the server itself, and nothing is written into the page. */
function policyOf(frameAncestors: string, more: Sources): string {
  return Object.entries({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' blob: data:",
    'connect-src': "'self'",
    'form-action': "'none'",
    'base-uri': "'none'",
    'frame-ancestors': frameAncestors,
    ...more,
  })
    .map(([directive, sources]) => `${directive} ${sources}`.trim())
    .join('; ');
}

/** Headers of a page whose address is a key. */
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

/** Whoever shows the page in a frame can choose its theme. */
function themeOf(url: URL): '' | 'light' | 'dark' {
  const theme = url.searchParams.get('theme');
  return theme === 'light' || theme === 'dark' ? theme : '';
}

/**
 * Answers with a page; with the sentence of the error when making it fails and the client reads HTML.
 * @param make the HTML of the page
 * @param title over the sentence, by the status of the error
 * @param more sources of further directives
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
