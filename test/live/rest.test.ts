// Live views over HTTP: POST, GET and DELETE of /browser/<id>/live, their tokens, bodies and limits.
import * as assert from 'uvu/assert';
import { refused } from '../support/checks/expect.ts';
import { type RawClient, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { openPage } from '../support/clients/targets.ts';
import { watchLive } from '../support/clients/viewer.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('live views over HTTP', {
  env: { TOKEN: 'live-token', TIMEOUT: '60000', SPARES: '0' },
});
let client: RawClient;
let browser: string;

test.before(async () => {
  client = await rawClient(socketUrl(service, '/chromium'));
  await openPage(client, `${site.url}/live/form`);
  browser = (await sessionsOf(service))[0]?.id ?? '';
});

interface Link {
  liveURL: string;
  liveURLId: string;
}

interface Status {
  status: string;
  reason: string | null;
  note: string | null;
  interactable: boolean;
  viewerCount: number;
  expiresAt: number | null;
}

async function make(body: object = {}): Promise<Link> {
  const reply = await service.post(`/browser/${browser}/live`, body);
  assert.is(reply.status, 200, reply.text);
  return reply.json<Link>();
}

const statusOf = async (id: string) => (await service.get(`/browser/${browser}/live/${id}`)).json<Status>();

test('by default, viewers can only watch, with tabs, for at most as long as the session', async () => {
  const { liveURL, liveURLId } = await make();
  const viewer = await watchLive(liveURL);
  const hello = await viewer.waitForMessage('hello');
  assert.equal([hello.interactive, hello.resizable, hello.ui], [false, false, true]);
  await viewer.nextFrame();
  const status = await statusOf(liveURLId);
  assert.equal([status.status, status.reason, status.viewerCount], ['active', null, 1]);
  assert.ok((status.expiresAt ?? 0) <= Date.now() + 60_000);
  const { status: closed } = await service.get(`/browser/${browser}/live/${liveURLId}`, { method: 'DELETE' });
  assert.is(closed, 204);
  assert.is((await viewer.ended()).reason, 'closed');
  assert.equal([(await statusOf(liveURLId)).status, (await statusOf(liveURLId)).reason], ['ended', 'closed']);
  refused(await service.get(`/browser/${browser}/live/${liveURLId}`, { method: 'DELETE' }), 404, /has ended/);
});

test.proves('live:interactable live:resizable live:type live:showBrowserInterface live:instructions');
test('the fields of the body apply, and the result can be read after the view has ended', async () => {
  const { liveURL, liveURLId } = await make({
    interactable: true,
    resizable: true,
    showBrowserInterface: false,
    instructions: 'Sign in',
    timeout: 50_000,
    quality: 40,
    type: 'png',
  });
  const viewer = await watchLive(liveURL);
  const hello = await viewer.waitForMessage('hello');
  assert.equal([hello.interactive, hello.resizable, hello.ui, hello.instructions], [true, true, false, 'Sign in']);
  await until('the sharp frame', () => viewer.frames.some(({ kind }) => kind === 'png'));
  viewer.send({ t: 'done', failed: true, note: 'No key' });
  await viewer.ended();
  const { status, reason, note } = await statusOf(liveURLId);
  assert.equal([status, reason, note], ['ended', 'failed', 'No key']);
});

test.proves('live:timeout live:quality');
test('the body is optional; invalid bodies, tokens, ids and content types are rejected', async () => {
  const empty = await fetch(`${service.url}/browser/${browser}/live`, {
    method: 'POST',
    headers: { Authorization: 'Bearer live-token' },
  });
  assert.is(empty.status, 200);
  const path = `/browser/${browser}/live`;
  for (const [body, message] of [
    [{ quality: 0 }, /quality/],
    [{ timeout: -1 }, /timeout/],
    [{ interactable: 'yes' }, /interactable/],
    [{ instructions: 'x'.repeat(501) }, /at most 500/],
    [{ interactive: true }, /interactive/],
    ['{', /JSON/],
  ] as const) {
    refused(await service.post(path, body), 400, message);
  }
  const { liveURLId } = await make();
  for (const [method, at] of [
    ['POST', path],
    ['GET', `${path}/${liveURLId}`],
    ['DELETE', `${path}/${liveURLId}`],
  ] as const) {
    for (const token of [null, 'wrong']) {
      const reply =
        method === 'POST' ? await service.post(at, {}, { token }) : await service.get(at, { method, token });
      refused(reply, 401, /authentication/);
    }
  }
  refused(await service.post('/browser/nobody/live', {}), 404, /is not running/);
  refused(await service.get(`${path}/nobody`), 404, /no live view/);
  refused(await service.post(path, 'x', { headers: { 'Content-Type': 'text/plain' } }), 404, /application\/json/);
  const other = await rawClient(socketUrl(service, '/chromium'));
  const others = (await sessionsOf(service)).find(({ id }) => id !== browser)?.id ?? '';
  refused(await service.get(`/browser/${others}/live/${liveURLId}`), 404, /no live view/);
  refused(await service.get(`/browser/${others}/live/${liveURLId}`, { method: 'DELETE' }), 404, /no live view/);
  assert.is((await statusOf(liveURLId)).status, 'active');
  other.socket.close();
  await other.closed;
});

test('a browser with its own token requires that token', async () => {
  const kept = await rawClient(socketUrl(service, '/chromium'));
  await kept.send('Browserless.reconnect', { timeout: 20_000, auth: 'own-secret' });
  const id = (await sessionsOf(service)).find((session) => session.id !== browser)?.id ?? '';
  refused(await service.post(`/browser/${id}/live`, {}), 401, /authentication/);
  assert.is((await service.post(`/browser/${id}/live`, {}, { token: 'own-secret' })).status, 200);
  await service.get(`/kill/${id}`);
  await kept.closed;
});
