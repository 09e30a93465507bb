// The server bundle, dist/server: lazily loaded code, files and code that runs inside pages work as they do from the
// sources. Run a whole test file on the bundle with BROWSERD_MAIN=dist/server/main.js.
// @tier ci
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import * as assert from 'uvu/assert';
import { buildServer } from '../../src/build/server.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { unzip } from '../support/checks/unzip.ts';
import { connectPlaywright, screenshotWorks, version } from '../support/clients/playwright.ts';
import { runMain, runsBinary, startProcess } from '../support/service.ts';
import { processSuite } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '..', '..');
const main = 'dist/server/main.js';
await buildServer(root);

const { test, fixture } = processSuite('server bundle', { main, env: { TIMEOUT: '180000', TOKEN: 'browserless' } });
const at = (path: string) => `${fixture.site.url}${path}`;

test('prints its usage', async () => {
  const { code, output } = await runMain({ main, args: ['--help'] });
  assert.is(code, 0);
  assert.match(output, 'CONCURRENT');
});

test('prints the licenses of its contents', async () => {
  const { code, output } = await runMain({ main, args: ['--licenses'] });
  assert.is(code, 0);
  // One of each kind: a package of the server, of a page, of an archive, plus the fonts and the runtime.
  for (const name of ['hono', 'react-dom', 'playwright-core', '@sparticuz/chromium', 'Geist', 'Node.js']) {
    assert.match(output, new RegExp(`^=+\n${name}[ :]`, 'm'), name);
  }
  assert.match(output, 'Permission is hereby granted');
});

test('page routes: screenshot, PDF, content, Markdown, elements, archive', async () => {
  const screenshot = succeeded(await fixture.post('/screenshot', { url: at('/small'), selector: 'h1' }), 'image/png');
  assert.ok(PNG.sync.read(Buffer.from(screenshot.bytes)).width > 0);
  succeeded(await fixture.post('/pdf', { url: at('/small') }), 'application/pdf');
  assert.match(succeeded(await fixture.post('/content', { url: at('/js'), blockAds: true })).text, 'scripted');
  const markdown = await fixture.post('/markdown', { html: '<h1>A</h1><main><p>b</p></main>', onlyMainContent: true });
  assert.match(succeeded(markdown).text, 'b');
  const scraped = await fixture.post('/scrape', { url: at('/small'), elements: [{ selector: 'h1' }] });
  assert.match(succeeded(scraped).text, 'Small');
  const archive = await fixture.post('/export', { url: at('/small'), includeResources: true });
  assert.ok((await unzip(succeeded(archive, 'application/zip').bytes)).size > 0);
});

test('code: returns values and bytes', async () => {
  const code =
    'export default async ({ page }) => { await page.setContent("<title>t</title>"); return page.title(); };';
  assert.match(succeeded(await fixture.post('/function', { code })).text, 't');
  const bytes = 'export default async ({ page }) => page.screenshot();';
  succeeded(await fixture.post('/function', { code: bytes }), 'image/png');
});

test('BrowserQL: steps in a page, an invalid document, patterns in their worker thread, the schema', async () => {
  const ask = (query: string) => fixture.service.post('/chromium/bql', { query });
  const done = await ask(`mutation {
    goto(url: "${at('/small')}") { status } text(selector: "h1") { text } html(clean: { removeAttributes: true }) { html } }`);
  const { data, errors } = done.json<{ data: Record<string, Record<string, unknown>>; errors?: unknown }>();
  assert.is(errors, undefined);
  assert.is(data['goto']?.['status'], 200);
  assert.is(data['text']?.['text'], 'Small');
  refused(await ask('mutation { nothing }'), 400);
  // With a lookahead, so that it runs in the worker thread.
  const rejectRequestPattern = ['(?=.*/event)never|event'];
  assert.match(succeeded(await fixture.post('/content', { url: at('/small'), rejectRequestPattern })).text, 'Small');
  assert.match(succeeded(await fixture.service.get('/bql/schema.graphql')).text, 'type Mutation');
});

test('Playwright: the oldest and the newest version', async () => {
  for (const minor of ['1.50', '1.65']) {
    await using browser = await connectPlaywright(
      fixture.service,
      '/chromium/playwright',
      { token: 'browserless' },
      version(minor),
    );
    const page = await browser.newPage();
    await page.goto(at('/small'));
    assert.ok(await screenshotWorks(page), minor);
  }
});

test(
  'runs an audit in its own process',
  async () => {
    const config = { extends: 'lighthouse:default', settings: { onlyAudits: ['document-title'] } };
    const reply = succeeded(await fixture.post('/performance', { url: at('/small'), config }));
    const { data } = reply.json<{ data: { audits: Record<string, { score: number | null }> } }>();
    assert.is(data.audits['document-title']?.score, 1);
  },
  { timeoutMs: 180_000 },
);

if (runsBinary) {
  test('a client that disconnects while Lighthouse is being unpacked does not leave a partial copy', async () => {
    const cache = temporaryDirectory();
    await using service = await startProcess({ env: { CACHE_DIR: cache, SPARES: '0' } });
    const packs = () => readdirSync(cache).flatMap((name) => (name === 'packs' ? readdirSync(join(cache, name)) : []));
    const leaving = new AbortController();
    const left = service.post('/performance', { url: at('/small') }, { signal: leaving.signal }).catch(() => undefined);
    await until('unpacking to start', () => packs().length > 0);
    leaving.abort();
    await left;
    await until('the complete copy', () => packs().length === 1 && /^lighthouse-[\da-f]{12}$/.test(packs()[0] ?? ''));
  });
}

test('serves the documentation and the protocol', async () => {
  assert.match(succeeded(await fixture.service.get('/', { headers: { accept: 'text/html' } })).text, /<html/);
  assert.match(succeeded(await fixture.service.get('/json/protocol')).text, '"domain"');
});
