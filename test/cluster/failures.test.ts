// Servers of a cluster that stop, freeze and restart: requests with ids of a stopped server say so, and no client waits
// forever.
// @tier ci
import { rmSync } from 'node:fs';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, rawClient, socketUrl } from '../support/clients/clients.ts';
import { restartServer, startListed, startListedWithVictim } from '../support/cluster.ts';
import { type ServerProcess, type Service, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('servers of a cluster that fail', { timeoutMs: 90_000 });
/** A silent server is given up after this time, in milliseconds: two attempts and the pauses. */
const givenUpMs = 8_000;
const env = { LOG_LEVEL: 'debug', SOCKET_DRAIN_MS: '1500' };
let site: Site;
let home: ServerProcess;
let other: Service;

test.before(async () => {
  site = await startSite();
  [home, other] = await startListedWithVictim(1, env);
});
test.after(() => stopAll(home, other, site));

async function makeSession(on: Service) {
  const asked = { ttl: 120_000, processKeepAlive: 60_000, stealth: true };
  const made = succeeded(await on.post('/session', asked)).json<{ id: string; connect: string; browserQL: string }>();
  return { id: made.id, connect: new URL(made.connect).pathname, bql: new URL(made.browserQL).pathname };
}

const goTo = () => ({ query: `mutation { goto(url: "${site.url}/small") { status } }` });

test('a frozen server: requests and sockets through another server fail with a reason, and requests work when it is back', async () => {
  const made = await makeSession(home);
  succeeded(await other.post(made.bql, goTo()));
  const joined = await rawClient(socketUrl(other, made.connect));
  process.kill(home.pid, 'SIGSTOP');
  try {
    const began = idleNow();
    refused(await other.post(made.bql, goTo()), 503, 'is not responding');
    assert.ok(idleNow() - began < givenUpMs);
    const { code, reason } = await joined.closed;
    assert.is(code, 1001);
    assert.match(reason, 'gone');
    succeeded(await other.post('/content', { url: `${site.url}/small` }));
  } finally {
    process.kill(home.pid, 'SIGCONT');
  }
  await until('the server to respond', async () => (await other.post(made.bql, goTo())).status === 200);
});

test('a client that disconnects cancels its request on both servers', async () => {
  const made = await makeSession(home);
  const leaving = new AbortController();
  const document = { query: `mutation { goto(url: "${site.url}/hang") { status } }` };
  const call = other.post(made.bql, document, { signal: leaving.signal });
  await site.waitForRequest('/hang');
  leaving.abort();
  assert.instance(await call.catch((error: unknown) => error), Error);
  await until('the request to end', () => home.logs().some((line) => line['code'] === 'client-gone'));
  succeeded(await other.post(made.bql, goTo()));
});

test('kill -9: its ids return 410, even when another server has its address; sessions elsewhere continue', async () => {
  const [victim, witness] = await startListedWithVictim(1, env);
  let again: Service | undefined;
  try {
    const lost = await makeSession(victim);
    const kept = await makeSession(witness);
    const joined = await rawClient(socketUrl(witness, lost.connect));
    const here = await connect(witness, kept.connect);
    await victim.end('SIGKILL');
    await until('its browsers to exit', () => victim.leftovers().processes.length === 0);
    await joined.closed;
    refused(await witness.post(lost.bql, goTo()), 410, 'has left the cluster');
    again = await restartServer(victim);
    refused(await witness.post(lost.bql, goTo()), 410, 'has left the cluster');
    refused(await again.post(lost.bql, goTo()), 410, 'has left the cluster');
    assert.is((await here.version()).length > 0, true);
    await here.disconnect();
    rmSync(victim.baseDir, { recursive: true, force: true, maxRetries: 5 });
    succeeded(await again.post(kept.bql, goTo()));
    const later = await makeSession(again);
    succeeded(await witness.post(later.bql, goTo()));
  } finally {
    await stopAll(witness, again);
  }
});

test('SIGTERM of the forwarding server: its clients are notified, the session remains', async () => {
  const [keeping, forwarding] = await startListed(2, env);
  let stopped: Promise<void> | undefined;
  try {
    const made = await makeSession(keeping);
    const joined = await rawClient(socketUrl(forwarding, made.connect));
    stopped = forwarding.stop();
    await until(
      'the shutdown to start',
      async () => (await forwarding.get('/ready').catch(() => undefined))?.status !== 200,
    );
    assert.is((await joined.send('Browser.getVersion')).error, undefined);
    refused(await forwarding.post(made.bql, goTo()), 503, 'shutting down');
    const { code, reason } = await joined.closed;
    await stopped;
    assert.is(code, 1001);
    assert.match(reason, 'Connect again');
    succeeded(await keeping.post(made.bql, goTo()));
  } finally {
    await stopAll(keeping, stopped === undefined ? forwarding : undefined);
  }
});

test.proves('CLUSTER_SECRET');
test('a server with a different secret is rejected by the others, and the log says why', async () => {
  const [knowing, stranger] = await startListed(2, {}, (index): Record<string, string> =>
    index === 1 ? { CLUSTER_SECRET: 'not the secret of all' } : {},
  );
  const made = await makeSession(knowing);
  refused(await stranger.post(made.bql, goTo()), 410);
  const line = stranger.logs().find(({ event }) => event === 'cluster.refused');
  assert.match(JSON.stringify(line), 'CLUSTER_SECRET');
  await stopAll(knowing, stranger);
});
