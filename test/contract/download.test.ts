// POST /download: files from sites and scripts; one, several, large ones, and none at all.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import * as assert from 'uvu/assert';
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { startService } from '../support/service.ts';
import { processSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = processSuite('download', {
  env: { TOKEN: 'browserless', EXTERNAL: 'https://nowhere.invalid' },
});

/** For tests with many requests on busy machines. */
const manyCalls = { timeoutMs: 120_000 };

const asCode = { headers: { 'content-type': 'application/javascript' } };
const run = (code: string, query: Record<string, string> = {}): Promise<Reply> =>
  fixture.service.post('/download', code, { ...asCode, query });
/** Code that opens the list of files and clicks some of them. */
const click = (...ids: string[]) => `export default async ({ page }) => {
  await page.goto('${fixture.site.url}/downloads');
  for (const id of ${JSON.stringify(ids)}) await page.click('#' + id);
}`;
const offer = (name: string, text: string, type = '') => `export default async ({ page }) => {
  await page.evaluate((name, text, type) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
  }, ${JSON.stringify(name)}, ${JSON.stringify(text)}, ${JSON.stringify(type)});
}`;

test.after.each(async () => {
  // The owner file of a directory stays a second longer.
  const remains = (path: string) => path.includes('downloads') && !path.endsWith('.owner');
  await until('all files to be removed', () => !fixture.service.leftovers().files.some(remains));
});

test.peer('REST routes');
test.peer('REST routes', 'download: EXTERNAL can be a URL that the server cannot reach');
test('a file from a script is returned with its type and name', async () => {
  const reply = succeeded(await run(offer('hello.txt', 'Hello, file')));
  // The charset of a file is unknown.
  assert.is(reply.headers['content-type'], 'text/plain');
  assert.is(reply.headers['content-disposition'], 'attachment; filename="hello.txt"');
  assert.is(reply.text, 'Hello, file');
});

test.peer('REST routes');
test.peer('REST routes', 'download: EXTERNAL can be an https URL');
test('a file from a site, requested with JSON under each prefix', async () => {
  const reply = succeeded(await fixture.service.post('/download', { code: click('note') }));
  assert.is(reply.text, 'a note of the site\n');
  assert.match(reply.headers['content-disposition'] ?? '', /filename\*=UTF-8''Gr%C3%BC%C3%9Fe\.txt/);
  // The prefixes choose the browser; the rest of the code is the same.
  for (const prefix of ['/chromium', '/chrome']) {
    refused(await fixture.service.post(`${prefix}/download`, {}), 400, 'code');
  }
});

test('?blockAds blocks ads on the pages', async () => {
  const url = `${fixture.site.url.replace('127.0.0.1', 'news.localhost')}/ads`;
  const code = `export default async ({ page }) => {
  await page.goto('${url}');
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([JSON.stringify(document.documentElement.dataset)]));
    link.download = 'seen.json';
    link.click();
  });
}`;
  assert.equal(succeeded(await run(code, { blockAds: 'true' })).json(), { mark: 'by script' });
});

test("concurrent requests do not get each other's files; the type of a file without an extension is detected", async () => {
  const unnamed = (text: string) => run(offer('document', text, 'application/octet-stream'));
  const [pdf, bytes] = await Promise.all([unnamed('%PDF-1.7'), unnamed('a b c')]);
  assert.is(succeeded(pdf, 'application/pdf').text, '%PDF-1.7');
  assert.is(succeeded(bytes, 'application/octet-stream').text, 'a b c');
});

test.differs('`/download` sends one file, without its name');
test('several files are returned as a complete zip with safe names', async () => {
  // The first one completes only after the second has been requested.
  const reply = succeeded(await run(click('held', 'free')), 'application/zip');
  assert.is(reply.headers['content-disposition'], 'attachment; filename="downloads.zip"');
  const entries = await new ZipReader(new BlobReader(new Blob([reply.bytes.slice()]))).getEntries();
  const texts: Record<string, string> = {};
  for (const entry of entries) if (!entry.directory) texts[entry.filename] = await entry.getData(new TextWriter());
  assert.equal(Object.values(texts).toSorted(), ['a,b\n1,2\n', 'held back\n']);
  assert.ok(
    Object.keys(texts).every((name) => !/[/\\]|^\./.test(name)),
    Object.keys(texts).join(' '),
  );
});

test('other contexts that the code creates download to the same directory', async () => {
  const reply = await run(`export default async ({ page }) => {
  const context = await page.browser().createBrowserContext();
  const other = await context.newPage();
  await other.goto('${fixture.site.url}/downloads');
  await other.click('#note');
}`);
  assert.is(succeeded(reply).text, 'a note of the site\n');
});

test('a download path set by the code is ignored', async () => {
  const code = `export default async ({ page }) => {
  const session = await page.createCDPSession();
  await session.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/' });
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/' });
  await page.goto('${fixture.site.url}/downloads');
  await page.click('#note');
}`;
  assert.is(succeeded(await run(code)).text, 'a note of the site\n');
  // Without /download, nothing is written.
  succeeded(await fixture.service.post('/function', code, asCode));
});

test.peer('REST routes');
test('without a complete download, returns a 408 that says why', async () => {
  // Long enough for the code to finish first, also on a slow machine.
  const [nothing, held] = await Promise.all([
    run('export default async () => "nothing"', { timeout: '8000' }),
    run(click('held'), { timeout: '8000' }),
  ]);
  assert.match(refused(nothing, 408).text, /^Request has timed out: the code ended, but no page downloaded anything/);
  assert.match(refused(held, 408).text, /^Request has timed out: the download of ".*held\.txt" was not complete/);
});

test(
  'returns errors for failing code, interrupted downloads, and invalid requests',
  async () => {
    refused(await run('export default () => {\n  throw new Error("boom") }'), 400, 'boom (line 2');
    refused(await run(click('cut')), 500, 'cut.bin', 'was interrupted');
    refused(await fixture.service.post('/download', {}), 400, 'code');
    refused(await fixture.service.post('/download', 'x', { headers: { 'content-type': 'text/plain' } }), 404);
    refused(await fixture.service.post('/download', 'x', { ...asCode, token: 'wrong' }), 401);
  },
  manyCalls,
);

test.proves('MAX_DOWNLOAD_MB');
test.peer('REST routes', 'works without a token, and returns 429 if the server is full');
test(
  'a download larger than MAX_DOWNLOAD_MB is rejected; works without a token',
  async () => {
    await using small = await startService({ env: { MAX_DOWNLOAD_MB: '2', QUEUED: '30', SPARES: '0' } });
    assert.is(succeeded(await small.post('/download', click('note'), asCode)).text, 'a note of the site\n');
    const many = (length: number) =>
      Promise.all(Array.from({ length }, () => small.post('/download', click('large'), asCode)));
    // While a download is canceled, Chromium recreates the directory in one of seven cases.
    for (const each of await many(6)) refused(each, 400, 'MAX_DOWNLOAD_MB', 'large.bin', '8 MB of 2 MB');
    await until('all directories to be gone', () => readdirSync(small.downloadDir).length === 0);
    // The server stops right after these and leaves nothing behind either: stop() checks that.
    for (const each of await many(3)) refused(each, 400, 'MAX_DOWNLOAD_MB');
  },
  manyCalls,
);

test.peer('REST routes', 'works without a token, and returns 429 if the server is full');
test('returns 429 if the server is full', async () => {
  await using full = await startService({ env: { CONCURRENT: '0', QUEUED: '0', SPARES: '0' } });
  refused(await full.post('/download', offer('a.txt', 'full'), asCode), 429, 'Too many requests');
});

const megabytes = 100;
test(
  `${megabytes} MB are streamed without filling the server's memory`,
  async () => {
    const memory = () => {
      const status = readFileSync(`/proc/${fixture.service.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    };
    const before = memory();
    // The page creates the file itself. A file from a site would also pass the server's proxy, and its uncollected
    // garbage would distort the measurement.
    const code = `export default async ({ page }) => {
  await page.evaluate((megabytes) => {
    const megabyte = new Uint8Array(2 ** 20).fill(7);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(Array.from({ length: megabytes }, () => megabyte)));
    link.download = 'large.bin';
    link.click();
  }, ${megabytes});
}`;
    const { promise, resolve, reject } = Promise.withResolvers<{ bytes: number; digest: string; peak: number }>();
    const headers = { ...asCode.headers, authorization: 'Bearer browserless' };
    const call = request(`${fixture.service.url}/download?timeout=100000`, { method: 'POST', headers }, (response) => {
      assert.is(response.statusCode, 200);
      assert.is(response.headers['content-length'], String(megabytes * 2 ** 20));
      const hash = createHash('sha256');
      let bytes = 0;
      let peak = 0;
      response.on('data', (chunk: Buffer) => {
        if (bytes % (16 * 2 ** 20) < chunk.length) peak = Math.max(peak, memory());
        bytes += chunk.length;
        hash.update(chunk);
      });
      response.on('error', reject);
      response.on('end', () => resolve({ bytes, digest: hash.digest('hex'), peak }));
    });
    call.on('error', reject);
    call.end(code);
    const { bytes, digest, peak } = await promise;
    assert.is(bytes, megabytes * 2 ** 20);
    const expected = createHash('sha256');
    for (let megabyte = 0; megabyte < megabytes; megabyte++) expected.update(Buffer.alloc(2 ** 20, 7));
    assert.is(digest, expected.digest('hex'));
    // The runtime's own heap grows while it works, but must not hold the file.
    assert.ok(peak - before < megabytes * 0.8, `from ${before.toFixed(0)} to ${peak.toFixed(0)} MB`);
  },
  { timeoutMs: 120_000 },
);
