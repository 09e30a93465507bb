// Servers of a cluster that stop, freeze and restart: requests with ids of a stopped server say so, and no client waits
// forever.
import { rmSync } from 'node:fs';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, rawClient, socketUrl } from '../support/clients/clients.ts';
import { restartServer, startListed } from '../support/cluster.ts';
import { type ServerProcess, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('servers of a cluster that fail', { timeoutMs: 90_000 });
/** A silent server is given up after this time, in milliseconds: two attempts and the pauses. */
const givenUpMs = 8_000;
let site: Site;

test.before(async () => {
  site = await startSite();
});
test.after(() => stopAll(site));

async function withServers(
  work: (home: ServerProcess, other: ServerProcess) => Promise<ServerProcess[] | void>,
): Promise<void> {
  const [home, other] = await startListed(2, { LOG_LEVEL: 'debug', SOCKET_DRAIN_MS: '1500' });
  if (!home || !other) throw new Error('expected two servers');
  const started = await work(home, other).catch(async (error: unknown) => {
    await stopAll(home, other).catch(() => undefined);
    throw error;
  });
  await stopAll(...(started ?? [home, other]));
}

async function makeSession(on: ServerProcess) {
  const asked = { ttl: 120_000, processKeepAlive: 60_000, stealth: true };
  const made = succeeded(await on.post('/session', asked)).json<{ id: string; connect: string; browserQL: string }>();
  return { id: made.id, connect: new URL(made.connect).pathname, bql: new URL(made.browserQL).pathname };
}

const goTo = () => ({ query: `mutation { goto(url: "${site.url}/small") { status } }` });

test('kill -9: its ids return 410, even when another server has its address; sessions elsewhere continue', () =>
  withServers(async (home, other) => {
    const lost = await makeSession(home);
    const kept = await makeSession(other);
    const joined = await rawClient(socketUrl(other, lost.connect));
    const here = await connect(other, kept.connect);
    await home.end('SIGKILL');
    await until('its browsers to exit', () => home.leftovers().processes.length === 0);
    await joined.closed;
    refused(await other.post(lost.bql, goTo()), 410, 'has left the cluster');
    const again = await restartServer(home);
    refused(await other.post(lost.bql, goTo()), 410, 'has left the cluster');
    refused(await again.post(lost.bql, goTo()), 410, 'has left the cluster');
    assert.is((await here.version()).length > 0, true);
    await here.disconnect();
    rmSync(home.baseDir, { recursive: true, force: true, maxRetries: 5 });
    succeeded(await again.post(kept.bql, goTo()));
    const later = await makeSession(again);
    succeeded(await other.post(later.bql, goTo()));
    return [other, again];
  }));

test('a frozen server: requests and sockets through another server fail with a reason, and requests work when it is back', () =>
  withServers(async (home, other) => {
    const made = await makeSession(home);
    succeeded(await other.post(made.bql, goTo()));
    const joined = await rawClient(socketUrl(other, made.connect));
    const closed = new Promise<{ code: number; reason: string }>((resolve) => {
      joined.socket.once('close', (code: number, reason: Buffer) => resolve({ code, reason: reason.toString() }));
    });
    process.kill(home.pid, 'SIGSTOP');
    try {
      const began = idleNow();
      refused(await other.post(made.bql, goTo()), 503, 'is not responding');
      assert.ok(idleNow() - began < givenUpMs);
      const { code, reason } = await closed;
      assert.is(code, 1001);
      assert.match(reason, 'gone');
      succeeded(await other.post('/content', { url: `${site.url}/small` }));
    } finally {
      process.kill(home.pid, 'SIGCONT');
    }
    await until('the server to respond', async () => (await other.post(made.bql, goTo())).status === 200);
  }));

test('SIGTERM of the forwarding server: its clients are notified, the session remains', () =>
  withServers(async (home, other) => {
    const made = await makeSession(home);
    const joined = await rawClient(socketUrl(other, made.connect));
    const closed = new Promise<{ code: number; reason: string }>((resolve) => {
      joined.socket.once('close', (code: number, reason: Buffer) => resolve({ code, reason: reason.toString() }));
    });
    const stopped = other.stop();
    await until(
      'the shutdown to start',
      async () => (await other.get('/ready').catch(() => undefined))?.status !== 200,
    );
    assert.is((await joined.send('Browser.getVersion')).error, undefined);
    refused(await other.post(made.bql, goTo()), 503, 'shutting down');
    const { code, reason } = await closed;
    await stopped;
    assert.is(code, 1001);
    assert.match(reason, 'Connect again');
    succeeded(await home.post(made.bql, goTo()));
    return [home];
  }));

test('a client that disconnects cancels its request on both servers', () =>
  withServers(async (home, other) => {
    const made = await makeSession(home);
    const leaving = new AbortController();
    const document = { query: `mutation { goto(url: "${site.url}/hang") { status } }` };
    const call = other.post(made.bql, document, { signal: leaving.signal });
    await site.waitForRequest('/hang');
    leaving.abort();
    assert.instance(await call.catch((error: unknown) => error), Error);
    await until('the request to end', () => home.logs().some((line) => line['code'] === 'client-gone'));
    succeeded(await other.post(made.bql, goTo()));
  }));

test.proves('CLUSTER_SECRET');
test('a server with a different secret is rejected by the others, and the log says why', async () => {
  const [home, other] = await startListed(2, {}, (index) =>
    index === 1 ? { CLUSTER_SECRET: 'not the secret of all' } : {},
  );
  if (!home || !other) throw new Error('expected two servers');
  const made = await makeSession(home);
  refused(await other.post(made.bql, goTo()), 410);
  const line = other.logs().find(({ event }) => event === 'cluster.refused');
  assert.match(JSON.stringify(line), 'CLUSTER_SECRET');
  await stopAll(home, other);
});
