// @runs newest
/** Tokens, origins, Accept, GET-with-body, and the URL of the server behind proxies, without a server. */
import * as assert from 'uvu/assert';
import { credentialOf, isToken } from '../../src/api/routes/http/auth.ts';
import { corsHeaders, matchesOrigin } from '../../src/api/routes/http/caller/cors.ts';
import { withBodyFromQuery } from '../../src/api/routes/http/get-with-body.ts';
import { requestIdOf } from '../../src/api/routes/http/response-headers.ts';
import { requireMatch } from '../../src/api/routes/http/match.ts';
import { parseConfig } from '../../src/base/config/config.ts';
import { accepts, namedType, preferredEncoding } from '../../src/base/runtime/http/accept.ts';
import { createPublicBase, listeningAddress } from '../../src/web/public-base.ts';
import { hasCode } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const test = suite('http');
const basic = (pair: string) => `Basic ${btoa(pair)}`;

test.peer('parameters and errors');
test('the token may be in the query or the header, and the header wins', () => {
  const query = new URLSearchParams('token=q');
  assert.is(credentialOf(null, query), 'q');
  assert.is(credentialOf('Bearer h', query), 'h');
  assert.is(credentialOf(basic('T:'), query), 'T');
  assert.is(credentialOf(basic(':T'), query), 'T');
  assert.is(credentialOf(basic('é:'), query), 'é');
  for (const header of [basic('user:T'), basic('T:').toLowerCase(), 'basic VDo=', 'T', 'bearer T', 'Basic ???', '']) {
    assert.is(credentialOf(header, query), undefined, header);
  }
});

test('any configured token is accepted, a missing or wrong one is not', () => {
  assert.ok(isToken('b', ['a', 'b']));
  for (const credential of [undefined, '', 'ab', 'A']) assert.not.ok(isToken(credential, ['a', 'b']), credential);
});

test('origins match patterns', () => {
  assert.ok(matchesOrigin('*', 'https://a.example'));
  assert.ok(matchesOrigin('https://*.example', 'https://a.example'));
  assert.ok(matchesOrigin('https://(a|b).example', 'https://b.example'));
  assert.ok(matchesOrigin('(https://one.test|https://two.test)', 'https://two.test'));
  assert.not.ok(matchesOrigin('https://a.example', 'https://a.example.evil.test'));
  assert.not.ok(matchesOrigin('https://a.example', 'https://aXexample'));
});

test('CORS headers are sent only for a matching origin', () => {
  const options = {
    CORS: true,
    CORS_ALLOW_ORIGIN: 'https://a.example',
    CORS_ALLOW_METHODS: 'OPTIONS, POST, GET',
    CORS_ALLOW_HEADERS: '*',
    CORS_EXPOSE_HEADERS: '*',
    CORS_ALLOW_CREDENTIALS: true,
    CORS_MAX_AGE: 10,
  };
  assert.is(corsHeaders(options, 'https://a.example')?.['Access-Control-Allow-Origin'], 'https://a.example');
  assert.is(corsHeaders(options, 'https://b.example'), undefined);
  assert.is(corsHeaders(options, null), undefined);
  assert.is(corsHeaders({ ...options, CORS: false }, 'https://a.example'), undefined);
});

test('a caller may set the request id, with characters that are safe in a log', () => {
  const idOf = (id: string) => requestIdOf(new Request('http://x/', { headers: { 'x-request-id': id } }));
  for (const id of ['trace-17.a', 'root:1_2', 'a'.repeat(64)]) assert.is(idOf(id), id);
  for (const id of ['a'.repeat(65), 'a b', 'a=b', '']) assert.match(idOf(id), /^[0-9a-f-]{36}$/);
});

test.differs('`Accept` must match literally');
test('Accept is parsed leniently', () => {
  for (const accept of [
    ...words(`
    */* text/html text/* text/html;q=0.9,*/*;q=0.8 text/html;version=1;q=0.1,
  `),
    'application/pdf, text/html;q=0.2',
    'Text/HTML; charset=utf-8',
    'image/png;x="a, b", text/*',
    '',
  ]) {
    assert.ok(accepts(accept, ['text/html']), accept);
  }
  for (const accept of ['application/json', 'image/*', 'text/plain', 'text/html;q=0', 'html', 'text/html5'])
    assert.not.ok(accepts(accept, ['text/html']), accept);
  assert.is(namedType('text/html, image/webp;q=0.9', ['image/png', 'image/webp']), 'image/webp');
  assert.is(namedType('image/*', ['image/png']), undefined);
  assert.is(namedType('image/png;q=0.1, image/webp', ['image/png', 'image/webp']), 'image/webp');
  assert.ok(accepts('image/png', ['*/*']));
});

