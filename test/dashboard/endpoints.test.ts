// Access to the dashboard: sign-in and its cookie, what the cookie opens, pages from other sites, sizes, limits.
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { dashboardLimits } from '../../src/base/limits.ts';
import { uiRoutes } from '../../src/api/routes/table.ts';
import { refused } from '../support/checks/expect.ts';
import { listenTo, postAsPage, signIn } from '../support/clients/dashboard.ts';
import { send } from '../support/clients/http.ts';
import { startService, stopAll } from '../support/service.ts';
import { until } from '../support/until.ts';

const token = 'dashboard-token';

const { test, service } = fixtureSuite('doors of the dashboard', {
  env: { TOKEN: `${token},other-token`, SPARES: '0', ALLOW_GET: 'true' },
});

const html = { accept: 'text/html' };
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(`${service.url}${path}`, { method, headers });
const form = { 'content-type': 'application/x-www-form-urlencoded', ...html };

const own = uiRoutes.filter(({ path }) => path.startsWith('/dashboard'));
const concrete = (path: string) => path.replace(/:\w+/g, 'nobody');

test('without a sign-in, only the page that asks for the token is served', async () => {
  const page = await ask('/dashboard', html);
  assert.is(page.status, 401);
  assert.match(page.text, /<form action="\/dashboard\/sign-in" method="post">/);
  assert.not.match(page.text, /<script(?! src="\/_ui\/color-mode\.)|\{\{/);
  assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'none'/);
  for (const { method, path } of own) {
    if (/^\/dashboard(?:\/sign-(?:in|out))?$/.test(path)) continue;
    for (const headers of [{}, { cookie: 'browserd-dashboard=guess' }, { cookie: 'browserd-dashboard=' }]) {
      const reply = await ask(concrete(path), { origin: service.url, ...headers }, method);
      refused(reply, 401, 'Sign in at /dashboard first.');
    }
    // The token opens the API, the cookie opens the dashboard.
    refused(await ask(`${concrete(path)}?token=${token}`, { origin: service.url }, method), 401);
  }
  // People whose sign-in has expired are sent to the sign-in page, in the window they have opened.
  for (const action of ['sessions/nobody/watch', 'sessions/nobody/take-over', 'recordings/nobody/play']) {
    const followed = await postAsPage(service, `/dashboard/${action}`, html);
    assert.equal([followed.status, followed.headers['location']], [303, '/dashboard'], action);
    refused(await ask(`/dashboard/${action}`, { ...html, origin: 'https://evil.example' }, 'POST'), 403);
  }
  const out = await postAsPage(service, '/dashboard/sign-out', { cookie: 'browserd-dashboard=guess' });
  assert.equal([out.status, out.headers['location']], [303, '/dashboard']);
  assert.match(out.headers['set-cookie'] ?? '', /^browserd-dashboard=; Max-Age=0;/);
});

test('a wrong token returns a 401 with a message, and is counted', async () => {
  const counted = async () =>
    /browserd_rejected_total\{reason="unauthorized"\} (\d+)/.exec(
      (await service.get('/metrics', { headers: { accept: 'text/plain' } })).text,
    )?.[1] ?? '0';
  const before = Number(await counted());
  for (const body of ['token=wrong', 'token=', '', 'token=%00', `token=${token}x`, `Token=${token}`]) {
    const page = await postAsPage(service, '/dashboard/sign-in', { ...form, body });
    assert.is(page.status, 401, body);
    assert.match(page.text, /role="alert">Wrong token\. Look for TOKEN in the server settings/);
    assert.is(page.headers['set-cookie'], undefined);
  }
  const json = { 'content-type': 'application/json' };
  refused(await postAsPage(service, '/dashboard/sign-in', { ...json, body: '{"token":"wrong"}' }), 401);
  for (const body of ['{', '[]', '{"token":1}', `{"token":"${token}","more":1}`, '{}']) {
    refused(await postAsPage(service, '/dashboard/sign-in', { ...json, body }), 400);
  }
  refused(await postAsPage(service, '/dashboard/sign-in', { ...form, body: 'x'.repeat(20_000) }), 400);
  assert.is(Number(await counted()), before + 7);
});

test('the right token sets a cookie that works only for the dashboard, until sign-out', async () => {
  for (const each of [token, 'other-token']) {
    const reply = await postAsPage(service, '/dashboard/sign-in', { ...form, body: `token=${each}` });
    assert.equal([reply.status, reply.headers['location']], [303, '/dashboard']);
    const cookie = reply.headers['set-cookie'] ?? '';
    assert.match(
      cookie,
      /^browserd-dashboard=[\w-]{43}; Max-Age=(28800|28799); Path=\/dashboard; HttpOnly; SameSite=Strict$/,
    );
    assert.not.match(cookie, each);
  }
  const cookie = await signIn(service, token);
  assert.is((await ask('/dashboard', { cookie })).status, 200);
  assert.is((await ask('/dashboard/', { cookie })).status, 200);
  for (const path of ['/sessions', '/kill/all', '/config', '/metrics', '/recordings', '/json/list']) {
    assert.is((await ask(path, { cookie })).status, 401, path);
  }
  const listener = await listenTo(service, cookie);
  const out = await postAsPage(service, '/dashboard/sign-out', { cookie });
  assert.equal([out.status, out.headers['location']], [303, '/dashboard']);
  assert.match(out.headers['set-cookie'] ?? '', /^browserd-dashboard=; Max-Age=0; Path=\/dashboard/);
  await listener.ended;
  assert.is((await ask('/dashboard', { cookie })).status, 401);
  const secret = cookie.split('=')[1] ?? '';
  assert.not.match(service.output(), secret);
  assert.not.match(service.output(), token);
});

test('requests from other sites, or without an Origin, cannot change or read anything', async () => {
  const cookie = await signIn(service, token);
  for (const { method, path } of own) {
    if (path === '/dashboard') continue;
    for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${service.port + 1}`]) {
      refused(await ask(concrete(path), { cookie, origin }, method), 403, 'Host', 'EXTERNAL');
    }
    for (const site of ['cross-site', 'same-site']) {
      const headers = { cookie, 'sec-fetch-site': site, ...(method === 'POST' ? { origin: service.url } : {}) };
      refused(await ask(concrete(path), headers, method), 403, 'Sec-Fetch-Site');
    }
    if (method !== 'POST') continue;
    refused(await ask(concrete(path), { cookie }, 'POST'), 400, 'Origin');
    refused(await ask(`${concrete(path)}?body={}`, { cookie }), 400, 'Origin');
    refused(await ask(concrete(path), { cookie }), 404);
  }
});

test('unknown sessions and recordings return a 404 with a message', async () => {
  const cookie = await signIn(service, token);
  for (const action of ['watch', 'take-over', 'record', 'stop-recording', 'kill']) {
    for (const id of ['nobody', 'all', '%2e%2e', 'x'.repeat(5_000)]) {
      const reply = await postAsPage(service, `/dashboard/sessions/${id}/${action}`, { cookie });
      refused(reply, 404, /^This session has ended|^Not Found/);
    }
  }
  const page = await postAsPage(service, '/dashboard/sessions/nobody/watch', { cookie, ...html });
  assert.is(page.status, 404);
  assert.match(page.text, /<p>This session has ended\.<\/p>/);
  refused(await ask('/dashboard/thumbnails/nobody', { cookie }), 404, 'has ended');
  for (const id of ['nobody', '01a216ad-b82b-7990-ad5c-b6fd9d99a41b', '..%2f..%2fetc']) {
    refused(await postAsPage(service, `/dashboard/recordings/${id}/delete`, { cookie }), 404);
    refused(await postAsPage(service, `/dashboard/recordings/${id}/play`, { cookie }), 404);
    refused(await ask(`/dashboard/recordings/${id}/video.mp4`, { cookie }), 404);
  }
});

test('the number of windows is limited, and closing one makes room', async () => {
  const cookie = await signIn(service, token);
  const open = Array.from({ length: dashboardLimits.streams }, () => listenTo(service, cookie));
  const listeners = await Promise.all(open);
  refused(await ask('/dashboard/events', { cookie }), 429, 'Close one of them');
  assert.is((await ask('/dashboard/events', { cookie }, 'HEAD')).status, 429);
  for (const listener of listeners) listener.leave();
  const last = await until('a free stream', () => listenTo(service, cookie).catch(() => undefined));
  await last.sees('figures', ({ figures }) => figures?.concurrent === 10);
  assert.is((await ask('/dashboard/events', { cookie }, 'HEAD')).status, 200);
  last.leave();
});

test('behind a proxy that replaces Host, the forwarded host is accepted if the proxy is trusted', async () => {
  const forwarded = { 'x-forwarded-host': 'pub.example', 'x-forwarded-proto': 'https', origin: 'https://pub.example' };
  const reply = await postAsPage(service, '/dashboard/sign-in', { ...form, ...forwarded, body: `token=${token}` });
  assert.is(reply.status, 303);
  assert.match(reply.headers['set-cookie'] ?? '', /; Secure; /);
  const origin = 'https://evil.example';
  refused(await postAsPage(service, '/dashboard/sign-in', { ...form, ...forwarded, origin, accept: '*/*' }), 403);
  await using distrusting = await startService({ env: { TOKEN: token, SPARES: '0', TRUSTED_PROXIES: '192.0.2.1' } });
  refused(await postAsPage(distrusting, '/dashboard/sign-in', { ...forwarded, body: '' }), 403, 'EXTERNAL');
});

test.proves('ENABLE_DASHBOARD');
test('works behind a public TLS URL with a path, turned off, and without a token', async () => {
  const [behind, off, open] = await Promise.all([
    startService({ env: { TOKEN: token, SPARES: '0', EXTERNAL: 'https://pub.example/base' } }),
    startService({ env: { TOKEN: token, SPARES: '0', ENABLE_DASHBOARD: 'false' } }),
    startService({ env: { SPARES: '0' } }),
  ]);
  try {
    const origin = { origin: 'https://pub.example' };
    const reply = await postAsPage(behind, '/dashboard/sign-in', { ...form, ...origin, body: `token=${token}` });
    assert.is(reply.headers['location'], '/base/dashboard');
    assert.match(reply.headers['set-cookie'] ?? '', /; Path=\/base\/dashboard; HttpOnly; Secure; SameSite=Strict$/);
    // Clients that use the server's own address have no TLS: with Secure, the browser would drop the cookie.
    const plain = await postAsPage(behind, '/dashboard/sign-in', { ...form, body: `token=${token}` });
    assert.match(plain.headers['set-cookie'] ?? '', /; HttpOnly; SameSite=Strict$/);
    for (const { method, path } of own) {
      const answer = await send(`${off.url}${concrete(path)}`, { method, headers: { origin: off.url } });
      refused(answer, 404, 'ENABLE_DASHBOARD');
    }
    const page = await send(`${open.url}/dashboard`);
    assert.is(page.status, 200);
    assert.match(page.text, 'data-account="open"');
    const listener = await listenTo(open);
    await listener.sees('figures', ({ figures }) => figures);
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
      refused(await send(`${open.url}/dashboard/events`, { headers }), 403);
    }
    await open.stop();
    await listener.ended;
  } finally {
    await stopAll(behind, off);
  }
});
