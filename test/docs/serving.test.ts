// The documentation over HTTP: encodings, caching, Content-Security-Policy, redirects, Markdown, search without
// scripts, missing pages, the 284 required pages of inventory.txt, and that it is served when nothing else works. The
// file is long because all its tests share one server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { PageCache } from '../../src/web/docs/serve/kept-pages.ts';
import { createDocs } from '../../src/web/docs/serve/serve.ts';
import { builtDocs, parsePage } from '../support/built-docs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('documentation over HTTP', { timeoutMs: 180_000 });
const deploy = join(import.meta.dirname, '..', '..', 'public/deploy');
let service: Service;
const page = '/rest-apis/pdf-api';
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test.before(async () => {
  await builtDocs();
  service = await startService({ env: { SPARES: '0' } });
});
test.after(() => stopAll(service));

const get = (path: string, headers: Record<string, string> = {}) =>
  service.get(path, { headers: { ...html, ...headers } });

test('a page is the same with brotli, with gzip and uncompressed', async () => {
  const plain = await get(page);
  const br = await get(page, { 'accept-encoding': 'gzip, deflate, br' });
  const gz = await get(page, { 'accept-encoding': 'gzip' });
  assert.is(br.headers['content-encoding'], 'br');
  assert.is(gz.headers['content-encoding'], 'gzip');
  assert.is(plain.headers['content-encoding'], undefined);
  assert.is(brotliDecompressSync(br.bytes).toString(), plain.text);
  assert.is(gunzipSync(gz.bytes).toString(), plain.text);
  assert.match(plain.headers['content-type'] ?? '', 'text/html');
  assert.match(plain.headers['vary'] ?? '', 'Accept-Encoding');
  assert.is((await get(page, { 'accept-encoding': 'br;q=0' })).headers['content-encoding'], undefined);
});

test('pages are revalidated; files with a hash are immutable', async () => {
  const first = await get(page);
  assert.match(first.headers['cache-control'] ?? '', 'no-cache');
  const again = await get(page, { 'if-none-match': first.headers['etag'] ?? '' });
  assert.is(again.status, 304);
  assert.is(again.bytes.length, 0);
  const script = /src="(\/_docs\/main[^"]*)"/.exec(first.text)?.[1] ?? '';
  assert.match((await get(script)).headers['cache-control'] ?? '', 'immutable');
  const build = /data-build="([^"]*)"/.exec(first.text)?.[1] ?? '';
  assert.match((await get(`/_docs/page${page}.js?v=${build}`)).headers['cache-control'] ?? '', 'immutable');
  assert.match((await get(`/_docs/page${page}.js?v=old`)).headers['cache-control'] ?? '', 'no-cache');
});

