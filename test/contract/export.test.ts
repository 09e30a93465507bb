// /export: pages as HTML, other URLs as files, pages with all their resources.
// @runs binary
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PNG } from 'pngjs';
import { parse } from 'content-disposition';
import * as assert from 'uvu/assert';
import { describesResponse, namesField, refused, succeeded } from '../support/checks/expect.ts';
import { startService } from '../support/service.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { unzip, writeFiles } from '../support/checks/unzip.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { test, fixture } = fixtureSuite('export', { env: { ALLOW_FILE_PROTOCOL: 'true', TOKEN: 'browserless' } });
const folder = temporaryDirectory();

const at = (path: string) => `${fixture.site.url}${path}`;
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

async function exported(path: string, fields: Record<string, unknown> = {}): Promise<Map<string, Uint8Array>> {
  const reply = await fixture.post('/export', { url: at(path), includeResources: true, ...fields });
  assert.is(reply.headers['content-type'], 'application/zip');
  return unzip(reply.bytes);
}

test('returns the HTML as it is after scripts have run', async () => {
  const reply = await fixture.post('/export', { url: at('/js') });
  succeeded(reply, 'text/html; charset=UTF-8');
  assert.is(reply.headers['content-disposition'], undefined);
  assert.match(reply.text, '<p id="out">scripted</p>');
  describesResponse(reply, at('/js'));
});

test.proves('export:headers');
test('supports waits, headers, and other fields of the page routes', async () => {
  const { text: html } = await fixture.post('/export', {
    url: at('/late'),
    waitForSelector: { selector: '.late' },
    headers: { 'X-One': 1 },
    setExtraHTTPHeaders: { 'X-Two': 'two' },
    gotoOptions: { waitUntil: 'networkidle0' },
    bestAttempt: true,
  });
  assert.match(html, 'arrived</p>');
  const { headers } = await fixture.site.waitForRequest('/late');
  assert.equal([headers['x-one'], headers['x-two']], ['1', 'two']);
});

test.proves('export:blockConsentModals');
test("blockConsentModals rejects the page's consent dialog", async () => {
  const body = { url: at('/consent/onetrust') };
  assert.match((await fixture.post('/export', body)).text, 'id="onetrust-banner-sdk"');
  const { text: html } = await fixture.post('/export', { ...body, blockConsentModals: true });
  assert.not.match(html, 'id="onetrust-banner-sdk"');
});

