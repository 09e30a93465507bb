// Limits for each token: concurrent sessions, their time to live, browsers without clients, and the time limit of a
// request, at every endpoint that gives a client a browser.
import { readdirSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { handshake, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const maxTimeoutMs = 3_000;
const { test, fixture } = fixtureSuite('session limits', {
  env: {
    TOKEN: 'first-token,second-token',
    MAX_SESSIONS: '3',
    MAX_SESSION_TTL: '60000',
    MAX_RECONNECT_TIME: '2000',
    MAX_TIMEOUT: String(maxTimeoutMs),
    TIMEOUT: '-1',
  },
});

test.after.each(async () => void (await fixture.service.get('/kill/all')));

interface Created {
  id: string;
  ttl: number;
}

const create = (body: object = {}, token = 'first-token') => fixture.service.post('/session', body, { token });
const made = (reply: Reply) => succeeded(reply).json<Created>();
/** Resolves with the close code and the time until it arrived, in milliseconds. */
async function closed(path: string): Promise<{ code: number; ms: number }> {
  const began = idleNow();
  const client = await rawClient(socketUrl(fixture.service, path));
  const { code } = await client.closed;
  return { code, ms: idleNow() - began };
}

test.proves('MAX_SESSIONS');
test('MAX_SESSIONS limits the sessions of each token separately', async () => {
  const mine = [made(await create()), made(await create()), made(await create())];
  const reply = refused(await create(), 429, 'There are already 3 sessions', 'MAX_SESSIONS', 'DELETE /session/<id>');
  assert.ok(Number(reply.headers['retry-after']) > 0);
  made(await create({}, 'second-token'));
  refused(await fixture.service.get(`/session/${mine[0]?.id}`, { method: 'DELETE' }), 204);
  made(await create());
});

test('concurrent requests do not exceed the limit and leave no directory behind', async () => {
  const profiles = () => readdirSync(fixture.service.dataDir).length;
  const before = profiles();
  const replies = await Promise.all(Array.from({ length: 12 }, () => create()));
  assert.is(replies.filter(({ status }) => status === 200).length, 3);
  assert.is(replies.filter(({ status }) => status === 429).length, 9);
  await fixture.service.get('/kill/all');
  await until('their profiles to be gone', () => profiles() <= before);
});

test.proves('MAX_SESSION_TTL');
test("a session's ttl and processKeepAlive have maximums", async () => {
  namesField(await create({ ttl: 60_001 }), 'ttl');
  refused(await create({ ttl: 2_000_000_000 }), 400, 'MAX_SESSION_TTL', '60000');
  namesField(await create({ processKeepAlive: 2_001 }), 'processKeepAlive');
  assert.is(made(await create({ ttl: 60_000, processKeepAlive: 2_000 })).ttl, 60_000);
  assert.is(made(await create()).ttl, 60_000);
});

test.proves('MAX_TIMEOUT');
test('a timeout above MAX_TIMEOUT, or no timeout, is rejected on every endpoint', async () => {
  const { id: session } = made(await create());
  const posts: [path: string, body: object][] = [
    ['/content', { html: 'x' }],
    ['/screenshot', { html: 'x' }],
    ['/performance', { url: fixture.site.url }],
    ['/function', { code: 'export default () => 1' }],
    ['/download', { code: 'export default () => 1' }],
    ['/chromium/bql', { query: '{ version }' }],
    [`/session/bql/${session}`, { query: '{ version }' }],
  ];
  const id = '00000000-0000-4000-8000-000000000000';
  const sockets = ['/', '/chrome', '/chromium/playwright', '/playwright/firefox', '/chromium/bql', '/stealth/bql'];
  const attached = ['/session/connect', '/session/bql', '/reconnect', '/devtools/browser', '/devtools/page'];
  for (const timeout of [0, -1, maxTimeoutMs + 1, 1e300]) {
    for (const [path, body] of posts) {
      const reply = await fixture.service.post(path, body, { query: { timeout } });
      refused(reply, 400, '"timeout" may be at most 3000');
    }
    for (const path of [...sockets, ...attached.map((each) => `${each}/${id}`)]) {
      const { status, text } = await handshake(fixture.service, path, { timeout });
      assert.is(status, 400, `${path} ${timeout}: ${status} ${text}`);
      assert.match(text, 'may be at most 3000');
    }
  }
});

test('a request without a timeout is limited by MAX_TIMEOUT, even with TIMEOUT=-1', async () => {
  const loop = 'export default async () => { await new Promise(() => {}) }';
  const calls: [path: string, body: object][] = [
    ['/content', { html: 'x', waitForTimeout: 60_000 }],
    ['/function', { code: loop }],
    ['/chromium/bql', { query: 'mutation { waitForTimeout(time: 60000) { time } }' }],
    [
      '/chromium/bql',
      { query: 'mutation { reconnect(timeout: 60000) { browserWSEndpoint } waitForTimeout(time: 60000) { time } }' },
    ],
  ];
  const began = idleNow();
  await Promise.all(calls.map(async ([path, body]) => refused(await fixture.service.post(path, body), 408)));
  assert.ok(idleNow() - began < maxTimeoutMs * 4);
});

test('sockets of new browsers, sessions and BrowserQL are limited too', async () => {
  const session = made(await create({ stealth: false }));
  const fresh = await Promise.all(['/', '/chromium/bql', `/session/connect/${session.id}`].map(closed));
  for (const { code, ms } of fresh) {
    assert.is(code, 4408);
    assert.ok(ms < maxTimeoutMs * 4, `closed after ${ms} ms`);
  }
});

test.proves('MAX_RECONNECT_TIME');
test('a kept browser: each way to reconnect is limited, and without clients it closes after MAX_RECONNECT_TIME', async () => {
  const first = await rawClient(socketUrl(fixture.service, '/'));
  const { result } = await first.send('Browserless.reconnect', { timeout: 86_400_000 });
  const id = String(result?.['browserWSEndpoint']).split('/').at(-1) ?? '';
  first.socket.close();
  await first.closed;
  for (const path of [`/devtools/browser/${id}`, `/reconnect/${id}`, `/chromium/bql/${id}`]) {
    const { code, ms } = await closed(path);
    assert.is(code, 4408, path);
    assert.ok(ms < maxTimeoutMs * 4, `${path}: closed after ${ms} ms`);
  }
  await until('the browser to close', async () => (await sessionsOf(fixture.service)).every((one) => one.id !== id));
});
