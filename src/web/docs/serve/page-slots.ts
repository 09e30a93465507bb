/** Fills the slots of built pages on the server: the operator's settings, search results, the message of a 404. */
import { escapeHtml } from '../../../base/assets/escape.ts';
import { type DocsManifest, originSlot, resultsSlot } from './manifest.ts';
import type { Found, Hit } from '../search/engine.ts';
import { addressOf, describeCount, headingOf, snippet, type SnippetPart, trailOf } from '../search/snippet.ts';
import { typedWords } from '../search/terms.ts';
import { withBasePath } from '../site/base-path.ts';
import { fillLinks, type OperatorLinks } from './operator-links.ts';
import { shortHash } from './short-hash.ts';
import { trailData } from './trail-data.ts';
import { site } from '../site/site.ts';

export interface PageSettings extends OperatorLinks {
  /** Public origin without a trailing slash, when the operator set EXTERNAL; canonical links need it. */
  origin: string | undefined;
  /** Path of the public URL, prepended to all links: `/browser`, or empty. */
  base: string;
  /** Asks search engines not to index the pages. */
  noIndex: boolean;
  /** The server requires a token: samples have a placeholder for it. */
  needsToken: boolean;
  /** Only clients with the token may read the documentation. */
  secret: boolean;
  analyticsUrl: string | undefined;
  supportUrl: string | undefined;
  announcement: string | undefined;
  /** Questions are sent to the operator's language model. */
  asksModel: boolean;
  /** Distinguishes the ETags of pages with these settings from others; empty when nothing is set. */
  key: string;
}

/** Returns the Content-Security-Policy: only this origin, and no inline code except the script hashed by the build. */
export function policyOf({ inlineHash }: DocsManifest, { analyticsUrl }: PageSettings): string {
  const connect = ["'self'", ...(analyticsUrl === undefined ? [] : [new URL(analyticsUrl).origin])];
  return [
    "default-src 'none'",
    `script-src 'self' '${inlineHash}'`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src ${connect.join(' ')}`,
    "frame-src 'self' blob:",
    "worker-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types browserd-docs',
  ].join('; ');
}

/** For signed-in readers; when nobody is signed in, it leads to the same form. */
const signOut = '<li><form method="post" action="/docs-sign-out"><button>Sign out</button></form></li>';

/** Inserts the operator's settings into a page: head, announcement and links. */
export function fillSettings(html: string, path: string, settings: PageSettings, pages: readonly string[]): string {
  if (settings.key === '') return html;
  const head: string[] = [];
  const meta = (name: string, content: string | undefined) => {
    if (content !== undefined) head.push(`<meta name="${name}" content="${escapeHtml(content)}"/>`);
  };
  if (settings.origin !== undefined && pages.includes(path)) {
    const address = escapeHtml(settings.origin + settings.base + path);
    head.push(
      `<link rel="canonical" href="${address}"/>`,
      `<link rel="alternate" hreflang="${site.locale}" href="${address}"/>`,
      `<link rel="alternate" hreflang="x-default" href="${address}"/>`,
      `<meta property="og:url" content="${address}"/>`,
      trailData(html, settings.origin + settings.base),
    );
    // Social networks accept only an absolute image URL.
    const card = /<meta name="docs-card" content="([^"]*)"\/>/.exec(html)?.[1];
    if (card !== undefined)
      head.push(`<meta property="og:image" content="${escapeHtml(settings.origin + settings.base + card)}"/>`);
  }
  if (settings.noIndex) head.push('<meta name="robots" content="noindex" data-site=""/>');
  meta('docs-analytics', settings.analyticsUrl);
  meta('docs-support', settings.supportUrl);
  meta('docs-ask', settings.asksModel ? 'model' : undefined);
  let text = fillLinks(html, settings).replace(originSlot, () => head.join(''));
  if (settings.secret) text = text.replace('<li data-sign-out="" hidden=""></li>', signOut);
  if (settings.announcement !== undefined) {
    // New text has a new id, so that readers who closed the old announcement see the new one.
    const id = shortHash(settings.announcement);
    const line = `<p>${escapeHtml(settings.announcement)}</p><button type="button" class="needs-script" aria-label="Close the announcement">×</button>`;
    text = text.replace(
      // bounded: a documentation page
      /<div id="docs-announcement"([^>]*?) hidden=""><\/div>/,
      (_, rest: string) => `<div id="docs-announcement"${rest} data-id="${id}">${line}</div>`,
    );
    text = text.replace('<html ', () => `<html data-announcement="${id}" `);
  }
  if (settings.needsToken) text = text.replace('<html ', '<html data-needs-token data-credential="header" ');
  if (settings.base !== '') {
    text = withBasePath(text, settings.base).replace('<html ', () => `<html data-base="${escapeHtml(settings.base)}" `);
  }
  return text;
}

/** Reads back the base path that `fillSettings` wrote into the page. */
// bounded: a documentation page
const basePathOf = (html: string): string => /<html [^>]*?data-base="([^"]*)"/.exec(html)?.[1] ?? '';

const marked = (parts: readonly SnippetPart[]): string =>
  parts.map((part) => (part.marked ? `<mark>${escapeHtml(part.text)}</mark>` : escapeHtml(part.text))).join('');

/** Inserts results into the search page, for readers without scripts. */
export function fillResults(html: string, query: string, { hits, instead }: Found): string {
  const words = typedWords(query);
  const base = basePathOf(html);
  const row = (hit: Hit, highlighted: readonly string[]) =>
    `<section class="result" data-kind="${hit.kind}"><h2><a href="${base}${escapeHtml(addressOf(hit.url, highlighted))}">${marked(
      headingOf(hit),
    )}</a></h2><p class="hit-trail">${escapeHtml(trailOf(hit))}</p><p>${marked(
      snippet(hit.content, hit.terms, site.pageSnippetCharacters),
    )}</p></section>`;
  const offered = instead.length === 0 ? '' : `<p>${site.offer}</p>${instead.map((hit) => row(hit, [])).join('')}`;
  const rows = hits.map((hit) => row(hit, words));
  const title = escapeHtml(`Search results for “${query}”`);
  return (
    html
      .replace(
        resultsSlot,
        () => `<div id="search-results"><p>${describeCount(hits)}</p>${rows.join('')}${offered}</div>`,
      )
      .replace(/<h1>[^<]*<\/h1>/, () => `<h1>${title}</h1>`)
      .replace(/<title>[^<]*<\/title>/, () => `<title>${title} | ${site.name}</title>`)
      // bounded: a documentation page
      .replace(/(<input id="search-page"[^>]*?)\/>/, (_, input: string) => `${input} value="${escapeHtml(query)}"/>`)
  );
}

/** Inserts the message and similar paths into the 404 page. */
export function fillMissing(html: string, message: string, alike: readonly string[]): string {
  const base = basePathOf(html);
  const links = alike.map((path) => `<li><a href="${base}${escapeHtml(path)}">${escapeHtml(path)}</a></li>`);
  const list = links.length === 0 ? '' : `<p>Did you mean:</p><ul>${links.join('')}</ul>`;
  return html.replace(resultsSlot, () => `<p>${escapeHtml(message)}</p>${list}`);
}
