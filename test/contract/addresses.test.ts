// URLs in responses lead back to the server the way the client reached it: the request's Host, the headers of a trusted
// proxy, or EXTERNAL (compatibility.mdx#urls-in-responses).
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { generatedAddresses, leadThrough } from '../support/clients/generated-addresses.ts';
import { sessionsOf } from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { runMain, type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('addresses in answers', { timeoutMs: 90_000 });
let service: Service;
/** Trusts only proxy addresses that no test connects from. */
let wary: Service;
/** Has EXTERNAL with a path. */
let fixed: Service;

test.before(async () => {
  const env = { SPARES: '0', TOKEN: 'browserless', HOST: '0.0.0.0' };
  [service, wary, fixed] = await Promise.all([
    startService({ env }),
    startService({ env: { ...env, TRUSTED_PROXIES: '203.0.113.7, 2001:db8::/32' } }),
    startService({ env: { ...env, EXTERNAL: 'https://browsers.example/base/' } }),
  ]);
});
test.after(() => stopAll(service, wary, fixed));

/** The WebSocket URL that /json/version returns to a client with these headers. */
async function given(from: Service, headers: Record<string, string> = {}): Promise<string> {
  return succeeded(await from.get('/json/version', { headers })).json<{ webSocketDebuggerUrl: string }>()
    .webSocketDebuggerUrl;
}

test.differs('URLs start with `HOST` and `PORT`');
test('every URL starts with the Host of its request', async () => {
  leadThrough(await generatedAddresses(service, { host: 'browserd.localhost:4711' }), 'http://browserd.localhost:4711');
});

test('behind TLS, sockets use wss and links use https', async () => {
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'browsers.example:8443' };
  leadThrough(await generatedAddresses(service, headers), 'https://browsers.example:8443');
});

test.proves('EXTERNAL');
test('EXTERNAL overrides every header, and its path is in every URL', async () => {
  const headers = {
    host: 'other.example',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'evil.example',
  };
  leadThrough(await generatedAddresses(fixed, headers), 'https://browsers.example/base');
});

