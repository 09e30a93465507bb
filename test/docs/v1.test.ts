// The pages about version 1: they all have the same format, are not in the sitemap and rank last in search, and what
// their tables say about old requests and settings matches the server's behavior.
import * as assert from 'uvu/assert';
import { ignoredNames } from '../../src/base/config/ignored.ts';
import { describeSettings } from '../../src/base/config/config.ts';
import { loadIndex, search } from '../../src/web/docs/search/engine.ts';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';
import { builtDocs, builtText, type ParsedPage, parsePage } from '../support/built-docs.ts';
import { pageTexts } from '../support/checks/doc-samples.ts';
import { handshake } from '../support/clients/clients.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation of version 1', { timeoutMs: 180_000 });
let docs: DocsManifest;
let service: Service;

test.before(async () => {
  docs = await builtDocs();
  service = await startService();
});
test.after(() => stopAll(service));

const root = '/baas/v1/';
const isOld = (path: string) => path.startsWith(root);
const pageOf = (path: string): ParsedPage => parsePage(builtText(docs, path));

/** The rows of a page's table "Old and new". */
function changesOf(path: string): [before: string, now: string][] {
  const [, table = ''] = /^<Changes>\n([^]*?)^<\/Changes>$/m.exec(pageTexts.get(path) ?? '') ?? [];
  const rows = [...table.matchAll(/^\| (.*?) +\| (.*?) +\|$/gm)].map(([, before = '', now = '']): [string, string] => [
    before,
    now,
  ]);
  // The first two rows are the header and the line below it.
  return rows.slice(2);
}

test('there are 49 pages, each with a table, and each links to a current page', () => {
  const written = [...pageTexts].filter(([path]) => isOld(path));
  assert.is(written.length, 49);
  for (const [path, text] of written) {
    const [, next = ''] = /^<VersionOne>\[.+\]\((.+)\)<\/VersionOne>$/m.exec(text) ?? [];
    assert.ok(docs.pages.includes(next) && !isOld(next), `${path}: ${next}`);
    const changes = changesOf(path);
    assert.ok(changes.length > 2, path);
    assert.is(new Set(changes.map(([before]) => before)).size, changes.length, `${path} repeats a row`);
  }
});

