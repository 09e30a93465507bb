// The server's status page and the operator's links over HTTP: their content, access control, and how they handle
// attacks and wrong settings.
import process from 'node:process';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../src/base/config/config.ts';
import { keepStatus } from '../../src/web/docs/serve/status-page.ts';
import type { ServerStatus } from '../../src/web/docs/site/model.ts';
import { builtDocs } from '../support/built-docs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('status and links of the documentation', { timeoutMs: 180_000 });
const token = 'open-sesame';
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const json = { accept: 'application/json' };
let open: Service;
let closed: Service;

test.before(async () => {
  await builtDocs();
  open = await startService({
    env: {
      TOKEN: token,
      SPARES: '0',
      ENABLE_DASHBOARD: 'false',
      EXTERNAL: 'https://browsers.example.org/farm',
      DOCS_REPOSITORY_URL: 'https://git.example.org/"><script>alert(1)</script>?a=1&b=2',
      DOCS_STARS: '3.4K',
      DOCS_SIGN_UP_URL: 'https://example.org/join',
      DOCS_BLOG_URL: 'https://example.org/blog',
      DOCS_SOCIAL_URLS: 'https://www.mastodon.example/@us, https://social.example/us',
    },
  });
  closed = await startService({ env: { TOKEN: token, DOCS: 'token', SPARES: '0' } });
});
test.after(() => stopAll(open, closed));

test('the status is available as a page and as JSON, without secrets', async () => {
  const page = await open.get('/status', { token: null, headers: html });
  assert.is(page.status, 200);
  assert.match(page.text, '<h1>Server status</h1>');
  assert.match(page.text, /status-word[^>]*><strong>(Healthy|Unavailable)/);
  assert.match(page.text, '0 of 10 calls');
  assert.match(page.text, '0 of 10 places in the queue');
  assert.match(page.text, /Chromium<\/th><td>\d+\./);
  assert.match(page.headers['cache-control'] ?? '', 'no-store');
  assert.match(page.headers['content-security-policy'] ?? '', "default-src 'none'");
  const reply = await open.get('/status', { token: null, headers: json });
  const status = reply.json<ServerStatus>();
  assert.equal([status.running, status.concurrent, status.waiting, status.queued], [0, 10, 0, 10]);
  assert.is(status.tokenNeeded, true);
  assert.equal(Object.keys(status).toSorted(), [
    'available',
    'browsers',
    'concurrent',
    'message',
    'queued',
    'running',
    'tokenNeeded',
    'version',
    'waiting',
  ]);
  for (const { text } of [page, reply]) {
    for (const secret of [token, open.dataDir, open.scratchDir, String(process.pid)]) assert.not.match(text, secret);
  }
});

test('attacks: without the token of DOCS=token, other sites, other methods, paths and queries', async () => {
  for (const headers of [html, json]) {
    assert.is((await closed.get('/status', { token: null, headers })).status, 401);
    assert.is((await closed.get('/status', { token: 'wrong', headers })).status, 401);
  }
  assert.is((await closed.get('/status', { headers: json })).status, 200);
  const evil = await open.get('/status', { token: null, headers: { ...json, origin: 'https://evil.example' } });
  assert.is(evil.headers['access-control-allow-origin'], undefined);
  assert.is((await open.post('/status', {}, { headers: html })).status, 404);
  const head = await open.get('/status', { method: 'HEAD', token: null, headers: html });
  assert.equal([head.status, head.bytes.length], [200, 0]);
  for (const path of ['/status/..%2f..%2fpackage.json', '/status/x', '/status%00'])
    assert.ok((await open.get(path, { token: null, headers: html })).status >= 400, path);
  const query = await open.get('/status', {
    token: null,
    headers: html,
    query: { q: '<script>alert(1)</script>', token: 'x' },
  });
  assert.not.match(query.text, '<script>alert');
});

test('concurrent requests share one status read, also after a failed read', async () => {
  let reads = 0;
  const status: ServerStatus = {
    available: true,
    message: 'Ready for requests.',
    version: '1',
    running: 0,
    concurrent: 1,
    waiting: 0,
    queued: 1,
    tokenNeeded: false,
    browsers: [],
  };
  const read = () => {
    reads++;
    return reads === 1 ? Promise.reject(new Error('gone')) : Promise.resolve(status);
  };
  const kept = keepStatus(read, 60_000);
  assert.match(String(await kept().catch((error: unknown) => error)), 'gone');
  await Promise.all(Array.from({ length: 50 }, () => kept()));
  assert.is(reads, 2);
  const short = keepStatus(read, 0);
  await short();
  assert.is(await short(), status);
  assert.is(reads, 4);
});

test.proves('DOCS_REPOSITORY_URL DOCS_STARS DOCS_SIGN_UP_URL DOCS_BLOG_URL DOCS_SOCIAL_URLS');
test('operator links: repository, stars, sign-up, blog, networks, and no dashboard', async () => {
  const { text } = await open.get('/rest-apis/pdf-api', { token: null, headers: html });
  assert.match(text, '<a data-link="sign-up" href="https://example.org/join" target="_blank"');
  assert.match(text, 'data-stars="">3.4K<');
  assert.match(text, '<a href="https://example.org/blog" target="_blank" rel="noopener noreferrer">Blog</a>');
  assert.match(text, '>mastodon.example</a>');
  assert.match(text, '>social.example</a>');
  assert.not.match(text, 'data-link="dashboard"');
  assert.not.match(text, '<script>alert');
  assert.match(text, 'href="https://git.example.org/&quot;&gt;');
  const plain = (await closed.get('/rest-apis/pdf-api', { headers: html })).text;
  assert.match(plain, '<a data-link="repository" href="/contributing/architecture"');
  assert.match(plain, '<a data-link="sign-up" href="#docs-token"');
  assert.match(plain, 'data-stars="">12K<');
  assert.match(plain, 'data-link="dashboard"');
  assert.not.match(plain, '>Blog<');
});

test('invalid or dangerous link settings are rejected with the setting name', async () => {
  const refusal = (env: Record<string, string>) =>
    parseConfig({ env, args: [], readText: () => undefined, tmpdir: '/tmp', homedir: '/home/me' }).then(
      () => '',
      (error: unknown) => String(error),
    );
  const wrong = {
    DOCS_REPOSITORY_URL: 'javascript:alert(1)',
    DOCS_STARS: '<b>many</b>',
    DOCS_SIGN_UP_URL: 'join',
    DOCS_BLOG_URL: 'file:///etc/passwd',
    DOCS_SOCIAL_URLS: 'https://ok.example,javascript:alert(1)',
    DOCS_SUPPORT_URL: 'mailto:nobody',
  };
  for (const [name, value] of Object.entries(wrong)) assert.match(await refusal({ [name]: value }), name);
  assert.is(await refusal({ DOCS_SUPPORT_URL: 'mailto:help@example.org?subject=Docs' }), '');
});
