// The built documentation without a server: every page in the sidebars, headings, links, anchors, sizes, settings, and
// the Markdown file of each page.
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as assert from 'uvu/assert';
import { didYouMean } from '../../src/web/docs/serve/did-you-mean.ts';
import { parseCurl } from '../../src/web/docs/samples/runnable.ts';
import type { UiManifest } from '../../src/web/pages/serve/ui.ts';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';
import { directRoutes, jobRoutes, uiRoutes } from '../../src/api/routes/table.ts';
import { describeSettings } from '../../src/base/config/config.ts';
import { type ErrorCode, errorTable } from '../../src/base/errors.ts';
import { brotliBytes, builtDocs, builtText, type ParsedPage, parsePage } from '../support/built-docs.ts';
import { pageTexts } from '../support/checks/doc-samples.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation pages', { timeoutMs: 180_000 });
const root = join(import.meta.dirname, '../..');
let docs: DocsManifest;
/** The service's other pages, which serve the fonts. */
let ui: UiManifest;
const pages = new Map<string, ParsedPage>();

test.before(async () => {
  docs = await builtDocs();
  ui = JSON.parse(readFileSync(join(root, 'dist/ui/manifest.json'), 'utf8'));
  for (const path of docs.pages) pages.set(path, parsePage(builtText(docs, path)));
});

const fontsDirectory = join(root, 'src/web/theme/fonts');
const special = /^\/$|^\/(category|components)\/|^\/open-api(\/|$)|^\/bql-schema\//;

test('every content file is built as a page and has its own place in a sidebar', () => {
  const places = new Map<string, string>();
  for (const [path, text] of pageTexts) {
    assert.ok(pages.has(path), `${path} is not built`);
    const found = [...text.matchAll(/^(?:sidebar:| +-) \{ id: (\w+),.* position: (\d+) \}$/gm)];
    assert.ok(found.length > 0 || special.test(path), `the front matter of ${path} has no sidebar`);
    for (const [, id, position] of found) {
      assert.is(places.get(`${id} ${position}`), undefined, `${path} has the place of another page`);
      places.set(`${id} ${position}`, path);
    }
  }
  assert.ok(pages.has('/open-api'));
});

test('every page has one H1, a unique title and description, and enough text', () => {
  const seen = new Set<string>();
  for (const [path, page] of pages) {
    assert.is(page.elements('h1').length, 1, `${path}: not exactly one H1`);
    const [title] = page.elements('title').map(page.text);
    const [description] = page
      .elements('meta')
      .filter((meta) => page.attribute(meta, 'name') === 'description')
      .map((meta) => page.attribute(meta, 'content'));
    for (const text of [title, description]) {
      assert.ok(text !== undefined && text !== '', path);
      assert.not(seen.has(text ?? ''), `${path} repeats "${text}"`);
      seen.add(text ?? '');
    }
    const [article] = page.elements('article');
    const words = article === undefined ? 0 : page.text(article).split(/\s+/).length;
    if (!path.startsWith('/bql-schema/')) assert.ok(words > 60, `${path}: ${words} words`);
    for (const image of page.elements('img'))
      assert.ok('alt' in image.properties, `${path}: an image without alternative text`);
  }
});

test('a page has the same name in the sidebar and in its heading', () => {
  for (const [path, page] of pages) {
    if (special.test(path)) continue;
    const [heading] = page.elements('h1').map(page.text);
    const labels = page
      .elements('a')
      .filter((link) => page.attribute(link, 'ariaCurrent') === 'page' && page.attribute(link, 'href') === path)
      .map(page.text);
    assert.ok(
      labels.includes(heading ?? ''),
      `${path}: "${heading}" on the page, ${JSON.stringify(labels)} in the sidebar`,
    );
  }
});

test('the table of contents lists the headings of a page; on the longest pages, only the groups', () => {
  const tocOf = (path: string) => {
    const page = pages.get(path);
    const [toc] = (page?.elements('nav') ?? []).filter((each) => page?.attribute(each, 'className') === 'toc');
    return new Set(JSON.stringify(toc).match(/"href":"#[^"]+"/g)).size;
  };
  for (const path of ['/overview/faq', '/overview/glossary', '/baas/migrate']) {
    const page = pages.get(path);
    // The article's headings end with a link to themselves: the "#".
    const [groups = 0, entries = 0] = ['h2', 'h3'].map(
      (name) => page?.elements(name).filter((each) => page.text(each).endsWith('#')).length,
    );
    assert.ok(groups > 1 && entries > 1, path);
    assert.is(tocOf(path), groups + entries > 50 ? groups : groups + entries, path);
  }
});

test('ids are unique within a page', () => {
  for (const path of docs.pages) {
    const ids = [...builtText(docs, path).matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
    assert.equal(twice, [], path);
  }
});

test('every link has a target, and every anchor a heading', () => {
  const service = new Set<string>([
    ...[...directRoutes, ...uiRoutes].filter(({ method }) => method === 'GET').map(({ path }) => path),
    ...Object.keys(ui.files),
    '/sitemap.xml',
    '/robots.txt',
    '/search',
  ]);
  const dead: string[] = [];
  for (const [path, page] of pages) {
    const links = [
      ...page.elements('a').map((link) => page.attribute(link, 'href')),
      ...page.elements('link').map((link) => page.attribute(link, 'href')),
      ...[...builtText(docs, `${path === '/' ? '/index' : path}.md`).matchAll(/\]\((\/[^)\s]*)\)/g)].map(
        ([, to = '']) => to,
      ),
    ];
    for (const link of links) {
      if (/^https?:/.test(link) || link === '#') continue;
      const [target = '', hash] = link.split('#');
      const to = target === '' ? path : (target.split('?')[0] ?? '');
      if (docs.files[to] === undefined && !service.has(to)) dead.push(`${path}: ${link}`);
      else if (hash !== undefined && pages.get(to)?.ids.has(decodeURIComponent(hash)) === false) {
        dead.push(`${path}: ${link} (no such heading)`);
      }
    }
  }
  assert.equal(dead, []);
});

