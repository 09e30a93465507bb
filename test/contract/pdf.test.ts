// POST /pdf as existing clients use it.
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { readPdf } from '../support/checks/media.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { startService } from '../support/service.ts';

const { test, fixture } = fixtureSuite('contract: pdf');
const path = '/pdf';

test.peer('REST routes', 'pdf: options.landscape');
test(`${path}: options.landscape`, async () => {
  const reply = await fixture.post(path, { html: '<h1>Wide</h1>', options: { landscape: true } });
  const [page] = (await readPdf(succeeded(reply, 'application/pdf').bytes)).pages;
  assert.ok((page?.width ?? 0) > (page?.height ?? 0));
});

test.peer('REST routes', 'pdf: a viewport with deviceScaleFactor 3');
test(`${path}: viewport with deviceScaleFactor 3`, async () => {
  const viewport = { width: 500, height: 500, deviceScaleFactor: 3 };
  succeeded(await fixture.post(path, { url: `${fixture.site.url}/`, viewport }), 'application/pdf');
});

test.peer('REST routes', 'pdf: html with options.fullPage');
test(`${path}: html with options.fullPage`, async () => {
  const html = '<body style="margin:0"><div style="height:4000px">tall</div></body>';
  const reply = await fixture.post(path, { html, options: { fullPage: true } });
  const { pages } = await readPdf(succeeded(reply, 'application/pdf').bytes);
  assert.is(pages.length, 1);
  assert.ok(Math.abs((pages[0]?.height ?? 0) - 3_000) < 5, `4000 px are 3000 pt, got ${pages[0]?.height}`);
});

for (const other of [{ height: 500 }, { format: 'A4' }]) {
  test.peer('REST routes', 'pdf: fullPage with height or format is a 400 with the documented message, in JSON');
  test(`${path}: fullPage with ${Object.keys(other)[0]}`, async () => {
    const body = { html: '<h1>x</h1>', options: { fullPage: true, ...other } };
    const reply = await fixture.refuse(path, body, 400);
    assert.is(
      reply.json<{ error: string }>().error,
      '"fullPage" option cannot be used with "height" or "format" options.',
    );
    assert.match(reply.headers['content-type'] ?? '', /^application\/json/);
  });
}

test.proves('MAX_PAYLOAD_SIZE');
test.peer('REST routes');
test('a body larger than MAX_PAYLOAD_SIZE returns a 400 that names the limit', async () => {
  await using small = await startService({ env: { MAX_PAYLOAD_SIZE: '100', SPARES: '0' } });
  const reply = await small.post('/pdf', { html: 'x'.repeat(200) });
  refused(reply, 400, '100', /exceeds maximum allowed size/);
  refused(await small.post('/pdf', { html: '<h1>fits</h1>' }), 200);
});

test.peer('REST routes', 'pdf: the type is exactly application/pdf');
test('the response has no charset and no Content-Disposition', async () => {
  const reply = succeeded(await fixture.post('/pdf', { html: '<h1>x</h1>' }), 'application/pdf');
  assert.is(reply.headers['content-disposition'], undefined);
});

test('succeeds if Accept lists the type', async () => {
  const headers = { accept: 'text/html,application/pdf' };
  succeeded(await fixture.service.post('/pdf', { html: '<h1>x</h1>' }, { headers }), 'application/pdf');
});

test('returns 404 if Accept lists only a different type', async () => {
  const headers = { accept: 'image/png' };
  refused(await fixture.service.post('/pdf', { html: '<h1>x</h1>' }, { headers }), 404, /^Not Found/);
});

test('a document of 200 pages arrives complete', async () => {
  const reply = await fixture.post('/pdf', { url: `${fixture.site.url}/pages/200` });
  const { pages } = await readPdf(succeeded(reply, 'application/pdf').bytes);
  assert.is(pages.length, 200);
  assert.match(pages[199]?.text ?? '', /Page 200/);
});

const engines: Record<string, string>[] = [
  {},
  { launch: '{"headless":true}' },
  { launch: '{"headless":false}' },
  { stealth: 'true' },
];
for (const query of engines) {
  test(`${path}?${new URLSearchParams(query).toString()}: a page and a frame that call print()`, async () => {
    const html = `<p>page</p><iframe srcdoc="<p>frame</p><script>print()</script>"></iframe><script>print()</script>`;
    const reply = await fixture.post(path, { html }, query);
    const { pages } = await readPdf(succeeded(reply, 'application/pdf').bytes);
    assert.is(pages.length, 1);
    assert.match(pages[0]?.text ?? '', /page\s*frame/);
  });
}
