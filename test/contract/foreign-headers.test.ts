// Text from a site, a file name, code or a client must never break a response: malformed percent escapes in paths, and
// text that is not allowed in a header.
import { createServer, type Server } from 'node:net';
import * as assert from 'uvu/assert';
import { handshake } from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('foreign headers');

/** A site that writes response headers as raw bytes, because no HTTP library would send them. */
let raw: Server;
let rawUrl = '';
const heads: Record<string, string> = {
  '/latin': 'HTTP/1.1 200 OK\r\nContent-Type: application/x-\xff\xe9\r\n',
  '/wide': `HTTP/1.1 200 OK\r\nContent-Type: application/x-${Buffer.from('図😀').toString('latin1')}; a=b\r\n`,
  '/parameter': `HTTP/1.1 200 OK\r\nContent-Type: application/pdf; name=${Buffer.from('図').toString('latin1')}\r\n`,
  '/control': 'HTTP/1.1 200 OK\r\nContent-Type: application/x\x01\x07y\r\n',
  '/long': `HTTP/1.1 200 OK\r\nContent-Type: application/x-${'y'.repeat(100_000)}\r\n`,
  '/name': `HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="${'n'.repeat(20_000)}\x01.pdf"\r\n`,
  '/status': `HTTP/1.1 200 ${Buffer.from('図😀').toString('latin1')}\x01${'s'.repeat(20_000)}\r\nContent-Type: text/html\r\n`,
};

test.before(async () => {
  raw = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (chunk: Buffer) => {
      const path = /^GET (\S+)/.exec(chunk.toString('latin1'))?.[1] ?? '';
      const head = heads[path] ?? 'HTTP/1.1 404 Not Found\r\n';
      socket.end(Buffer.from(`${head}Content-Length: 5\r\nConnection: close\r\n\r\nbytes`, 'latin1'));
    });
  });
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  const address = raw.address();
  rawUrl = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
});
test.after(() => void raw.close());

const broken = ['%ff', '%E0%A4%A', '%', '%zz', '%c3%28'];

test.peer('parameters and errors');
test('every endpoint returns 400 for a path with a malformed escape', async () => {
  const calls = [
    ...['/chromium/bql', '/chrome/bql', '/stealth/bql', '/session/bql'].map((path) => ({ path, method: 'POST' })),
    ...['/session', '/kill'].map((path) => ({ path, method: 'DELETE' })),
    ...['/kill', '/reconnect', '/json', ''].map((path) => ({ path, method: 'GET' })),
    { path: '/json/new', method: 'PUT' },
  ];
  for (const { path, method } of calls) {
    for (const part of broken) {
      const body = { method, headers: { 'content-type': 'application/json' } };
      const reply =
        method === 'POST'
          ? await fixture.service.post(`${path}/${part}`, { query: '{ version }' })
          : await fixture.service.get(`${path}/${part}`, body);
      refused(reply, 400, 'cannot be decoded', '%25');
    }
  }
});

test.peer('parameters and errors');
test('every socket returns 400 for a path with a malformed escape', async () => {
  const paths = ['/reconnect', '/devtools/browser', '/devtools/page', '/function/connect', '/session/connect'];
  for (const path of [...paths, '/session/bql', '/chromium/bql', '']) {
    for (const part of broken) {
      const { status, text } = await handshake(fixture.service, `${path}/${part}`);
      assert.is(status, 400, `${path}/${part}: ${status} ${text}`);
      assert.match(text, 'cannot be decoded');
    }
  }
});

test.peer('parameters and errors');
test('valid escapes are still decoded', async () => {
  refused(await fixture.service.post('/chromium/bql/%C3%A4', { query: '{ version }' }), 404, 'ä');
  assert.is((await handshake(fixture.service, '/reconnect/%C3%A4')).status, 404);
});

test('an exported file has a type that is valid in a header', async () => {
  const rows: [path: string, type: string][] = [
    // Text that is not UTF-8 is lost in the browser.
    ['/latin', 'application/x-'],
    ['/wide', 'application/octet-stream'],
    ['/parameter', 'application/pdf'],
    ['/control', 'application/octet-stream'],
    ['/long', 'application/octet-stream'],
  ];
  for (const [path, type] of rows) {
    const reply = succeeded(await fixture.service.post('/export', { url: `${rawUrl}${path}` }), type);
    assert.is(reply.text, 'bytes', path);
  }
});

test('a long name is shortened but keeps its extension', async () => {
  const reply = succeeded(await fixture.service.post('/export', { url: `${rawUrl}/name` }), 'application/pdf');
  const name = reply.headers['content-disposition'] ?? '';
  assert.ok(name.length < 1_000, `${name.length} characters`);
  assert.match(name, /^attachment; filename="n+[^"]*\.pdf"$/);
});

test("a downloaded file's long name is shortened", async () => {
  const code = `export default async ({ page }) => {
    await page.evaluate(() => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(['text'], { type: 'text/plain' }));
      link.download = '\\u56f3\\ud83d' + 'n'.repeat(30000) + '.txt';
      link.click();
    });
  }`;
  const reply = succeeded(await fixture.service.post('/download', { code }));
  assert.ok((reply.headers['content-disposition']?.length ?? 0) < 1_500);
  assert.is(reply.text, 'text');
});

test("a site's status text is returned in ASCII and shortened", async () => {
  const reply = await fixture.service.post('/content', { url: `${rawUrl}/status` });
  const status = succeeded(reply).headers['x-response-status'] ?? '';
  assert.match(status, /^[\x20-\x7e]{1,1000}$/);
});

test("returns a 400 that names the type of a function's result if it is not valid in a header", async () => {
  const result = (type: string) => `export default () => ({ data: new Uint8Array([1, 2]), type: ${type} })`;
  for (const type of [
    "'application/x-' + 'y'.repeat(200_000)",
    "'application/pdf\\r\\nX-Injected: 1'",
    "'application/\\u56f3'",
    "'\\ud83d'",
    "'text/plain; charset=\\u0001'",
  ]) {
    const reply = refused(await fixture.service.post('/function', { code: result(type) }), 400, '"type"', 'media type');
    assert.ok(reply.text.length < 1_000);
    assert.is(reply.headers['x-injected'], undefined);
  }
  succeeded(
    await fixture.service.post('/function', { code: result("'application/x-ab; q=1'") }),
    'application/x-ab; q=1',
  );
});
