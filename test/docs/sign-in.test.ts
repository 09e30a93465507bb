// DOCS=token: readers sign in with the token and receive a cookie for the documentation, which does not give access to
// anything else; and /docs-facts, which provides the pages with information about the server.
import * as assert from 'uvu/assert';
import { directRoutes, jobRoutes, uiRoutes } from '../../src/api/routes/table.ts';
import { builtDocs } from '../support/built-docs.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { postAsPage } from '../support/clients/dashboard.ts';
import { send } from '../support/clients/http.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('readers of the documentation', { timeoutMs: 180_000 });
const token = `it's a "secret" & more`;
const html = { accept: 'text/html' };
const form = { 'content-type': 'application/x-www-form-urlencoded', ...html };
const page = '/rest-apis/pdf-api';
let closed: Service;
let open: Service;

test.before(async () => {
  await builtDocs();
  closed = await startService({ env: { DOCS: 'token', TOKEN: token, SPARES: '0' } });
  open = await startService({ env: { SPARES: '0' } });
});
test.after(() => stopAll(closed, open));

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(`${closed.url}${path}`, { method, headers });

async function cookieOf(service: Service, path = '/docs-sign-in'): Promise<string> {
  const reply = await postAsPage(service, path, { ...form, body: String(new URLSearchParams({ token })) });
  assert.is(reply.status, 303);
  return reply.headers['set-cookie'] ?? '';
}

test('without a sign-in, pages ask for the token, without an authentication challenge', async () => {
  for (const path of ['/', page, '/open-api', '/search?q=pdf', '/no-such-page']) {
    const reply = await ask(path, html);
    assert.is(reply.status, 401, path);
    assert.match(reply.text, 'Sign in to the documentation');
    assert.match(reply.text, `name="next" value="${path.replace(/\?.*/, '')}"`);
    assert.is(reply.headers['www-authenticate'], undefined);
    assert.not.match(reply.text, /<script(?! src="\/_ui\/color-mode\.)|\{\{|secret/);
    assert.match(reply.headers['content-security-policy'] ?? '', "frame-ancestors 'none'");
    assert.is(reply.headers['cache-control'], 'no-store');
  }
  for (const path of [`${page}.md`, '/llms.txt', '/sitemap.xml', '/docs-facts', `/_docs/page${page}.js`]) {
    const reply = await ask(path, { accept: '*/*' });
    assert.is(reply.status, 401, path);
    assert.is(reply.headers['www-authenticate'], undefined);
  }
});

test('scripts, styles and images do not need a token; files that contain text do', async () => {
  const docs = await builtDocs();
  const texts = /^\/_docs\/(?:page|sidebar)\b|\.json$/;
  for (const path of Object.keys(docs.files).filter((each) => each.startsWith('/_docs/'))) {
    if (texts.test(path) && !/search-worker/.test(path)) continue;
    assert.is((await ask(path)).status, 200, path);
  }
  assert.is((await ask('/favicon.svg')).status, 200);
  assert.is((await ask(docs.index)).status, 401);
  const sidebar = Object.keys(docs.files).find((each) => each.startsWith('/_docs/sidebar/')) ?? 'no sidebar';
  assert.is((await ask(sidebar)).status, 401);
});

test('the right token returns a cookie that pages, modules and /docs-facts accept', async () => {
  const set = await cookieOf(closed);
  assert.match(set, /^browserd-docs=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.not.match(set, 'secret');
  const [cookie = ''] = set.split(';');
  for (const path of [page, `${page}.md`, '/docs-facts', `/_docs/page${page}.js`, '/search?q=pdf'])
    assert.is((await ask(path, { cookie })).status, 200, path);
  const next = async (wanted: string) => {
    const body = String(new URLSearchParams({ token, next: wanted }));
    return (await postAsPage(closed, '/docs-sign-in', { ...form, body })).headers['location'];
  };
  assert.is(await next(page), page);
  for (const hostile of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/a b',
    '/\t/evil.example',
    '',
  ])
    assert.is(await next(hostile), '/', hostile);
});

test('the cookie does not open other routes, and the dashboard cookie does not open the documentation', async () => {
  const [cookie = ''] = (await cookieOf(closed)).split(';');
  for (const { method, path } of directRoutes) {
    const address = path.replace(/:\w+(\{[^}]*\})?/g, 'nobody');
    const without = (await ask(address, {}, method)).status;
    if (path === '/docs-facts') continue;
    assert.is((await ask(address, { cookie }, method)).status, without, `${method} ${path}`);
  }
  for (const { name } of jobRoutes) {
    const reply = await send(`${closed.url}/${name}`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: '{"html":"x"}',
    });
    assert.ok([401, 404].includes(reply.status), `${name}: ${reply.status}`);
  }
  const id = cookie.slice('browserd-docs='.length);
  assert.is((await ask('/dashboard', { ...html, cookie: `browserd-dashboard=${id}` })).status, 401);
  const dashboard = await postAsPage(closed, '/dashboard/sign-in', {
    ...form,
    body: String(new URLSearchParams({ token })),
  });
  const [, other = ''] = /^browserd-dashboard=([^;]+)/.exec(dashboard.headers['set-cookie'] ?? '') ?? [];
  assert.is((await ask(page, { ...html, cookie: `browserd-docs=${other}` })).status, 401);
  assert.ok(uiRoutes.some(({ path }) => path === '/docs-sign-in'));
});