test('all have the same format: a note, what it was, a current sample, a table', () => {
  for (const [path, text] of pageTexts) {
    if (!isOld(path)) continue;
    assert.match(text, /^```\w+ .*mode="(ci|installed)"/m, `${path} has no sample that runs`);
    const page = pageOf(path);
    const [article] = page.elements('article');
    const headings = page
      .elements('h2')
      .map(page.text)
      .filter((heading) => heading.endsWith('#'));
    assert.equal(headings, ['What it was#', 'What to send today#', 'Old and new#'], path);
    assert.match(article === undefined ? '' : page.text(article), 'Version 1 is deprecated', path);
    const robots = page.elements('meta').filter((meta) => page.attribute(meta, 'name') === 'robots');
    assert.match(robots.map((meta) => page.attribute(meta, 'content')).join(), 'noindex', path);
  }
});

test('the guides menu lists version 1 only on its own pages', () => {
  const menuOf = (path: string) => {
    const page = pageOf(path);
    const [menu] = page.elements('ul').filter((list) => page.attribute(list, 'id') === 'menu-guides');
    const [face] = page.elements('span').filter((span) => 'dataFace' in span.properties);
    return { entries: menu === undefined ? '' : page.text(menu), face: face === undefined ? '' : page.text(face) };
  };
  for (const path of docs.pages.filter(isOld)) {
    const { entries, face } = menuOf(path);
    assert.match(entries, 'BaaS V1 (Deprecated)', path);
    assert.is(face, 'BaaS V1', path);
  }
  for (const path of ['/', '/baas/start', '/bql-schema/schema', '/open-api']) {
    assert.not.match(menuOf(path).entries, 'V1', path);
  }
});

test('the start page is in the sidebar of version 2, and has its own sidebar', () => {
  const sidebarOf = (path: string) => {
    const page = pageOf(path);
    const [nav] = page.elements('nav').filter((each) => page.attribute(each, 'className').includes('sidebar'));
    return JSON.stringify(nav ?? '');
  };
  assert.match(sidebarOf('/baas/start'), `"${root}start"`);
  assert.not.match(sidebarOf('/baas/start'), `"${root}apis/pdf"`);
  assert.match(sidebarOf(`${root}start`), `"${root}apis/pdf"`);
});

test('the sitemap does not contain the pages, and the root redirects to the start page', async () => {
  const { text } = await service.get('/sitemap.xml');
  assert.match(text, '/baas/start');
  assert.not.match(text, '/baas/v1');
  assert.is(docs.redirects['/baas/v1'], `${root}start`);
});

test('search indexes only their first sentences, ranked after current pages', async () => {
  const json = builtText(docs, docs.index);
  const index = await loadIndex(json);
  for (const { path, sections } of index.pages) {
    if (isOld(path)) assert.is(sections.length, 1, path);
    if (!path.startsWith('/contributing/')) continue;
    for (const [, heading, , code] of sections) assert.is(code, '', `${path} ${heading}`);
  }
  const first = (query: string) => search(index, query, 8).hits[0]?.url;
  for (const query of ['screenshot', 'pdf', 'kill session', 'puppeteer', 'scrapy', 'user agent', 'webhooks']) {
    assert.not.match(first(query) ?? '', root, query);
  }
  assert.ok(
    search(index, 'workspace v1', 8)
      .hits.slice(0, 4)
      .some(({ url }) => url === `${root}apis/workspace`),
  );
  assert.is(first('capybara'), `${root}libraries/capybara`);
});

test('the table of version 1 settings matches what they do now', () => {
  const names = new Map(describeSettings().flatMap(({ option, names: given }) => given.map((name) => [name, option])));
  for (const [before, now] of changesOf(`${root}docker/config`)) {
    for (const [, name = ''] of before.matchAll(/`([A-Z_]+)`/g)) {
      if (now.startsWith('no effect')) {
        assert.ok(name in ignoredNames, `${name} is not reported at startup`);
        assert.not(names.has(name), `${name} has an effect`);
        continue;
      }
      assert.ok(names.has(name), `${name} is not a setting`);
      const [, newer] = /new name `([A-Z_]+)`/.exec(now) ?? [];
      if (newer !== undefined) assert.is(names.get(newer), names.get(name), `${name} and ${newer}`);
    }
  }
});

const html = '<h1>Old</h1>';
/** What version 1 clients send, and the response. */
const requests: readonly [page: string, path: string, body: Record<string, unknown>, status: number, says: RegExp][] = [
  ['apis/content', '/content', { html, waitFor: 'h1' }, 400, /waitFor\\" is not/],
  ['apis/content', '/content', { html, waitForSelector: { selector: 'h1' } }, 200, /Old/],
  ['apis/content', '/content', { html, waitForTimeout: 1 }, 200, /Old/],
  ['apis/content', '/content', { html, waitForFunction: { fn: '() => true' } }, 200, /Old/],
  ['apis/pdf', '/pdf', { html, emulateMedia: 'screen' }, 400, /emulateMedia\\" is not/],
  ['apis/pdf', '/pdf', { html, emulateMediaType: 'screen' }, 200, /^%PDF/],
  ['apis/pdf', '/pdf', { html, safeMode: true }, 400, /safeMode\\" is not/],
  ['apis/pdf', '/pdf', { html, rotate: 90 }, 400, /rotate\\" is not/],
  ['apis/screenshot', '/screenshot', { html, manipulate: { rotate: 90 } }, 400, /manipulate\\" is not/],
  ['apis/screenshot', '/screenshot', { html, options: { path: 'x.png' } }, 400, /options\.path/],
  ['apis/scrape', '/scrape', { html, elements: [{ selector: 'h1' }], debug: {} }, 400, /debug\\" is not/],
  ['apis/scrape', '/scrape', { html, elements: [{ selector: 'h1' }], debugOpts: { console: true } }, 200, /"debug"/],
  ['apis/function', '/function', { code: 'module.exports = async () => 1' }, 400, /module is not defined/],
  ['apis/function', '/function', { code: 'export default async () => 1', detached: true }, 400, /detached\\" is not/],
  [
    'apis/function',
    '/function',
    { code: 'export default () => ({ data: { a: 1 }, type: "application/json" })' },
    200,
    /"data"/,
  ],
  ['apis/stats', '/stats', { url: 'http://127.0.0.1/' }, 404, /no route/],
  ['apis/screencast', '/screencast', { code: '' }, 404, /no route/],
  ['apis/workspace', '/workspace', {}, 404, /no route/],
  ['libraries/selenium', '/webdriver', {}, 404, /no route/],
  ['libraries/selenium', '/wd/hub/session', {}, 404, /no route/],
  [
    'options/chrome-flags',
    '/content?--lang=fr',
    { html: '<script>document.write(navigator.language)</script>' },
    200,
    /fr</,
  ],
  ['options/chrome-flags', '/content?--user-data-dir=/any/path', { html }, 400, /userDataDir/],
  [
    'options/chrome-flags',
    '/content?stealth&blockAds&ignoreHTTPSErrors&ignoreDefaultArgs&trackingId=v1&timeout=20000',
    { html },
    200,
    /Old/,
  ],
  [
    'recipes/setting-a-user-agent',
    '/content?--user-agent=Old/1',
    { html: '<script>document.write(navigator.userAgent)</script>' },
    200,
    /Old\/1/,
  ],
];

test.needs('a full Chromium');
test('version 1 requests get the response described on their page', async () => {
  for (const [page, path, body, status, says] of requests) {
    const reply = await service.post(path, body);
    assert.is(reply.status, status, `${page}: ${path} ${JSON.stringify(body)}: ${reply.text.slice(0, 300)}`);
    assert.match(reply.text, says, `${page}: ${path} ${JSON.stringify(body)}`);
    for (const name of Object.keys(body).filter((each) => reply.text.includes(`${each}\\" is not`))) {
      assert.ok(
        changesOf(root + page).some(([before]) => before.includes(`\`${name}`)),
        `${page} does not mention ${name}`,
      );
    }
  }
});

test('version 1 parameters without effect are listed in a header', async () => {
  const { headers } = await service.post('/content?keepalive=1000', { html });
  assert.is(headers['x-ignored-parameters'], 'keepalive');
});

test('the version 1 path for Playwright no longer exists', async () => {
  const { status } = await handshake(service, '/playwright');
  assert.is(status, 404);
});
