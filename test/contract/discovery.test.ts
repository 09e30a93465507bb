// /json/*, /openapi.json and CORS (compatibility.mdx#discovery, compatibility.mdx#cross-origin-requests).
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const json = 'application/json; charset=UTF-8';

const { test, service } = fixtureSuite('discovery and CORS', { env: { TOKEN: 'browserless' } });

test.peer('sockets');
test('/json/version has seven keys', async () => {
  const version = succeeded(await service.get('/json/version'), json).json<Record<string, string>>();
  const names =
    'Browser Debugger-Version Protocol-Version User-Agent V8-Version WebKit-Version webSocketDebuggerUrl'.split(' ');
  for (const name of names) assert.ok((version[name] ?? '') !== '', `${name} is missing`);
  assert.match(version['Browser'] ?? '', /^\w+\/\d+\./);
  assert.match(version['webSocketDebuggerUrl'] ?? '', new RegExp(`^ws://127\\.0\\.0\\.1:${service.port}`));
});

test.proves('SPARES');
test('without spares, /json/version leaves no browser running', async () => {
  await using bare = await startService({ env: { SPARES: '0' } });
  const browsers = () =>
    bare.leftovers().processes.filter(({ command }) => command.includes('--remote-debugging-pipe'));
  const answers = await Promise.all([bare.get('/json/version'), bare.get('/json/version')]);
  for (const answer of answers) assert.match(answer.json<{ Browser: string }>().Browser, /^\w+\/\d+\./);
  await until('its browser to exit', () => browsers().length === 0);
  await until('its directories to be gone', () => bare.leftovers().files.length === 0);
  succeeded(await bare.get('/json/version'));
  assert.equal(browsers(), [], 'the cached version is not queried again');
});

test.differs('`/json/version` drops the path of `EXTERNAL`');
test('/json/version returns the external URL', async () => {
  await using external = await startService({ env: { EXTERNAL: 'https://browsers.example/base/', SPARES: '0' } });
  const { webSocketDebuggerUrl } = (await external.get('/json/version')).json<Record<string, string>>();
  assert.match(webSocketDebuggerUrl ?? '', /^wss:\/\/browsers\.example\/base\b/);
});

test.peer('sockets');
test('/json/protocol has version and domains', async () => {
  const protocol = succeeded(await service.get('/json/protocol'), json).json<{
    version: { major: string; minor: string };
    domains: { domain: string }[];
  }>();
  assert.match(protocol.version.major, /^\d+$/);
  assert.match(protocol.version.minor, /^\d+$/);
  assert.ok(protocol.domains.some(({ domain }) => domain === 'Page'));
});

test.peer('sockets');
test('/json/list is empty when no client owns a browser', async () => {
  assert.equal(succeeded(await service.get('/json/list'), json).json(), []);
});

for (const path of ['/json/version', '/json/protocol', '/json/list']) {
  test.peer('sockets');
  test(`${path} returns 401 without a token or with a wrong one`, async () => {
    refused(await service.get(path, { token: null }), 401, 'Bad or missing authentication.');
    refused(await service.get(path, { token: 'wrong' }), 401);
  });
  test(`${path} tolerates any query`, async () => succeeded(await service.get(path, { query: { t: 1, x: 'y' } })));
}

for (const path of ['/json', '/json/', '/json/nothing']) {
  test(`${path} returns 404`, async () => refused(await service.get(path), 404, /^Not Found/));
}

test.peer('sockets');
test('PUT /json/new returns 401 without a token or with a wrong one', async () => {
  for (const token of [null, 'wrong']) {
    refused(await service.get('/json/new', { method: 'PUT', token }), 401, 'Bad or missing authentication.');
  }
});

