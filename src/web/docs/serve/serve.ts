/** Serves the built documentation, without React or a template engine. Reads no file before the first request. */
import type { Config } from '../../../base/config/config.ts';
import { BuiltFiles, hasTag, tagOf, unpack } from '../../../base/assets/built-files.ts';
import type { ManifestFile } from '../../../base/assets/manifest.ts';
import { namedType, preferredEncoding } from '../../../base/runtime/http/accept.ts';
import { builtFolder } from '../../../base/program/assets.ts';
import { fillMissing, fillResults, fillSettings, type PageSettings, policyOf } from './page-slots.ts';
import { PageCache } from './kept-pages.ts';
import { operatorLinksOf } from './operator-links.ts';
import { asksForJson, fillStatus, keepStatus } from './status-page.ts';
import type { ServerStatus } from '../site/model.ts';
import { LoadedIndex } from './loaded-index.ts';
import type { DocsManifest } from './manifest.ts';
import type { Docs } from './docs.ts';
import { didYouMean } from './did-you-mean.ts';
import { docsLimits } from '../../../base/limits.ts';
import { demoSitePage, demoSitePath } from './demo-site-pages.ts';
import { withCredentials } from '../samples/markdown.ts';
import { shortHash } from './short-hash.ts';
import { site, unlisted } from '../site/site.ts';

/** How long the search index stays in memory after the last search. */
const indexIdleMs = 60_000;

/** @param readStatus reads the server status that `/status` shows */
export function createDocs(options: PageSettings, readStatus: () => Promise<ServerStatus>): Docs {
  const files = new BuiltFiles<DocsManifest>(builtFolder('docs'));
  const index = new LoadedIndex(indexIdleMs);
  const kept = new PageCache();
  const keptStatus = keepStatus(readStatus, docsLimits.statusKeptMs);

  const headersOf = (docs: DocsManifest, file: ManifestFile, lasting: boolean): Record<string, string> => ({
    'Content-Type': file.type,
    'Cache-Control': `${options.secret ? 'private' : 'public'}, ${lasting ? 'max-age=31536000, immutable' : 'no-cache'}`,
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept, Accept-Encoding',
    // The URL of a page may contain a token, which must not leak to other sites.
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    ...(file.type.startsWith('text/html') ? { 'Content-Security-Policy': policyOf(docs, options) } : {}),
  });

  const send = async (docs: DocsManifest, request: Request, path: string, file: ManifestFile): Promise<Response> => {
    const asked = new URL(request.url).searchParams.get('v');
    const lasting = file.lasting === true || (path.startsWith('/_docs/') && asked === docs.build);
    const own = file.type.startsWith('text/html') || isPlainPage(path) ? options.key : '';
    const headers = headersOf(docs, file, lasting);
    if (own === '') return files.respond(request, file, headers);
    const tagged = { ...headers, ETag: tagOf(file.name + own) };
    if (hasTag(request, tagged.ETag)) return new Response(null, { status: 304, headers: tagged });
    const body = await withOwn(docs, file, path);
    if (preferredEncoding(request.headers.get('accept-encoding')) === undefined)
      return new Response(await unpack(body), { headers: tagged });
    return new Response(body, { headers: { ...tagged, 'Content-Encoding': 'gzip' } });
  };

  /** Returns a page with the operator's settings, compressed with gzip. */
  const withOwn = (docs: DocsManifest, file: ManifestFile, path: string): Promise<Uint8Array<ArrayBuffer>> =>
    kept.get(`${path} ${file.name}`, async () => {
      const text = await files.text(file);
      if (isPlainPage(path)) return options.needsToken ? withCredentials(text) : text;
      return fillSettings(text, path, options, docs.pages);
    });

  /** Returns the text of a page whose slots will be filled for one request. */
  const template = async (docs: DocsManifest, file: ManifestFile, path: string): Promise<string> =>
    options.key === '' ? files.text(file) : unpack(await withOwn(docs, file, path));

  /** Returns the headers of a page whose slots were filled for one request. */
  const unstored = (docs: DocsManifest, file: ManifestFile): Record<string, string> => ({
    ...headersOf(docs, file, false),
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
  });

  const indexText = (docs: DocsManifest): Promise<string> => {
    const file = docs.files[docs.index];
    if (file === undefined) throw new Error('The documentation has no search index');
    return files.text(file);
  };

  return {
    async answer(asked) {
      const { request } = asked;
      const url = new URL(request.url);
      const path = url.pathname;
      const inDemoSite = demoSitePath(path);
      if (inDemoSite !== undefined) return demoSitePage(request, inDemoSite, options.base);
      const docs = await files.manifest();
      if (docs === undefined) return undefined;
      if (path === '/sitemap.xml') return sitemap(docs, asked.base);
      if (path === '/robots.txt') return robots(options, asked.base);
      if (path === '/status') {
        const file = docs.files[path];
        if (file === undefined) return undefined;
        const read = await keptStatus();
        if (asksForJson(request))
          return Response.json(read, { headers: { ...forOneReader, 'X-Content-Type-Options': 'nosniff' } });
        return packed(fillStatus(await template(docs, file, path), read), request, unstored(docs, file));
      }
      if (path === '/search' || path === '/search/') {
        const file = docs.files['/search'];
        if (file === undefined) return undefined;
        const query = (url.searchParams.get('q') ?? '').slice(0, 200);
        if (query.trim() === '') return send(docs, request, '/search', file);
        const { search } = await import('../search/engine.ts');
        const found = search(await index.get(docs, () => indexText(docs)), query, site.resultLimit);
        const html = fillResults(await template(docs, file, '/search'), query, found);
        return packed(html, request, unstored(docs, file));
      }
      const wanted =
        namedType(request.headers.get('accept'), ['text/markdown']) !== undefined
          ? `${path === '/' ? '/index' : path}.md`
          : path;
      const file = docs.files[wanted] ?? docs.files[path];
      if (file !== undefined && path !== '/404') return send(docs, request, path, file);
      const plain = path.replace(/(?:\/index)?\.html$|(?<!\/)\/+$/g, '').replace(/\/index$/, '') || '/';
      const target = docs.redirects[plain] ?? (plain !== path && docs.files[plain] !== undefined ? plain : undefined);
      if (target === undefined) return undefined;
      // A token in the redirect URL would end up in browser histories and in logs on other servers.
      const hadToken = url.searchParams.has('token');
      if (hadToken) url.searchParams.delete('token');
      const there = docs.files[target];
      // Without the token the next request would be refused, so serve the page instead of redirecting.
      if (hadToken && options.secret && there !== undefined) return send(docs, request, target, there);
      return new Response(null, {
        status: 301,
        headers: { Location: `${options.base}${target}${url.search}`, 'Cache-Control': 'no-cache' },
      });
    },
    async passages(question, most, length) {
      const docs = await files.manifest();
      if (docs === undefined) return [];
      const { passagesFor } = await import('../search/passages.ts');
      return passagesFor(await index.get(docs, () => indexText(docs)), question, most, length);
    },
    async missing(request, message) {
      const docs = await files.manifest();
      const file = docs?.files['/404'];
      const { pathname } = new URL(request.url);
      if (docs === undefined || file === undefined) return undefined;
      const alike = didYouMean(pathname.replace(/\.md$/, ''), [...docs.pages, ...Object.keys(docs.redirects)]);
      if (namedType(request.headers.get('accept'), ['text/html']) === undefined) return undefined;
      const html = fillMissing(await template(docs, file, '/404'), message, alike);
      return packed(html, request, unstored(docs, file), 404);
    },
  };
}

