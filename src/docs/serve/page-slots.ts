/** Fills the slots of finished pages on the server: the operator's settings, search results, a missing address. */
import { type DocsManifest, originSlot, resultsSlot } from './manifest.ts';
import type { Hit } from '../search/engine.ts';
import { addressOf, markTerms, snippet, type SnippetPart } from '../search/snippet.ts';
import { queryTerms } from '../search/terms.ts';
import { withBasePath } from '../site/base-path.ts';
import { shortHash } from './short-hash.ts';
import { site } from '../site/site.ts';

export interface PageSettings {
  /** Public origin without a slash at its end, when the operator gave one; canonical links need it. */
  origin: string | undefined;
  /** Path in front of all addresses, from the public address: `/browser`, or nothing. */
  base: string;
  /** Asks search engines to stay away. */
  noIndex: boolean;
  /** The documentation is for holders of the token. */
  secret: boolean;
  analyticsUrl: string | undefined;
  supportUrl: string | undefined;
  announcement: string | undefined;
  /** Distinguishes pages with these settings from others, for the ETag; empty when nothing is set. */
  key: string;
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** The Content-Security-Policy: everything from this origin, nothing inline but the one script that the build hashed. */
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

/** A page with the operator's settings in its head, its announcement and its addresses. */
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
    );
  }
  if (settings.noIndex) head.push('<meta name="robots" content="noindex" data-site=""/>');
  meta('docs-analytics', settings.analyticsUrl);
  meta('docs-support', settings.supportUrl);
  let text = html.replace(originSlot, () => head.join(''));
  if (settings.announcement !== undefined) {
    // A new text has a new id, so that it shows again where the old one was closed.
    const id = shortHash(settings.announcement);
    const line = `<p>${escapeHtml(settings.announcement)}</p><button type="button" class="needs-script" aria-label="Close the announcement">×</button>`;
    text = text.replace(
      /<div id="docs-announcement"([^>]*?) hidden=""><\/div>/,
      (_, rest: string) => `<div id="docs-announcement"${rest} data-id="${id}">${line}</div>`,
    );
    text = text.replace('<html ', () => `<html data-announcement="${id}" `);
  }
  if (settings.base !== '') {
    text = withBasePath(text, settings.base).replace('<html ', () => `<html data-base="${escapeHtml(settings.base)}" `);
  }
  return text;
}

/** The base path that `fillSettings` wrote into the page. */
const basePathOf = (html: string): string => /<html [^>]*?data-base="([^"]*)"/.exec(html)?.[1] ?? '';

const marked = (parts: readonly SnippetPart[]): string =>
  parts.map((part) => (part.marked ? `<mark>${escapeHtml(part.text)}</mark>` : escapeHtml(part.text))).join('');

/** The search page with its results, for readers without scripts. */
export function fillResults(html: string, query: string, hits: readonly Hit[]): string {
  const terms = queryTerms(query).all;
  const count =
    hits.length === 0 ? 'No results' : hits.length === 1 ? '1 document found' : `${hits.length} documents found`;
  const base = basePathOf(html);
  const rows = hits.map(
    (hit) =>
      `<section class="result"><h2><a href="${base}${escapeHtml(addressOf(hit.url, terms))}">${marked(
        markTerms(hit.heading === '' ? hit.title : hit.heading, hit.terms),
      )}</a></h2><p class="hit-trail">${escapeHtml([hit.trail, hit.title].filter((part) => part !== '').join(' › '))}</p><p>${marked(
        snippet(hit.content, hit.terms, site.pageSnippetCharacters),
      )}</p></section>`,
  );
  const title = escapeHtml(`Search results for “${query}”`);
  return html
    .replace(resultsSlot, () => `<div id="search-results"><p>${count}</p>${rows.join('')}</div>`)
    .replace(/<h1>[^<]*<\/h1>/, () => `<h1>${title}</h1>`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${title} | ${site.name}</title>`)
    .replace(/(<input id="search-page"[^>]*?)\/>/, (_, input: string) => `${input} value="${escapeHtml(query)}"/>`);
}

/** The page for a missing address, with those that it resembles. */
export function fillMissing(html: string, message: string, alike: readonly string[]): string {
  const base = basePathOf(html);
  const links = alike.map((path) => `<li><a href="${base}${escapeHtml(path)}">${escapeHtml(path)}</a></li>`);
  const list = links.length === 0 ? '' : `<p>Did you mean:</p><ul>${links.join('')}</ul>`;
  return html.replace(resultsSlot, () => `<p>${escapeHtml(message)}</p>${list}`);
}