test('llms.txt and the redirects lead to pages, without redirect chains', () => {
  for (const [, to = ''] of builtText(docs, '/llms.txt').matchAll(/\]\((\/[^)]*)\)/g)) {
    assert.ok(docs.files[to] !== undefined, `llms.txt: ${to}`);
  }
  assert.ok(builtText(docs, '/llms.txt').length < 50_000);
  for (const [from, to] of Object.entries(docs.redirects)) {
    assert.ok(docs.files[to.split('#')[0] ?? ''] !== undefined, `${from} leads to ${to}`);
    assert.is(docs.redirects[to], undefined, `${from} leads to a redirect`);
    assert.is(docs.files[from], undefined, `${from} is a page`);
  }
  assert.is(docs.redirects['/docs'], '/open-api');
});

test('no route of the service has the path of a page', () => {
  const taken = new Set([...jobRoutes.map(({ name }) => `/${name}`), ...directRoutes.map(({ path }) => path)]);
  for (const path of Object.keys(docs.files)) assert.not(taken.has(path), path);
});

/** The pages of the API reference, one for each group of routes. */
const reference = () => [...pages.entries()].filter(([path]) => path.startsWith('/open-api/')).map(([, page]) => page);

test('the reference lists the fields of JSON responses', () => {
  const codes = new Set(reference().flatMap((page) => page.elements('code').map(page.text)));
  for (const name of ['[].killURL', 'pressure.isAvailable', 'data[].results[].html', 'errors[].message', 'connect']) {
    assert.ok(codes.has(name), name);
  }
});

test('every route is in the reference, and every setting in a table', () => {
  const headings = new Set(
    reference().flatMap((page) => page.elements('h3').map((heading) => page.text(heading).replace(/#$/, ''))),
  );
  for (const { name } of jobRoutes) {
    const ending = `/${name.replace(/:(\w+)/g, '{$1}')}`;
    assert.ok(
      [...headings].some((heading) => heading.startsWith('POST ') && heading.endsWith(ending)),
      name,
    );
  }
  for (const { method, path } of directRoutes) {
    assert.ok(headings.has(`${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`), path);
  }
  const shown = new Set([...pages.values()].flatMap((page) => page.elements('code').map(page.text)));
  for (const { names } of describeSettings()) {
    assert.ok(
      names.every((name) => shown.has(name)),
      `${names.join()} is not in a table: no page shows its group`,
    );
  }
});

/** A lazy script and the scripts that it imports, without the page's own script. */
function scriptsOf(name: string): string[] {
  const first = Object.keys(docs.files).find((path) => path.startsWith(`/_docs/${name}.`)) ?? '';
  const found = new Set([first]);
  for (const path of found) {
    for (const [, file = ''] of builtText(docs, path).matchAll(/["']\.\/([\w.-]+\.js)["']/g)) {
      if (!file.startsWith('main.')) found.add(`/_docs/${file}`);
    }
  }
  return [...found];
}

test('scripts, styles and pages stay within their size limits', () => {
  const script = /src="(\/_docs\/main\.[^"]*)"/.exec(builtText(docs, '/'))?.[1] ?? '';
  const style = /href="(\/_docs\/docs\.[^"]*\.css)"/.exec(builtText(docs, '/'))?.[1] ?? '';
  const inline = /<script>([^]*?)<\/script>/.exec(builtText(docs, '/'))?.[1] ?? '';
  assert.ok(brotliBytes(docs, script) <= 12_000, `${brotliBytes(docs, script)} bytes of script`);
  assert.ok(brotliBytes(docs, style) <= 12_000, `${brotliBytes(docs, style)} bytes of style`);
  assert.ok(inline.length > 0 && inline.length < 2_500, `${inline.length} characters inline`);
  assert.ok(brotliBytes(docs, docs.index) <= 143_000, `${brotliBytes(docs, docs.index)} bytes of index`);
  const worker = Object.keys(docs.files).find((path) => path.startsWith('/_docs/search-worker.')) ?? '';
  assert.ok(brotliBytes(docs, worker) <= 12_000);
  // Scripts loaded on demand: an editor with everything that it imports, without the page's own script.
  for (const [name, limit] of [
    ['bql-editor', 180_000],
    ['code-editor', 180_000],
    ['json-editor', 180_000],
  ] as const) {
    const loaded = scriptsOf(name);
    const bytes = loaded.reduce((sum, path) => sum + brotliBytes(docs, path), 0);
    assert.ok(loaded.length > 1 && bytes <= limit, `${name}: ${bytes} bytes`);
  }
  for (const path of docs.pages) {
    const limit = /^\/(open-api|bql-schema)\//.test(path) ? 60_000 : 30_000;
    assert.ok(brotliBytes(docs, path) <= limit, `${path}: ${brotliBytes(docs, path)} bytes`);
  }
});

test('all pages share two small fonts next to their license; the documentation preloads only the text font', () => {
  const fonts = Object.keys(ui.files).filter((path) => path.endsWith('.woff2'));
  assert.is(fonts.length, 2);
  const css = builtText(docs, Object.keys(docs.files).find((path) => path.startsWith('/_docs/docs.')) ?? '');
  for (const path of fonts) assert.match(css, `url("..${path}")`);
  const sizes = ['geist', 'geist-mono'].map((name) => statSync(join(fontsDirectory, `${name}.woff2`)).size);
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 35_000, sizes.join());
  assert.match(readFileSync(join(fontsDirectory, 'LICENSE'), 'utf8'), 'SIL OPEN FONT LICENSE');
  const asked = [...builtText(docs, '/').matchAll(/rel="preload" as="font"[^>]*href="([^"]*)"/g)].map(
    ([, path]) => path,
  );
  assert.equal(
    asked,
    fonts.filter((path) => !path.includes('mono')),
  );
});

