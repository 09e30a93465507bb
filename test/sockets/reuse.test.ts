// A session releases its tracking id, slot and entry as soon as its client starts to disconnect, not only when its
// processes and directories are gone. The tests use one slot and one tracking id three times without a pause.
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { connect, handshake, rawClient, socketUrl } from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { running } from '../support/clients/slow-entry-points.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('ended sessions', { timeoutMs: 180_000, env: { CONCURRENT: '1', QUEUED: '0' } });
const times = 3;
const trackingId = 'again';

/** Checks that the server lists no session immediately after a client has disconnected. */
async function nothingLeft(): Promise<void> {
  // Some clients do not wait until their close frame is sent; another request gives it the time of a round trip.
  await service.get('/active');
  const [sessions, slots] = await Promise.all([service.get('/sessions'), running(service)]);
  assert.equal(
    sessions.json<{ trackingId: string }[]>().map((one) => one.trackingId),
    [],
  );
  assert.is(slots, 0);
}

/** Resolves when the socket has opened; a refusal rejects with its status. */
async function open(path: string, headers: Record<string, string> = {}, protocols: string[] = []): Promise<WebSocket> {
  const socket = new WebSocket(socketUrl(service, path, { trackingId }), protocols, { headers });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  return socket;
}

function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

const playwright = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
const sockets: Record<string, () => Promise<WebSocket>> = {
  CDP: () => open('/'),
  Playwright: () => open('/chromium/playwright', playwright),
  BrowserQL: () => open('/chromium/bql', {}, ['graphql-transport-ws']),
};

const ways: Record<string, () => Promise<void>> = {
  "Puppeteer's browser.close()": async () => (await connect(service, '/', { trackingId })).close(),
  "Puppeteer's browser.disconnect()": async () => (await connect(service, '/', { trackingId })).disconnect(),
  "Playwright's browser.close()": async () =>
    (await connectPlaywright(service, '/chromium/playwright', { trackingId })).close(),
  'Browser.close and its response': async () => {
    const client = await rawClient(socketUrl(service, '/', { trackingId }));
    assert.is((await client.send('Browser.close')).error, undefined);
    client.socket.terminate();
  },
  'a response from /content': async () => {
    succeeded(await service.post('/content', { html: 'x' }, { query: { trackingId } }));
  },
  'a response from /function': async () => {
    const code = 'export default async ({ page }) => page.title()';
    succeeded(await service.post('/function', { code }, { query: { trackingId } }));
  },
  'a BrowserQL response': async () => {
    succeeded(await service.post('/chromium/bql', { query: 'mutation { url { url } }' }, { query: { trackingId } }));
  },
};
ways['/kill, REST'] = async () => {
  const body = { html: 'x', waitForTimeout: 30_000 };
  const answer = service.post('/content', body, { query: { trackingId } });
  await until('the request to run', async () => (await service.get('/sessions')).text.includes(trackingId));
  assert.is((await service.get(`/kill/${trackingId}`)).status, 204);
  refused(await answer, 500, 'ended by a call to /kill');
};
for (const [name, opened] of Object.entries(sockets)) {
  ways[`a close frame, ${name}`] = async () => {
    const socket = await opened();
    socket.close(1000);
    await closed(socket);
  };
  ways[`/kill, ${name}`] = async () => {
    const socket = await opened();
    assert.is((await service.get(`/kill/${trackingId}`)).status, 204);
    socket.terminate();
  };
}

for (const [name, use] of Object.entries(ways)) {
  test(`${times} of ${times} reuses succeed after ${name}`, async () => {
    for (let time = 1; time <= times; time++) {
      await use().catch((error: unknown) => {
        throw new Error(`refused on attempt ${time}`, { cause: error });
      });
      await nothingLeft();
    }
  });
}

for (const [name, opened] of Object.entries(sockets)) {
  test(`${times} of ${times} reuses succeed after a lost connection, ${name}`, async () => {
    for (let time = 1; time <= times; time++) {
      // The server learns of the cut from the operating system, which is notified before this process.
      const socket = await opened();
      const gone = closed(socket);
      socket.terminate();
      await gone;
    }
    await nothingLeft();
  });
}

test(`${times} of ${times} sessions can be deleted while a client is connected`, async () => {
  for (let time = 1; time <= times; time++) {
    const { id } = (await service.post('/session', { ttl: 60_000 })).json<{ id: string }>();
    const client = await rawClient(socketUrl(service, `/session/connect/${id}`));
    const query = { force: true };
    assert.is((await service.get(`/session/${id}`, { method: 'DELETE', query })).status, 204);
    await nothingLeft();
    client.socket.terminate();
  }
});

test('a reused tracking id stays taken when its previous session has finished closing', async () => {
  const query = { trackingId, launch: JSON.stringify({ args: ['--lang=de'] }) };
  const first = await rawClient(socketUrl(service, '/', query));
  await service.get(`/kill/${trackingId}`);
  const second = await rawClient(socketUrl(service, '/', query));
  await first.closed;
  assert.match((await handshake(service, '/', { trackingId })).text, /already exists|Too many/);
  assert.is((await service.get('/sessions', { query: { trackingId } })).json<unknown[]>().length > 0, true);
  second.socket.close();
  await second.closed;
});

test('a session of POST /session accepts the next client immediately', async () => {
  const { id } = (await service.post('/session', { ttl: 60_000 })).json<{ id: string }>();
  for (let time = 1; time <= 3; time++) {
    const { status, text } = await handshake(service, `/session/connect/${id}`);
    assert.is(status, 101, text);
  }
  assert.is((await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } })).status, 204);
  await nothingLeft();
});
