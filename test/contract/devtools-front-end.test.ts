// The files of the DevTools front end and /debugger over HTTP: types, policy, caching, errors, and what happens
// without the package. A browser opens them in test/sockets/devtools-front-end.test.ts.
// @runs binary
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { builtDocs } from '../support/built-docs.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { send } from '../support/clients/http.ts';
import { cannotUnshare } from '../support/namespaces.ts';
import { runsBinary, startProcess, startService } from '../support/service.ts';

const inspector = '/devtools/inspector.html';
const page = 'localhost:3000/devtools/page/0123456789ABCDEF';
const promised = `localhost:3000/devtools/page/BLESS${'A'.repeat(27)}`;
const withoutBrowser = { SPARES: '0', HEALTH: 'false' };
const html = { accept: 'text/html' };

const { test, service } = fixtureSuite('DevTools front-end', {
  timeoutMs: 120_000,
  env: async () => {
    await builtDocs();
    return { ...withoutBrowser, TOKEN: 'secret-token' };
  },
});

/** Sends a request without a token. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.get(path, { token: null, headers, method });

const types = {
  [inspector]: 'text/html; charset=utf-8',
  '/devtools/devtools_app.html': 'text/html; charset=utf-8',
  '/devtools/entrypoints/inspector/inspector.js': 'text/javascript; charset=utf-8',
  '/devtools/embedder-static/embedderScript.js': 'text/javascript; charset=utf-8',
  '/devtools/application_tokens.css': 'text/css; charset=utf-8',
  '/devtools/core/i18n/locales/en-US.json': 'application/json',
  '/devtools/Images/home.svg': 'image/svg+xml',
  '/devtools/Images/favicon.ico': 'image/x-icon',
};

test('serves files without a token, with their content type and one policy', async () => {
  for (const [path, type] of Object.entries(types)) {
    const { headers } = succeeded(await get(path), type);
    const policy = headers['content-security-policy'] ?? '';
    assert.match(policy, /(^|; )default-src 'none';/, path);
    assert.match(policy, /; script-src 'self';/, path);
    assert.match(policy, /; connect-src 'self';/, path);
    assert.match(policy, /; frame-ancestors 'self';/, path);
    assert.not.match(policy, /unsafe-eval|https?:|\*/, path);
    assert.is(headers['x-content-type-options'], 'nosniff', path);
    const head = await get(path, {}, 'HEAD');
    assert.equal([head.status, head.headers['content-type'], head.bytes.length], [200, type, 0], path);
  }
});

test('files are revalidated by ETag, and compressed for clients that accept it', async () => {
  const path = '/devtools/core/sdk/sdk.js';
  const plain = succeeded(await get(path));
  assert.match(plain.headers['cache-control'] ?? '', 'no-cache');
  const again = await get(path, { 'if-none-match': plain.headers['etag'] ?? '' });
  assert.equal([again.status, again.bytes.length], [304, 0]);
  assert.is((await get(path, { 'if-none-match': 'W/"other"' })).status, 200);
  const packed = succeeded(await get(path, { 'accept-encoding': 'gzip, deflate, br' }));
  assert.is(packed.headers['content-encoding'], 'gzip');
  assert.ok(packed.bytes.length < plain.bytes.length / 3);
  assert.is(gunzipSync(packed.bytes).toString(), plain.text);
  assert.match(packed.headers['vary'] ?? '', 'Accept-Encoding');
  const icon = await get('/devtools/Images/favicon.ico', { 'accept-encoding': 'gzip' });
  assert.is(icon.headers['content-encoding'], undefined);
});

/** Sends the path unchanged: no HTTP client normalizes it. */
function raw(path: string): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const asked = request({ host: '127.0.0.1', port: service.port, path, agent: false }, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
  });
  asked.on('error', reject).end();
  return promise;
}

const outside = [
  'BUILD_INFO',
  '../../../package.json',
  '%2e%2e/%2e%2e/%2e%2e/package.json',
  '..%252f..%252fpackage.json',
  '..\\..\\..\\package.json',
  'core/../../../../package.json',
  'core%2fsdk%2fsdk.js',
  'core//sdk/sdk.js',
  '/etc/passwd',
  '%2fetc%2fpasswd',
  'core/',
  '',
  'inspector.html%00.js',
  'inspector.html/',
  'INSPECTOR.HTML',
  'constructor',
  '__proto__',
];

test('no path escapes the front-end directory', async () => {
  assert.is((await raw('/devtools/core/sdk/sdk.js')).status, 200);
  for (const path of outside) {
    const { status, text } = await raw(`/devtools/${path}`);
    assert.ok(status === 404 || status === 400, `${path}: ${status}`);
    assert.not.match(text, /SignedSource|"name": "|root:/, path);
  }
});

test('files for tests and other targets are not served', async () => {
  for (const path of ['Tests.js', 'legacy_test_runner/legacy_test_runner.js', 'js_app.html', 'rn_fusebox.html']) {
    refused(await get(`/devtools/${path}`), 404, 'no file');
  }
});

test('returns 404 for other methods, and for a WebSocket path requested as a file', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) refused(await get(inspector, {}, method), 404);
  for (const kind of ['page', 'browser']) refused(await get(`/devtools/${kind}/0123`), 404, 'is a WebSocket');
});