test('an image, JSON, and a download are returned unchanged, with their names', async () => {
  const image = await fixture.post('/export', { url: at('/images/blue-50x40.png') });
  assert.is(image.headers['content-type'], 'image/png');
  assert.is(image.headers['content-disposition'], 'attachment; filename="blue-50x40.png"');
  assert.is(PNG.sync.read(Buffer.from(image.bytes)).width, 50);
  const json = await fixture.post('/export', { url: at('/json') });
  assert.is(json.headers['content-type'], 'application/json');
  assert.ok(json.json());
  const file = await fixture.post('/export', { url: at('/download'), includeResources: true });
  assert.match(file.headers['content-disposition'] ?? '', /^attachment; filename="/);
  assert.is(fixture.site.requests.filter(({ path }) => path === '/download').length, 1);
});

test.proves('ALLOW_FILE_PROTOCOL');
test('a file that ends before its announced length is not passed off as complete', async () => {
  const error = await fixture.service.post('/export', { url: at('/files/cut.bin') }).then(String, (problem) => problem);
  assert.instance(error, Error);
});

test('follows a redirect to a file', async () => {
  const reply = await fixture.post('/export', { url: at('/redirect?to=/images/red-30x20.png') });
  assert.is(reply.headers['content-disposition'], 'attachment; filename="red-30x20.png"');
});

/** Links point to the exported files or to the site. */
function checkLinks(files: Map<string, Uint8Array>): void {
  const html = text(files.get('index.html'));
  assert.match(html, `href="${at('/small')}"`);
  assert.match(html, 'href="#here"');
  assert.match(html, /<link rel="stylesheet" href="resources\/\d+-stil-%C3%BC\.css">/);
  assert.not.match(html, /rel="preload"|<base/);
  const sheet = text([...files].find(([name]) => name.endsWith('stil-ü.css'))?.[1]);
  assert.match(sheet, /@import url\("\d+-deeper\.css"\)/);
  assert.match(sheet, /src: url\("\d+-own\.ttf"\)/);
  assert.match(sheet, '/* url(not-an-address.png) */');
  assert.match(sheet, 'content: "url(neither)"');
}

test('a file keeps the name that its site gave it', async () => {
  const nameFor = async (disposition: string) => {
    const query = new URLSearchParams({ type: 'text/csv', header: `Content-Disposition: ${disposition}` });
    const reply = await fixture.post('/export', { url: `${fixture.site.url}/answer?${query}` });
    return parse(reply.headers['content-disposition'] ?? '').parameters['filename'];
  };
  const long = `${'長い名前'.repeat(20)}.csv`;
  for (const name of ['Q3 report (final), v2.csv', '請求書 2026年.csv', "it's 100 % & more.csv", long]) {
    assert.is(await nameFor(`attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`), name);
  }
  assert.is(await nameFor('attachment; filename="../../etc/pass\\\\wd"'), '__.._etc_pass_wd.csv');
  assert.is(await nameFor('attachment; filename=".htaccess"'), '_htaccess.csv');
  assert.is(await nameFor('attachment; filename="report"'), 'report.csv');
});

for (const [path, expected] of [
  ['/shop/', ['own.ttf', 'größe-图.png', 'stil-ü.css', 'deeper.css', 'imported.css', 'green-400x300.png']],
  ['/gallery', ['frame-1.html', 'red-100x80.png', 'blue-100x80.png', 'red.css']],
  ['/app', ['yellow-20x20.png', 'cyan-90x40.png']],
] as const) {
  test(`${path}: opens offline and looks the same`, async () => {
    const shot = async (url: string) => {
      const body = { url, scrollPage: true, options: { fullPage: true } };
      return PNG.sync.read(Buffer.from((await fixture.post('/screenshot', body)).bytes));
    };
    const asked = () =>
      fixture.site.requests
        .map(({ path: one, query }) => `${one}?${query}`)
        .filter((one) => one !== '/favicon.ico?')
        .toSorted();
    const original = await shot(at(path));
    const requestedByPage = asked();
    fixture.site.clear();
    const files = await exported(path);
    if (path === '/shop/') checkLinks(files);
    assert.equal(asked(), requestedByPage, 'nothing is fetched beyond what the page itself requests');
    const names = [...files.keys()];
    for (const name of expected)
      assert.ok(
        names.some((one) => one.endsWith(name)),
        `${name} is not in ${names.join(', ')}`,
      );
    const target = join(folder, path.replaceAll('/', ''));
    writeFiles(files, target);
    fixture.site.clear();
    const copy = await shot(pathToFileURL(join(target, 'index.html')).href);
    assert.equal(fixture.site.requests, [], 'the copy makes no requests to the site');
    assert.equal([copy.width, copy.height], [original.width, original.height]);
    let differing = 0;
    for (let pixel = 0; pixel < original.data.length; pixel += 4) {
      if (original.data.readUInt32BE(pixel) !== copy.data.readUInt32BE(pixel)) differing++;
    }
    assert.ok(differing <= (original.width * original.height) / 1_000, `${differing} pixels differ`);
  });
}

test.proves('export:includeResources');
test('the zip is named after the site; scripts are included but do not run again', async () => {
  const reply = await fixture.post('/export', { url: at('/network'), includeResources: true });
  assert.is(reply.headers['content-disposition'], 'attachment; filename="127.0.0.1.zip"');
  describesResponse(reply, at('/network'));
  const files = await unzip(reply.bytes);
  const html = text(files.get('index.html'));
  assert.match(html, /<script src="resources\/\d+-mark\.js">/);
  assert.match(html, `content="script-src 'none'"`);
  assert.ok([...files.keys()].some((name) => name.endsWith('mark.js')));
});

test('rejects invalid bodies', async () => {
  for (const prefix of ['', '/chromium', '/chrome']) {
    namesField(await fixture.service.post(`${prefix}/export`, { includeResources: true }), 'url');
  }
  namesField(await fixture.service.post('/export', { url: at('/'), html: '<p>' }), 'html');
  namesField(await fixture.service.post('/export', { url: at('/'), includeResources: 'perhaps' }), 'includeResources');
  refused(await fixture.service.post('/export', { url: 'chrome://version' }), 403, 'chrome:');
  refused(await fixture.service.post('/export', { url: 'not an address' }), 400, 'url');
});

test('returns errors for pages that cannot be exported and for invalid requests', async () => {
  await fixture.refuse('/export', { url: fixture.site.refusingUrl }, 500, 'Could not reach');
  await fixture.refuse('/export', { url: at('/status/204') }, 400, '204');
  refused(await fixture.service.post('/export', { url: at('/hang') }, { query: { timeout: 500 } }), 408);
  refused(await fixture.service.post('/export', { url: at('/') }, { token: null }), 401);
  refused(await fixture.service.get('/export'), 404);
});

test('returns 429 if the server is full', async () => {
  await using full = await startService({ env: { CONCURRENT: '0', QUEUED: '0', SPARES: '0' } });
  refused(await full.post('/export', { url: at('/') }), 429, 'Too many requests');
});

test('a client that disconnects during a transfer leaves no connection open', async () => {
  const abort = new AbortController();
  const call = fixture.service.post('/export', { url: at('/export-endless') }, { signal: abort.signal });
  await fixture.site.waitForRequest('/export-endless');
  abort.abort(new Error('left'));
  await call.then(
    () => assert.unreachable('the aborted request resolved'),
    () => undefined,
  );
  await fixture.site.waitForConnections(0);
});