/** Whether a path is a plain-text page (Markdown, llms.txt), in whose samples the credential is written out. */
const isPlainPage = (path: string): boolean => path.endsWith('.md') || /^\/llms-[\w-]+\.txt$/.test(path);

/** Prevents caching: another reader may reach the server at a different URL. */
const forOneReader = { 'Cache-Control': 'no-store' };

function sitemap(docs: DocsManifest, base: string): Response {
  const urls = docs.pages
    .filter((path) => !unlisted(path))
    .map(
      (path) =>
        `<url><loc>${escapeXml(base + path)}</loc><changefreq>weekly</changefreq><priority>0.5</priority></url>`,
    );
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`;
  return new Response(text, {
    headers: { ...forOneReader, 'Content-Type': 'application/xml; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  });
}

function robots({ noIndex }: PageSettings, base: string): Response {
  const text = noIndex ? 'User-agent: *\nDisallow: /\n' : `User-agent: *\nAllow: /\n\nSitemap: ${base}/sitemap.xml\n`;
  return new Response(text, { headers: { ...forOneReader, 'Content-Type': 'text/plain; charset=utf-8' } });
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Returns a response for text generated for one request, gzipped if the client accepts an encoding. */
function packed(text: string, request: Request, headers: Record<string, string>, status = 200): Response {
  if (preferredEncoding(request.headers.get('accept-encoding')) === undefined)
    return new Response(text, { status, headers });
  const body = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Response(body, { status, headers: { ...headers, 'Content-Encoding': 'gzip' } });
}

/** Derives the documentation's options from the server's settings. */
export function docsOptionsOf(config: Config): PageSettings {
  const external = config.EXTERNAL === undefined ? undefined : new URL(config.EXTERNAL);
  const page = {
    origin: external?.origin,
    base: external?.pathname.replace(/(?<!\/)\/+$/, '') ?? '',
    noIndex: config.DOCS_NOINDEX,
    needsToken: config.TOKEN.length > 0 || config.TOKENS_FILE !== undefined,
    analyticsUrl: config.DOCS_ANALYTICS_URL,
    supportUrl: config.DOCS_SUPPORT_URL,
    announcement: config.DOCS_ANNOUNCEMENT,
    ...operatorLinksOf(config),
    asksModel: config.DOCS_ASK_URL !== undefined && config.DOCS_ASK_MODEL !== undefined,
  };
  const isPlain = Object.values(page).every((value) => value === undefined || value === '' || value === false);
  return {
    ...page,
    secret: config.DOCS === 'token',
    key: isPlain ? '' : `-${shortHash(JSON.stringify(page))}`,
  };
}