test.peer('sockets');
test('PUT /json/new responds as Chromium does, with the URL of its socket', async () => {
  const { id, webSocketDebuggerUrl, devtoolsFrontendUrl, ...rest } = succeeded(
    await service.get('/json/new', { method: 'PUT', query: 'https://example.com/' }),
    json,
  ).json<Record<string, string>>();
  assert.equal(rest, { description: '', title: 'New Tab', type: 'page', url: 'about:blank' });
  assert.is(webSocketDebuggerUrl, `ws://127.0.0.1:${service.port}/devtools/page/${id}`);
  assert.ok(devtoolsFrontendUrl?.endsWith(`?ws=127.0.0.1:${service.port}/devtools/page/${id}`), devtoolsFrontendUrl);
});

test('/openapi.json describes every route', async () => {
  const document = succeeded(await service.get('/openapi.json', { token: null }), json).json<{
    openapi: string;
    paths: Record<string, Record<string, unknown>>;
  }>();
  assert.match(document.openapi, /^3\.1/);
  for (const route of ['content', 'pdf', 'screenshot', 'scrape']) {
    for (const prefix of ['', '/chromium', '/chrome', '/edge']) {
      assert.ok(document.paths[`${prefix}/${route}`]?.['post'] !== undefined, `${prefix}/${route} is missing`);
    }
  }
  for (const path of ['/active', '/config', '/meta', '/metrics', '/pressure', '/sessions', '/json/version']) {
    assert.ok(document.paths[path]?.['get'] !== undefined, `${path} is missing`);
  }
});

const origins = [
  { pattern: 'https://example.com', match: 'https://example.com', other: 'https://example.org' },
  { pattern: '*', match: 'https://any.example', other: undefined },
  { pattern: 'https://*.example.com', match: 'https://a.b.example.com', other: 'https://example.com.evil' },
  { pattern: 'https://(a|b).example.com', match: 'https://b.example.com', other: 'https://c.example.com' },
  { pattern: '(https://one.com|https://two.com)', match: 'https://two.com', other: 'https://three.com' },
];
for (const { pattern, match, other } of origins) {
  test.peer('management and settings');
  test.peer(
    'management and settings',
    'OPTIONS with CORS: a different origin is a 404',
    'CORS headers are on errors too',
  );
  test.differs('`CORS_ALLOW_ORIGIN=*` allows credentials');
  test(`CORS_ALLOW_ORIGIN=${pattern}`, async () => {
    await using open = await startService({
      env: { CORS: 'true', CORS_ALLOW_ORIGIN: pattern, TOKEN: 'browserless', SPARES: '0' },
    });
    const options = (origin: string) => open.get('/content', { method: 'OPTIONS', headers: { origin }, token: null });
    const reply = await options(match);
    assert.is(reply.status, 204);
    assert.is(reply.bytes.length, 0);
    assert.is(reply.headers['access-control-allow-origin'], match);
    assert.is(reply.headers['access-control-allow-methods'], 'OPTIONS, POST, GET');
    assert.is(reply.headers['access-control-allow-headers'], '*');
    // A wildcard allows every origin, but not together with its visitors' cookies.
    const credentials = pattern === '*' ? undefined : 'true';
    assert.is(reply.headers['access-control-allow-credentials'], credentials);
    assert.is(reply.headers['access-control-expose-headers'], '*');
    assert.is(reply.headers['access-control-max-age'], '2592000');
    const refusal = await open.get('/config', { token: null, headers: { origin: match } });
    refused(refusal, 401);
    assert.is(refusal.headers['access-control-allow-origin'], match);
    assert.is(
      (await open.get('/nothing', { headers: { origin: match } })).headers['access-control-max-age'],
      '2592000',
    );
    const bad = await open.post('/content', {}, { headers: { origin: match } });
    refused(bad, 400);
    assert.is(bad.headers['access-control-allow-origin'], match);
    if (other !== undefined) {
      const stranger = await options(other);
      refused(stranger, 404);
      assert.is(stranger.headers['access-control-allow-origin'], undefined);
    }
  });
}

test.peer('management and settings');
test('without CORS, OPTIONS returns 404 without a CORS header', async () => {
  const reply = await service.get('/content', { method: 'OPTIONS', headers: { origin: 'https://example.com' } });
  refused(reply, 404);
  assert.is(reply.headers['access-control-allow-origin'], undefined);
});