test('the Content-Security-Policy has no unsafe values and allows the one inline script by its hash', async () => {
  const { headers, text } = await get(page);
  const policy = headers['content-security-policy'] ?? '';
  assert.not.match(policy, /unsafe|\*|https?:/);
  assert.match(policy, /script-src 'self' 'sha256-/);
  assert.match(policy, "default-src 'none'");
  assert.is(headers['x-content-type-options'], 'nosniff');
  assert.is(text.match(/<script>/g)?.length, 1);
  assert.not.match(text, /\s(style|on\w+)="/);
  // Links may lead to other sites, but nothing is loaded from there.
  assert.not.match(text, /(?:src|<link[^>]*? href)="(https?:)?\/\//);
});

test.peer('management and settings', '/docs redirects to the API pages with a 301');
test('HEAD, redirects from URL variants and old URLs', async () => {
  const head = await service.get(page, { method: 'HEAD' });
  assert.is(head.status, 200);
  assert.is(head.bytes.length, 0);
  const wanted = {
    [`${page}/`]: page,
    [`${page}.html`]: page,
    '/index.html': '/',
    '/docs': '/open-api',
    '/rest-apis/pdf?a=1': `${page}?a=1`,
  };
  for (const [from, to] of Object.entries(wanted)) {
    const reply = await get(from);
    assert.is(reply.status, 301, from);
    assert.is(reply.headers['location'], to);
  }
});

test('each of the 284 required pages exists and is served, regardless of what else there is', async () => {
  const inventory = readFileSync(join(import.meta.dirname, 'inventory.txt'), 'utf8')
    .trim()
    .split('\n');
  assert.is(inventory.length, 284);
  assert.equal(inventory, [...new Set(inventory)].toSorted());
  // The server renders /search for each request.
  const { files } = await builtDocs();
  const missing = inventory.filter((path) => files[path] === undefined && path !== '/search');
  assert.equal(missing, []);
  for (const path of inventory) {
    const { status, text } = await get(path);
    assert.is(status, 200, path);
    assert.match(text, /<h1>|<h1 /, path);
  }
});

test('a token in the address is not included in redirects, pages or referrers', async () => {
  const query = { token: 'open-sesame', v: '1' };
  const redirect = await service.get('/docs', { query, headers: html });
  assert.equal([redirect.status, redirect.headers['location']], [301, '/open-api?v=1']);
  const reply = await service.get(page, { query, headers: html });
  assert.not.match(reply.text, 'open-sesame');
  assert.is(reply.headers['referrer-policy'], 'strict-origin-when-cross-origin');
  const found = await service.get('/search', { query: { q: 'pdf', ...query }, headers: html });
  assert.not.match(found.text, 'open-sesame');
});

test('every page is also available as Markdown, by URL and by Accept', async () => {
  const twin = await get(`${page}.md`);
  assert.match(twin.headers['content-type'] ?? '', 'text/markdown');
  assert.match(twin.text, /^---\ntitle: "\/pdf"/);
  assert.match(twin.text, '/llms.txt');
  assert.match(twin.text, '```js');
  assert.is((await service.get(page, { headers: { accept: 'text/markdown' } })).text, twin.text);
  assert.match((await get('/index.md')).text, /^---\n/);
});

test('sitemap, robots.txt and llms-full.txt', async () => {
  const sitemap = await get('/sitemap.xml');
  assert.match(
    sitemap.text,
    `<loc>http://127.0.0.1:${service.port}${page}</loc><changefreq>weekly</changefreq><priority>0.5</priority>`,
  );
  assert.not.match(sitemap.text, /\/search<|\/components\/|\/404|\/baas\/v1/);
  assert.match((await get('/robots.txt')).text, 'Allow: /');
  assert.match((await get('/llms-full.txt')).text, '# /pdf');
});

test('search works without JavaScript', async () => {
  const found = await get('/search?q=pdf%20margin');
  const parsed = parsePage(found.text);
  const [first] = parsed.elements('h2').filter((heading) => parsed.text(heading) !== '');
  assert.match(found.text, /\d+ documents found/);
  assert.ok(first !== undefined);
  assert.match(found.text, `href="${page}?_highlight=pdf&amp;_highlight=margin`);
  assert.match(found.text, /<mark>/);
  assert.match((await get('/search?q=xyzzyplugh')).text, 'No results');
  assert.match((await get('/search/')).text, '<h1>Search the documentation</h1>');
  const hostile = await get('/search?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E%22onfocus%3D');
  assert.not.match(hostile.text, '<script>alert');
  assert.match(hostile.text, '&lt;script&gt;');
  assert.is((await get(`/search?q=${'a%20'.repeat(3_000)}`)).status, 200);
});

test('a missing path returns an HTML page to browsers and plain text to programs', async () => {
  const missing = await get('/rest-apis/screnshot');
  assert.is(missing.status, 404);
  assert.match(missing.text, 'Page Not Found');
  assert.match(missing.text, '<a href="/rest-apis/screenshot-api">');
  assert.not.match(missing.text, '/404.md');
  const program = await service.get('/rest-apis/screnshot');
  assert.is(program.status, 404);
  assert.match(program.headers['content-type'] ?? '', 'text/plain');
  const wrongMethod = await get('/screenshot');
  assert.is(wrongMethod.status, 404);
  assert.match(wrongMethod.text, 'accepts POST');
  assert.match((await get('/%3Cscript%3Ealert(1)%3C/script%3E')).text, /^(?![^]*<script>alert)/);
});

test.peer('management and settings');
test('paths outside the documentation return 404', async () => {
  for (const path of [
    '/_docs/../../package.json',
    '/_docs/%2e%2e/manifest.json',
    '/manifest.json',
    '/404',
    '/constructor',
    '/__proto__',
  ]) {
    assert.is((await service.get(path)).status, 404, path);
  }
});

test.proves('DOCS DOCS_NOINDEX DOCS_ANNOUNCEMENT DOCS_ANALYTICS_URL');
test('settings: prefix, canonical URL, announcement, support, noindex, token', async () => {
  const other = await startService({
    env: {
      SPARES: '0',
      EXTERNAL: 'https://browsers.example.org/farm/',
      DOCS_NOINDEX: 'true',
      DOCS_ANNOUNCEMENT: 'Down on <Sunday>',
      DOCS_ANALYTICS_URL: 'https://stats.example.org/hit',
      DOCS: 'token',
      TOKEN: 'open-sesame',
    },
  });
  try {
    assert.is((await other.get(page, { token: null })).status, 401);
    const reply = await other.get(page);
    assert.is(reply.status, 200);
    assert.match(reply.headers['cache-control'] ?? '', 'private');
    assert.match(reply.text, '<link rel="canonical" href="https://browsers.example.org/farm/rest-apis/pdf-api"/>');
    assert.match(reply.text, 'hreflang="x-default"');
    const trail = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(reply.text)?.[1] ?? '';
    const items: { name: string; item?: string }[] = JSON.parse(trail).itemListElement;
    assert.equal(items.at(0), {
      '@type': 'ListItem',
      position: 1,
      name: 'Home',
      item: 'https://browsers.example.org/farm/',
    });
    assert.is(items.at(-1)?.name, '/pdf');
    const card = /property="og:image" content="([^"]*)"/.exec(reply.text)?.[1] ?? '';
    assert.match(card, /^https:\/\/browsers\.example\.org\/farm\/_docs\/card\.\w+\.png$/);
    assert.match(reply.text, 'href="/farm/rest-apis/scrape"');
    assert.not.match(reply.text, /(href|src)="\/(?!farm\/)/);
    assert.match(reply.text, 'Down on &lt;Sunday&gt;');
    assert.match(reply.text, /name="robots" content="noindex"/);
    assert.match(reply.headers['content-security-policy'] ?? '', "connect-src 'self' https://stats.example.org;");
    assert.not.match(reply.text, 'open-sesame');
    assert.match((await other.get('/robots.txt')).text, 'Disallow: /');
    // If reading requires the token, a page with the token in its address is returned without a redirect.
    const there = await other.get('/docs', { query: { token: 'open-sesame' }, token: null, headers: html });
    assert.is(there.status, 200);
    assert.not.match(there.text, 'open-sesame');
  } finally {
    await other.stop();
  }
});

test('fonts and images are the same with every encoding', async () => {
  const { text } = await get('/');
  for (const [pattern, type, start] of [
    [/href="(\/_ui\/geist\.\w+\.woff2)"/, 'font/woff2', 'wOF2'],
    [/src="(\/_docs\/shop\.\w+\.webp)"/, 'image/webp', 'RIFF'],
  ] as const) {
    const path = pattern.exec(text)?.[1] ?? '';
    const plain = await get(path);
    assert.is(plain.headers['content-type'], type);
    assert.is(Buffer.from(plain.bytes.subarray(0, 4)).toString(), start);
    const packed = await get(path, { 'accept-encoding': 'br' });
    assert.ok(Buffer.from(plain.bytes).equals(brotliDecompressSync(packed.bytes)), path);
    assert.match(plain.headers['cache-control'] ?? '', 'immutable');
  }
});

test.peer('management and settings');
test('on a server with a token, pages, their script and the API description do not need it', async () => {
  const guarded = await startService({ env: { TOKEN: 'open-sesame', SPARES: '0' } });
  try {
    const open = async (path: string, type: RegExp) => {
      const reply = await guarded.get(path, { token: null, headers: html });
      assert.is(reply.status, 200, path);
      assert.match(reply.headers['content-type'] ?? '', type);
      return reply.text;
    };
    const script = /src="(\/_docs\/[^"]+\.js)"/.exec(await open('/open-api', /^text\/html/))?.[1];
    await open(script ?? 'no script', /^(text|application)\/javascript/);
    await open('/openapi.json', /^application\/json/);
    assert.is((await guarded.get('/config', { token: null })).status, 401);
  } finally {
    await guarded.stop();
  }
});