test.proves('TRUSTED_PROXIES');
test('headers from an untrusted proxy do not change URLs', async () => {
  const headers = { host: 'seen.example:81', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
  leadThrough(await generatedAddresses(wary, headers), 'http://seen.example:81');
});

test('the first value of a proxy header wins; each header is evaluated separately', async () => {
  const host = 'seen.example:81';
  const rows: [headers: Record<string, string>, expected: string][] = [
    [{ 'x-forwarded-host': 'first.example, second.example:99' }, 'ws://first.example'],
    [{ 'x-forwarded-host': ' Upper.Example:8080 ' }, 'ws://upper.example:8080'],
    [{ 'x-forwarded-host': '[2001:db8::1]:8080' }, 'ws://[2001:db8::1]:8080'],
    [{ 'x-forwarded-proto': 'https' }, 'wss://seen.example:81'],
    [{ 'x-forwarded-proto': 'https, http' }, 'wss://seen.example:81'],
    [{ 'x-forwarded-proto': 'HTTPS' }, 'wss://seen.example:81'],
    [{ 'x-forwarded-proto': 'wss' }, 'wss://seen.example:81'],
    [{ 'x-forwarded-proto': 'ws' }, 'ws://seen.example:81'],
    [{ 'x-forwarded-proto': 'http, https' }, 'ws://seen.example:81'],
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a.example:443' }, 'wss://a.example'],
    [{ 'x-forwarded-proto': 'gopher' }, 'ws://seen.example:81'],
    [{ 'x-forwarded-proto': 'javascript:alert(1)//' }, 'ws://seen.example:81'],
    [{ 'x-forwarded-for': '198.51.100.1', 'x-forwarded-port': '1' }, 'ws://seen.example:81'],
  ];
  for (const [headers, expected] of rows) {
    assert.is(await given(service, { host, ...headers }), expected, JSON.stringify(headers));
  }
});

const notHosts = [
  'evil.example/path',
  'evil.example/path?x=1#y',
  'user:secret@evil.example',
  'evil.example@127.0.0.1',
  'evil.example"onload="x',
  '<script>evil.example</script>',
  'evil.example\\@x',
  'evil example',
  'evil.example:99999',
  'evil.example:port',
  'https://evil.example',
  '1.2.3.999',
  '[::1',
  'évil.example',
  `evil.${'x'.repeat(300)}`,
  `evil.${'x'.repeat(9_000)}`,
  '',
];

test('an X-Forwarded-Host that is not a valid host is ignored', async () => {
  for (const bad of notHosts) {
    const headers = { host: 'seen.example:81', 'x-forwarded-host': Buffer.from(bad).toString('latin1') };
    assert.is(await given(service, headers), 'ws://seen.example:81', bad);
  }
});

/** The response to a request with exactly this Host, sent unchanged; undefined sends HTTP/1.0 without a Host. */
function answerTo(host: string | undefined, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(service.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', reject);
  socket.on('close', () => resolve(text));
  const head = host === undefined ? `GET ${path} HTTP/1.0` : `GET ${path} HTTP/1.1\r\nHost: ${host}`;
  socket.end(`${head}\r\nAuthorization: Bearer browserless\r\nConnection: close\r\n\r\n`);
  return promise;
}

test('without a usable Host, URLs use localhost and the port that the server listens on', async () => {
  const own = `"ws://localhost:${service.port}"`;
  for (const host of [undefined, ...notHosts, 'a.example, b.example']) {
    const text = await answerTo(host, '/json/version');
    assert.match(text, /^HTTP\/1\.[01] 200 /, host);
    assert.ok(text.includes(`"webSocketDebuggerUrl": ${own}`), `${host}: ${text}`);
  }
  const injected = await answerTo('a.example\r\nX-Forwarded-Host: b.example/\r\nX-Other: 1', '/robots.txt');
  assert.match(injected, 'Sitemap: http://a.example/sitemap.xml');
});

test('the host is normalized the way URLs are', async () => {
  const rows: [host: string, expected: string][] = [
    ['UPPER.Example:8080', 'ws://upper.example:8080'],
    ['[2001:DB8:0::1]:8080', 'ws://[2001:db8::1]:8080'],
    ['[::1]', 'ws://[::1]'],
    ['127.1:81', 'ws://127.0.0.1:81'],
    ['seen.example:80', 'ws://seen.example'],
    ['compose_service-1:3000', 'ws://compose_service-1:3000'],
  ];
  for (const [host, expected] of rows) assert.is(await given(service, { host }), expected, host);
});

test('an unspecified address becomes localhost, with the port that the client used', async () => {
  for (const host of ['0.0.0.0', '[::]', '0', '0x0.0']) {
    assert.is(await given(service, { host: `${host}:4711` }), 'ws://localhost:4711', host);
  }
  const { url } = service.logs().find(({ event }) => event === 'listening') ?? {};
  assert.is(url, `http://localhost:${service.port}`);
});

test("each client gets URLs with the host that it used, even for other clients' sessions", async () => {
  const query = 'mutation { reconnect(timeout: 60000) { browserWSEndpoint } }';
  succeeded(await service.post('/chromium/bql', { query }, { headers: { host: 'maker.example' } }));
  const [one, other] = await Promise.all(
    ['one.example', 'other.example:82'].map(async (host) =>
      (await service.get('/sessions', { headers: { host } })).json<{ killURL: string; browserWSEndpoint?: string }[]>(),
    ),
  );
  const id = (await sessionsOf(service))[0]?.id;
  assert.is(one?.[0]?.killURL, `http://one.example/kill/${id}`);
  assert.is(other?.[0]?.killURL, `http://other.example:82/kill/${id}`);
  assert.is(other?.[1]?.browserWSEndpoint, `ws://other.example:82/devtools/browser/${id}`);
  refused(await service.get('/kill/all'), 204);
});

test('responses that contain URLs are not cacheable', async () => {
  const paths = ['/json/version', '/json/list', '/sessions', '/openapi.json', '/sitemap.xml', '/robots.txt'];
  for (const path of paths) {
    const reply = succeeded(await service.get(path, { headers: { 'x-forwarded-host': 'evil.example' } }));
    assert.is(reply.headers['cache-control'], 'no-store', path);
  }
  assert.is((await service.get('/json/new', { method: 'PUT' })).headers['cache-control'], 'no-store');
});

test('the server does not start with an invalid range in TRUSTED_PROXIES', async () => {
  const { code, output } = await runMain({ env: { TRUSTED_PROXIES: '10.0.0.0/8,proxy.local' } });
  assert.is(code, 78);
  assert.match(output, /TRUSTED_PROXIES.*addresses and ranges/);
});