test('the form rejects wrong tokens, other sites, large bodies, and servers without sign-in', async () => {
  const wrong = await postAsPage(closed, '/docs-sign-in', { ...form, body: 'token=wrong&next=/open-api' });
  assert.is(wrong.status, 401);
  assert.match(wrong.text, 'Wrong token. Look for TOKEN in the server settings.');
  assert.match(wrong.text, 'name="next" value="/open-api"');
  assert.is(wrong.headers['set-cookie'], undefined);
  const body = String(new URLSearchParams({ token }));
  const post = (headers: Record<string, string>, text = body) =>
    send(`${closed.url}/docs-sign-in`, { method: 'POST', headers: { ...form, ...headers }, body: text });
  refused(await post({}), 400, 'Origin');
  refused(await post({ origin: 'https://evil.example' }), 403);
  refused(await post({ origin: 'null' }), 403);
  refused(await post({ origin: closed.url, 'sec-fetch-site': 'cross-site' }), 403);
  refused(await post({ origin: closed.url }, 'x'.repeat(20_000)), 400);
  refused(await postAsPage(closed, '/docs-sign-in', { accept: '*/*', body: 'token=wrong' }), 401);
  refused(await postAsPage(open, '/docs-sign-in', { ...form, accept: '*/*', body }), 404);
});

test('signing out only invalidates the cookie of that reader', async () => {
  const [mine, other] = [await cookieOf(closed), await cookieOf(closed)].map((each) => each.split(';')[0] ?? '');
  const reading = (cookie = '') => ask(page, { ...html, cookie });
  assert.match(
    (await reading(mine)).text,
    '<form method="post" action="/docs-sign-out"><button>Sign out</button></form>',
  );
  assert.not.match((await send(`${open.url}${page}`, { headers: html })).text, 'Sign out');
  for (const origin of ['https://evil.example', 'null'])
    refused(
      await send(`${closed.url}/docs-sign-out`, { method: 'POST', headers: { cookie: mine ?? '', origin } }),
      403,
    );
  refused(
    await send(`${closed.url}/docs-sign-out`, { method: 'POST', headers: { cookie: mine ?? '' } }),
    400,
    'Origin',
  );
  assert.is((await reading(mine)).status, 200);
  const left = await postAsPage(closed, '/docs-sign-out', { ...html, cookie: mine ?? '' });
  assert.equal([left.status, left.headers['location']], [303, '/']);
  assert.match(left.headers['set-cookie'] ?? '', /^browserd-docs=;.*Max-Age=0/);
  assert.equal([(await reading(mine)).status, (await reading(other)).status], [401, 200]);
  assert.is((await postAsPage(closed, '/docs-sign-out', html)).status, 303);
  refused(await postAsPage(open, '/docs-sign-out', { accept: '*/*' }), 404);
});

test('/docs-facts matches /meta and the settings, needs no token, and contains no secrets', async () => {
  const guarded = await startService({
    env: { TOKEN: token, CONCURRENT: '3', QUEUED: '4', TIMEOUT: '5000', SPARES: '0' },
  });
  const off = await startService({ env: { DOCS: 'off', SPARES: '0' } });
  try {
    const facts = async (sent: string | null) =>
      succeeded(await guarded.get('/docs-facts', { token: sent })).json<Record<string, unknown>>();
    const seen = await facts(null);
    assert.equal(
      { concurrent: seen['concurrent'], queued: seen['queued'], timeout: seen['timeout'], token: seen['token'] },
      { concurrent: 3, queued: 4, timeout: 5000, token: 'missing' },
    );
    assert.is((await facts('wrong'))['token'], 'wrong');
    assert.is((await facts(token))['token'], 'accepted');
    const meta = succeeded(await guarded.get('/meta')).json<Record<string, unknown>>();
    for (const [name, value] of Object.entries(meta)) assert.equal(seen[name], value, name);
    assert.not.match(JSON.stringify(seen), 'secret');
    assert.is(succeeded(await open.get('/docs-facts')).json<Record<string, unknown>>()['token'], 'not needed');
    refused(await off.get('/docs-facts'), 404);
  } finally {
    await stopAll(guarded, off);
  }
});