test('a page with settings is rendered only once', async () => {
  let made = 0;
  const settings = {
    origin: 'https://browsers.example.org',
    base: '/farm',
    // Read once for each rendered page.
    get noIndex() {
      made++;
      return false;
    },
    needsToken: false,
    secret: false,
    analyticsUrl: undefined,
    supportUrl: undefined,
    announcement: undefined,
    asksModel: false,
    key: '-settings',
  };
  const docs = createDocs(settings, () => Promise.reject(new Error('nobody asks for the status')));
  const ask = async (path: string, encoding = 'identity') => {
    const request = new Request(`http://127.0.0.1${path}`, { headers: { 'accept-encoding': encoding } });
    const answer = await docs.answer({ request, base: 'https://browsers.example.org/farm' });
    assert.ok(answer);
    const bytes = Buffer.from(await answer.arrayBuffer());
    return answer.headers.get('content-encoding') === 'gzip' ? gunzipSync(bytes).toString() : bytes.toString();
  };
  const [first, meanwhile] = await Promise.all([ask(page), ask(page)]);
  const packed = await ask(page, 'gzip');
  assert.match(first, 'href="/farm/rest-apis/scrape"');
  assert.equal([meanwhile, packed], [first, first]);
  assert.is(made, 1);
  assert.is.not(await ask('/rest-apis/scrape'), first);
  assert.is(made, 2);
  await ask('/search?q=pdf');
  await ask('/search?q=scrape');
  assert.is(made, 3);
});

