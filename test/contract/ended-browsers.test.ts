// DELETE /browser/{id} closes one browser by its id, for clients with its token; X-Browser-Ms-Used reports how long a
// request had a browser.
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, sessionsOf } from '../support/clients/clients.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('ended browsers', {
  env: { TOKEN: 'secret-token', SPARES: '0', MAX_RECONNECT_TIME: '60000' },
});

const end = (id: string, token: string | null = 'secret-token') =>
  service.get(`/browser/${id}`, { method: 'DELETE', token });

test('closes the browser of a socket and no other', async () => {
  const [mine, other] = await Promise.all([
    connect(service, '/', { trackingId: 'mine' }),
    connect(service, '/', { trackingId: 'other' }),
  ]);
  const entry = (await sessionsOf(service)).find(({ trackingId }) => trackingId === 'mine');
  const gone = new Promise((resolve) => mine.once('disconnected', resolve));
  refused(await end('mine'), 404, 'it is not running');
  refused(await end(String(entry?.id), null), 401);
  refused(await end(String(entry?.id), 'wrong'), 401);
  assert.ok(mine.connected);
  assert.is((await end(String(entry?.id))).status, 204);
  await gone;
  assert.ok(other.connected);
  refused(await end(String(entry?.id)), 404);
  refused(await end('all'), 404);
  assert.ok(other.connected);
  await other.close();
});

test('the session continues, and its next client gets a new browser', async () => {
  const { id } = succeeded(await service.post('/session', {})).json<{ id: string }>();
  refused(await end(id), 404, 'it is not running');
  const first = await connect(service, `/session/connect/${id}`);
  const gone = new Promise((resolve) => first.once('disconnected', resolve));
  assert.is((await end(id)).status, 204);
  await gone;
  const second = await connect(service, `/session/connect/${id}`);
  assert.is(await (await second.newPage()).evaluate('1 + 1'), 2);
  await second.close();
  assert.is((await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } })).status, 204);
});

test('a reconnectable browser with its own token can be closed only with that token', async () => {
  const browser = await connect(service);
  const page = await browser.newPage();
  const session = await page.createCDPSession();
  // A command of this server, which the library's types do not know.
  const send = session.send.bind(session) as unknown as (method: string, params: object) => Promise<unknown>;
  await send('Browserless.reconnect', { timeout: 30_000, auth: 'token-of-its-own' });
  const entry = (await sessionsOf(service)).find(({ type }) => type === 'browser');
  refused(await end(String(entry?.id)), 401);
  assert.ok(browser.connected);
  assert.is((await end(String(entry?.id), 'token-of-its-own')).status, 204);
  await until('the browser to be gone', async () => (await sessionsOf(service)).length === 0, 10_000);
});

test('responses have X-Browser-Ms-Used and X-Units-Used only if the request used a browser, even for errors', async () => {
  const waits = { html: '<p>x</p>', waitForTimeout: 300 };
  const used = (reply: { headers: Record<string, unknown> }) => Number(reply.headers['x-browser-ms-used']);
  const began = performance.now();
  const page = succeeded(await service.post('/content', waits));
  const took = performance.now() - began;
  assert.ok(used(page) >= 300 && used(page) <= took, `${used(page)} of ${took} ms`);
  const code = { 'content-type': 'application/javascript' };
  const calls = [
    await service.post('/function', 'export default async () => ({ data: 1 })', { headers: code }),
    await service.post('/chromium/bql', { query: 'mutation { content(html: "x") { time } }' }),
    await service.post('/screenshot', { html: 'x' }),
    await service.post('/content', { html: 'x', waitForSelector: { selector: '#none', timeout: 50 } }),
  ];
  for (const reply of calls) {
    assert.ok(used(reply) > 0, `${reply.status} ${reply.text.slice(0, 200)}`);
    assert.is(reply.headers['x-units-used'], '1');
  }
  for (const reply of [
    await service.get('/sessions'),
    await service.get('/active'),
    await service.post('/content', { nothing: 1 }),
    await service.post('/content', { html: 'x' }, { token: 'wrong' }),
  ]) {
    assert.is(reply.headers['x-browser-ms-used'], undefined, String(reply.status));
    assert.is(reply.headers['x-units-used'], undefined);
  }
});