test('every style sheet is part of a bundle', () => {
  const files = globSync('src/web/**/*.css', { cwd: root });
  const texts = [...files, ...globSync('src/{build,web}/**/*.{ts,tsx}', { cwd: root })].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const unused = files.filter((path) => !texts.some((text) => new RegExp(`['/]${basename(path)}'`).test(text)));
  assert.equal(unused, []);
});

test('every CSS variable has a value', () => {
  const style = Object.keys(docs.files).find((path) => path.startsWith('/_docs/docs.')) ?? '';
  const css = builtText(docs, style);
  const unset = [...css.matchAll(/var\((--[\w-]+)/g)].filter(([, name]) => !css.includes(`${name}:`));
  assert.equal([...new Set(unset.map(([, name]) => name))], []);
});

test('the table of statuses contains only the reasons that apply to its route', () => {
  const pdf = pages.get('/rest-apis/pdf-api');
  const rows = (pdf?.elements('div') ?? [])
    .filter((each) => pdf?.attribute(each, 'className') === 'status')
    .map((each) => pdf?.text(each) ?? '');
  const titles = (code: ErrorCode) => errorTable[code].title;
  const row = (status: number) => rows.find((each) => each.startsWith(String(status))) ?? '';
  assert.match(row(404), titles('not-found'));
  assert.not.match(row(404), titles('session-not-found'));
});

test('tabs reference the panels that they control', () => {
  for (const [path, page] of pages) {
    const controls = page
      .elements('button')
      .filter((button) => page.attribute(button, 'role') === 'tab')
      .map((button) => page.attribute(button, 'ariaControls'));
    for (const id of controls) assert.ok(id !== '' && page.ids.has(id), `${path}: ${id}`);
  }
});

test('the Run button is only offered for a single simple request to this server', () => {
  const curl = (rest: string) => parseCurl(`curl --fail-with-body ${rest}`);
  assert.equal(
    curl(`http://localhost:3000/pdf \\\n  -H 'Content-Type: application/json' \\\n  -d '{"a":"it'\\''s"}' -o x.pdf`),
    {
      method: 'POST',
      path: '/pdf',
      headers: { 'Content-Type': 'application/json' },
      body: `{"a":"it's"}`,
    },
  );
  assert.is(curl('http://localhost:3000/pressure')?.method, 'GET');
  assert.is(curl('http://localhost:3000/kill/all'), undefined);
  assert.is(curl('http://localhost:3000/active\ncurl http://localhost:3000/pressure'), undefined);
  assert.is(curl('http://localhost:3000/active | jq .'), undefined);
  assert.is(curl('https://example.com/'), undefined);
  assert.is(curl('http://localhost:3000/content -d @body.json'), undefined);
  assert.is(curl('http://localhost:3000/content -d "$BODY"'), undefined);
});

test('suggests the closest pages for a mistyped path', () => {
  assert.is(didYouMean('/rest-apis/screnshot', docs.pages)[0], '/rest-apis/screenshot-api');
  assert.is(didYouMean('/baas/v1/apis/screnshot', docs.pages)[0], '/baas/v1/apis/screenshot');
  assert.ok(didYouMean('/x'.repeat(3_000), docs.pages).length === 0);
});