test('the page cache is limited, evicts the least recently used page, and does not keep failures', async () => {
  const pages = new PageCache(2);
  const made: string[] = [];
  const take = (key: string) =>
    pages.get(key, () => {
      made.push(key);
      return Promise.resolve(key);
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await take(key);
  assert.equal(made, ['a', 'b', 'c', 'b']);
  assert.is(gunzipSync(await take('b')).toString(), 'b');
  const failing = await pages.get('d', () => Promise.reject(new Error('gone'))).catch(String);
  assert.is(failing, 'Error: gone');
  assert.is(gunzipSync(await take('d')).toString(), 'd');
});

test('DOCS=off removes the documentation and keeps the other routes', async () => {
  const other = await startService({ env: { DOCS: 'off', SPARES: '0' } });
  try {
    assert.is((await other.get('/', { headers: html })).status, 404);
    assert.is((await other.get('/active')).status, 204);
  } finally {
    await other.stop();
  }
});

test('is served while all slots and the queue are full, without a browser, and while draining', async () => {
  const other = await startService({
    env: { CONCURRENT: '1', QUEUED: '0', SPARES: '0', DRAIN_TIMEOUT_MS: '60000' },
  });
  const leaving = new AbortController();
  const slow = other
    .post('/content', { html: '<h1>slow</h1>', waitForTimeout: 50_000 }, { signal: leaving.signal })
    .catch(() => undefined);
  let stopped: Promise<void> | undefined;
  try {
    const running = async () =>
      (await other.get('/pressure')).json<{ pressure: { running: number } }>().pressure.running;
    await until('the slot to be taken', async () => (await running()) === 1, 30_000);
    assert.is((await other.post('/content', { html: '<h1>refused</h1>' })).status, 429);
    assert.is((await other.get(page, { headers: html })).status, 200);
    stopped = other.stop();
    await until('the server to drain', () => other.logs().some(({ event }) => event === 'stopping'), 30_000);
    assert.is((await other.post('/content', { html: '<h1>refused</h1>' })).status, 503);
    assert.is((await other.get(page, { headers: html })).status, 200);
  } finally {
    leaving.abort();
    await slow;
    await (stopped ?? other.stop());
  }
});

test('is served if no browser is installed', async () => {
  const nowhere = '/nonexistent/browser';
  const other = await startService({
    env: { CHROMIUM_PATH: nowhere, SHELL_PATH: nowhere, CHROME_PATH: nowhere, EDGE_PATH: nowhere, SPARES: '0' },
  });
  try {
    assert.is((await other.get(page, { headers: html })).status, 200);
    assert.is((await other.get('/', { headers: html })).status, 200);
  } finally {
    await other.stop();
  }
});

test('deployment files are served as text, and no other files', async () => {
  for (const name of ['compose.yaml', 'nginx.conf', 'kubernetes/deployment.yaml', 'seccomp.json']) {
    const { status, headers, text } = await get(`/deploy/${name}`);
    assert.is(status, 200, name);
    assert.is(text, readFileSync(join(deploy, name), 'utf8'));
    assert.match(headers['content-type'] ?? '', name.endsWith('.json') ? 'application/json' : 'text/plain');
    assert.is(headers['x-content-type-options'], 'nosniff');
  }
  for (const path of [
    '/deploy/',
    '/deploy/none',
    '/deploy/..%2f..%2fpackage.json',
    '/deploy/kubernetes/%2e%2e/%2e%2e/x',
  ]) {
    assert.is((await get(path)).status, 404, path);
  }
});