const wrongSockets = [
  'localhost:3000/',
  'localhost:3000/chromium',
  'localhost:3000/devtools/page/',
  'localhost:3000/devtools/browser/0123',
  'localhost:3000/devtools/page/%2e%2e/%2e%2e/chromium',
  'localhost:3000/devtools/page/x/../../../chromium?/devtools/page/x',
  'localhost:3000/chromium#/devtools/page/x',
  'localhost:3000\\devtools\\page\\..\\..\\chromium',
  'localhost:3000/devtools/page/%42LESS',
  '//other/chromium',
  '',
];

test('ws and wss must be the URL of a page', async () => {
  for (const value of wrongSockets) {
    for (const query of [`ws=${encodeURIComponent(value)}`, `ws=${page}&ws=${encodeURIComponent(value)}`]) {
      refused(await get(`${inspector}?${query}`), 400, 'ws: ', 'devtoolsFrontendUrl');
      refused(await get(`${inspector}?${query.replaceAll('ws=', 'wss=')}`), 400, 'wss: ');
    }
  }
  for (const value of [page, `${page}?token=a%26b`, '/devtools/page/0123', `example.com/prefix/devtools/page/0123`]) {
    for (const name of ['ws', 'wss']) {
      succeeded(await get(`${inspector}?${name}=${encodeURIComponent(value)}`));
      succeeded(await get(`/devtools/devtools_app.html?${name}=${encodeURIComponent(value)}`));
    }
  }
});

test('a rejected URL is not echoed, because it might contain a token', async () => {
  const reply = await get(`${inspector}?ws=${encodeURIComponent('localhost:3000/chromium?token=sec-ret')}`);
  assert.not.match(refused(reply, 400, 'ws: ').text, 'sec-ret');
});

test('other sites can link to a running page, but not to one that would start a browser', async () => {
  for (const site of ['cross-site', 'same-site']) {
    refused(await get(`${inspector}?ws=${promised}`, { 'sec-fetch-site': site }), 403, 'Sec-Fetch-Site');
    succeeded(await get(`${inspector}?ws=${page}`, { 'sec-fetch-site': site }));
  }
  for (const site of ['none', 'same-origin']) {
    succeeded(await get(`${inspector}?ws=${promised}`, { 'sec-fetch-site': site }));
  }
});

test.peer('management and settings', '/debugger redirects to the same path with a slash');
test.differs('`/debugger/` runs scripts in the browser');
test('/debugger redirects to its page, and redirects drop the token', async () => {
  const query = '?token=secret-token';
  const bare = await get(`/debugger${query}`, html);
  assert.equal([bare.status, bare.headers['location']], [301, '/debugger/']);
  const led = await get(`/debugger/${query}`, html);
  assert.equal([led.status, led.headers['location']], [302, '/enterprise/live-debugger']);
  succeeded(await get('/enterprise/live-debugger', html));
  assert.is((await get(`/docs${query}`)).headers['location'], '/open-api');
  assert.is((await get(`/rest-apis/pdf${query}&a=1&%74oken=b`)).headers['location'], '/rest-apis/pdf-api?a=1');
});

test('redirects include the path of the public URL', async () => {
  await using prefixed = await startService({ env: { ...withoutBrowser, EXTERNAL: 'https://example.com/browser' } });
  assert.is((await prefixed.get('/debugger')).headers['location'], '/browser/debugger/');
  assert.is((await prefixed.get('/debugger/')).headers['location'], '/browser/enterprise/live-debugger');
});

test.proves('ENABLE_DEBUGGER');
test.peer('management and settings');
test('ENABLE_DEBUGGER=false turns off /debugger and the files', async () => {
  await using off = await startService({ env: { ...withoutBrowser, ENABLE_DEBUGGER: 'false' } });
  for (const path of ['/debugger', '/debugger/', ...Object.keys(types)]) {
    refused(await off.get(path, { headers: html }), 404, 'ENABLE_DEBUGGER');
  }
  assert.not.match(off.output(), /ENABLE_DEBUGGER.*(no effect|remove)/);
});

test('without documentation, /debugger returns 404', async () => {
  await using off = await startService({ env: { ...withoutBrowser, DOCS: 'off' } });
  for (const path of ['/debugger', '/debugger/']) refused(await off.get(path), 404, 'DOCS');
  succeeded(await off.get(inspector));
});

// A package cannot be removed from the single binary.
const absent = runsBinary ? () => {} : test.unless(cannotUnshare('--mount'));

absent('without the package, people are redirected to instructions and programs get an error message', async () => {
  const modules = join(import.meta.dirname, '../../node_modules/@react-native');
  const mount = `mount -t tmpfs none '${modules}' && exec "$@"`;
  await using bare = await startProcess({
    env: withoutBrowser,
    under: ['unshare', '--mount', 'sh', '-c', mount, 'sh'],
  });
  const url = `${bare.url}${inspector}?ws=${page}`;
  const led = await send(url, { headers: html });
  assert.equal([led.status, led.headers['location']], [302, '/enterprise/live-debugger#without-the-front-end']);
  refused(await send(url), 404, 'run npm ci', 'devtools://devtools/bundled/inspector.html?ws=');
  refused(await send(`${bare.url}/devtools/core/sdk/sdk.js`), 404, 'not installed');
  refused(await send(`${bare.url}${inspector}?ws=evil.example/`), 400);
});