test('Accept-Encoding: what the client prefers, Brotli by default, nothing that it rules out', () => {
  for (const [header, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['gzip, br;q=0.5', 'gzip'],
    ['gzip;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.000', undefined],
    ['br;q=0, *', 'gzip'],
    ['identity, br;q=0.1', undefined],
    ['deflate, zstd', undefined],
    ['', undefined],
    [null, undefined],
  ] as const) {
    assert.is(preferredEncoding(header), encoding, String(header));
  }
});

test('a JSON route accepts only JSON, with or without a charset', () => {
  const route = { name: 'content', answers: ['text/html'] };
  const request = (type: string | undefined) =>
    new Request('http://x/content', {
      method: 'POST',
      body: '{}',
      headers: type === undefined ? {} : { 'content-type': type },
    });
  requireMatch(route, request('application/json'));
  requireMatch(route, request('Application/JSON; charset=utf-8'));
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined]) {
    assert.throws(() => requireMatch(route, request(type)), hasCode('not-found'));
  }
});

test('a GET with a body parameter becomes a POST', async () => {
  const json = '{"url":"http://a.test/?x=1+2"}';
  for (const body of [json, btoa(json)]) {
    const request = withBodyFromQuery(new Request(`http://x/content?token=t&body=${encodeURIComponent(body)}`));
    assert.is(request.method, 'POST');
    assert.is(request.headers.get('content-type'), 'application/json');
    assert.is(new URL(request.url).search, '?token=t');
    assert.is(await request.text(), json);
  }
  assert.is(withBodyFromQuery(new Request('http://x/content')).method, 'GET');
  assert.throws(() => withBodyFromQuery(new Request('http://x/content?body=nonsense')), /Couldn't parse JSON body/);
});

const headers = new Headers({
  host: 'seen.example:81',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'told.example',
});

/** The base URLs that clients with these IP addresses see. */
async function basesFor(env: Record<string, string>, clients: readonly (string | undefined)[]): Promise<string[]> {
  const readText = () => Promise.resolve(undefined);
  const { config } = await parseConfig({ env, args: [], readText, tmpdir: '/tmp', homedir: '/home/me' });
  const publicBase = createPublicBase(config, () => 'http://localhost:3000');
  return [...new Set(clients.map((client) => publicBase(headers, client)))];
}

test('by default, proxies on loopback and private networks are trusted', async () => {
  const near = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1'];
  assert.equal(await basesFor({}, [...near, 'fd00::7', 'fe80::1%eth0']), ['https://told.example']);
  const far = ['203.0.113.7', '::ffff:203.0.113.7', '2606:4700::1', '172.32.0.1', 'unknown', '', undefined];
  assert.equal(await basesFor({}, far), ['http://seen.example:81']);
});

test('TRUSTED_PROXIES replaces the default list', async () => {
  const env = { TRUSTED_PROXIES: '203.0.113.0/24, 2001:db8::/32' };
  assert.equal(await basesFor(env, ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::5']), ['https://told.example']);
  const others = ['127.0.0.1', '::1', '10.1.2.3', '203.0.114.1', 'fd00::7'];
  assert.equal(await basesFor(env, others), ['http://seen.example:81']);
});

test('EXTERNAL overrides all headers', async () => {
  const env = { EXTERNAL: 'https://fixed.example/base//' };
  assert.equal(await basesFor(env, ['127.0.0.1', '203.0.113.9', undefined]), ['https://fixed.example/base']);
});

test('a server that listens on all addresses is called localhost', () => {
  const rows: [host: string, expected: string][] = [
    ['0.0.0.0', 'http://localhost:3000'],
    ['::', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['192.168.1.1', 'http://192.168.1.1:3000'],
    ['box.lan', 'http://box.lan:3000'],
  ];
  for (const [host, expected] of rows) assert.is(listeningAddress(host, 3000), expected, host);
});
