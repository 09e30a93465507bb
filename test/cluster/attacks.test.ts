// Untrusted clients at a cluster: the servers' internal requests are closed to them, other tenants' ids remain
// useless through another server, and pages do not reach the servers.
import { once } from 'node:events';
import { get } from 'node:http';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { nodeHeader, signNode } from '../../src/control/cluster/node-header.ts';
import { makeNodeName } from '../../src/base/runtime/ids.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { send } from '../support/clients/http.ts';
import { loginAt, profilesKey, upload } from '../support/clients/profiles.ts';
import { openPage } from '../support/clients/targets.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { clusterSecret, startListed, startListedWithVictim } from '../support/cluster.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';

const test = suite('strangers at a cluster', { timeoutMs: 60_000 });
const [ann, bob] = [tokenOf('ann'), tokenOf('bob')];
const tokens = tokensFile([{ name: 'ann' }, { name: 'bob' }]);
let site: Site;
let home: Service;
let other: Service;

test.before(async () => {
  site = await startSite();
  const env = { TOKEN: 'token-of-all', TOKENS_FILE: tokens.path, PROFILES_KEY: profilesKey };
  [home, other] = await startListed(2, { ...env, MAX_PAYLOAD_SIZE: '100000', LOG_LEVEL: 'debug' });
});
test.after(() => stopAll(home, other, site));

const now = () => new Date();
/** A request header signed with a secret at a given time. */
function signed(secret: string, target: string, { method = 'GET', at = now() } = {}): Record<string, string> {
  const real = Date.now;
  Date.now = () => at.getTime();
  try {
    return { [nodeHeader]: signNode(secret, method, target, { client: '127.0.0.1', claim: undefined }) };
  } finally {
    Date.now = real;
  }
}

for (const path of [`/cluster/node?nonce=${crypto.randomUUID()}`, '/cluster/holds?kind=page&name=abc']) {
  test.shows('false-server', 'cluster');
  test(`${path.replace(/=.*/, '')}: only for servers of the cluster`, async () => {
    const ask = (headers: Record<string, string>) => send(`${home.url}${path}`, { headers });
    assert.match(succeeded(await ask(signed(clusterSecret, path))).text, /"node":"[a-z2-7]{6}"/);
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const badHeaders = {
      'no header': {},
      'the token of the operator': { Authorization: 'Bearer token-of-all' },
      'a different secret': signed('another secret than theirs', path),
      'a different path': signed(clusterSecret, '/cluster/nodes'),
      'a different query': signed(clusterSecret, `${path}&more=1`),
      'a different method': signed(clusterSecret, path, { method: 'POST' }),
      'an old header': signed(clusterSecret, path, { at: minutesAgo(2) }),
      'a header from the future': signed(clusterSecret, path, { at: minutesAgo(-2) }),
      garbage: { [nodeHeader]: 'x'.repeat(4_000) },
      'an invalid timestamp': { [nodeHeader]: `${'9'.repeat(400)} - ${'a'.repeat(64)}` },
    };
    for (const [what, headers] of Object.entries(badHeaders)) {
      const { status, text } = await ask(headers);
      assert.is(status, 403, what);
      assert.match(text, 'CLUSTER_SECRET', what);
    }
  });
}

test('returns 400 for a query between servers with an unknown kind or without a name', async () => {
  for (const query of ['', '?kind=file&name=x', '?kind=page', '?name=x']) {
    const path = `/cluster/holds${query}`;
    refused(await send(`${home.url}${path}`, { headers: signed(clusterSecret, path) }), 400);
  }
});

test('a standalone server has no such paths', async () => {
  const alone = await startService({ env: { TOKEN: 'token-of-one', SPARES: '0' } });
  refused(await alone.get('/cluster/node'), 404);
  await alone.stop();
});

test.shows('no-token', 'cluster');
test("rejects other tenants' tokens, wrong tokens, and no token, through another server", async () => {
  const made = succeeded(await home.post('/session', { ttl: 60_000 }, { token: ann })).json<{
    id: string;
    stop: string;
  }>();
  const stop = new URL(made.stop).pathname;
  for (const server of [home, other]) {
    refused(await server.get(stop, { method: 'DELETE', token: bob }), 404);
    refused(await server.get(stop, { method: 'DELETE', token: 'no-such-token' }), 401);
    refused(await server.get(stop, { method: 'DELETE', token: null }), 401);
    assert.is((await handshake(server, `/session/connect/${made.id}`, { token: bob })).status, 404);
    assert.is((await handshake(server, `/session/connect/${made.id}`, { token: '' })).status, 401);
  }
  assert.is((await other.get(stop, { method: 'DELETE', token: ann })).status, 204);
});

test.shows('other-ids', 'cluster');
test("hides other tenants' profiles, tracking ids, and pages, through another server", async () => {
  succeeded(await upload(home, 'shop', loginAt(site), ann));
  refused(await other.get('/profile/shop', { token: bob }), 404);
  refused(await other.get('/profile/shop', { token: null }), 401);
  const body = { url: `${site.url}/small` };
  refused(await other.post('/content', body, { query: { profile: 'shop' }, token: bob }), 404);
  succeeded(await other.post('/content', body, { query: { profile: 'shop' }, token: ann }));
  succeeded(await upload(other, 'shop', loginAt(site), bob));

  const browser = await connect(home, '/', { token: ann, trackingId: 'of-ann' });
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  refused(await other.get('/kill/of-ann', { token: bob }), 404);
  const list = succeeded(await home.get('/json/list', { token: ann })).json<{ id: string; title: string }[]>();
  const id = list.find(({ title }) => title === 'Small')?.id;
  assert.is((await handshake(other, `/devtools/page/${id}`, { token: bob })).status, 404);
  assert.is((await handshake(other, `/devtools/page/${id}`, { token: '' })).status, 401);
  assert.is((await handshake(other, `/devtools/page/${id}`, { token: ann })).status, 101);
  assert.is((await other.get('/kill/of-ann', { token: ann })).status, 204);
  await browser.close().catch(() => undefined);
  assert.equal(await sessionsOf(home), []);
});

test.shows('false-server', 'cluster');
test("a server does not sign a tenant's internal requests to another server", async () => {
  succeeded(await upload(other, 'elsewhere', loginAt(site), ann));
  // A request about the profile is forwarded.
  succeeded(await home.get('/profile/elsewhere', { token: ann }));
  for (const path of ['/cluster/node', '/cluster/holds', '/cluster/./node', '/cluster//node', '/%63luster/node']) {
    const query = { nonce: crypto.randomUUID(), kind: 'session', name: 'x', profile: 'elsewhere' };
    const { status, text } = await home.get(path, { token: ann, query });
    assert.ok(status === 403 || status === 404, `${path}: ${status} ${text}`);
    assert.not.match(text, 'proof');
    assert.not.match(text, 'holds"');
  }
});

test('unauthenticated clients cannot make the servers query each other', async () => {
  const questions = () => home.logs().filter(({ route }) => route === '/cluster/holds').length;
  succeeded(await upload(home, 'asked-for', loginAt(site), ann));
  succeeded(await other.get('/profile/asked-for', { token: ann }));
  const before = questions();
  assert.ok(before > 0);
  for (const token of [null, 'no-such-token']) {
    for (const path of ['/profile/asked-for', '/kill/somebody', '/recordings/0198c0de', '/secret/word']) {
      refused(await other.get(path, { token, method: path === '/secret/word' ? 'DELETE' : 'GET' }), 401);
    }
    refused(await other.post('/content', { url: site.url }, { query: { profile: 'asked-for' }, token }), 401);
  }
  assert.is((await handshake(other, '/devtools/page/ABC', { token: '' })).status, 401);
  assert.is(questions(), before);
});

test('ids of made-up servers return a 410 that says why', async () => {
  const ids = Array.from({ length: 20 }, () => `${makeNodeName()}-${crypto.randomUUID()}`);
  const answers = await Promise.all(ids.map((id) => other.get(`/session/${id}`, { method: 'DELETE' })));
  for (const answer of answers) refused(answer, 410, 'has left the cluster');
  assert.is((await handshake(other, `/reconnect/${ids[0]}`)).status, 410);
});

test.needs('a full Chromium');
test("a body that is too large is rejected by the session's server", async () => {
  const { id } = succeeded(await home.post('/session', { ttl: 60_000, stealth: true })).json<{ id: string }>();
  refused(await other.post(`/session/bql/${id}`, { query: 'x'.repeat(200_000) }), 400, 'MAX_PAYLOAD_SIZE');
  assert.is((await other.get(`/session/${id}`, { method: 'DELETE' })).status, 204);
});

test.shows('private-addresses', 'cluster');
test('pages cannot reach the other server', async () => {
  for (const to of [home, other]) refused(await home.post('/content', { url: `${to.url}/healthz` }), 403);
  const browser = await connect(home, '/');
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  const seen = await page.evaluate(
    `fetch('${other.url}/healthz', { mode: 'no-cors' }).then(() => 'reached', () => 'kept out')`,
  );
  assert.is(seen, 'kept out');
  await browser.close();
});

test.proves('NODE_URL CLUSTER_NODES');
test('settings: errors name the missing or invalid setting', async () => {
  const [url, secret] = ['http://127.0.0.1:3000', clusterSecret];
  const wrong: [Record<string, string>, string][] = [
    [{ NODE_URL: url }, 'CLUSTER_SECRET and CLUSTER_NODES or CLUSTER_URL'],
    [{ CLUSTER_SECRET: secret }, 'NODE_URL'],
    [{ NODE_URL: url, CLUSTER_NODES: url, CLUSTER_SECRET: 'short' }, 'CLUSTER_SECRET'],
    [{ NODE_URL: 'https://node/', CLUSTER_NODES: url, CLUSTER_SECRET: secret }, 'NODE_URL'],
    [{ NODE_URL: url, CLUSTER_NODES: `${url}/path`, CLUSTER_SECRET: secret }, 'CLUSTER_NODES'],
    [{ NODE_URL: url, CLUSTER_URL: 'http://valkey:6379', CLUSTER_SECRET: secret }, 'CLUSTER_URL'],
    [{ NODE_URL: url, CLUSTER_NODES: url, CLUSTER_SECRET: secret, CLUSTER_STRICT: 'true' }, 'Set CLUSTER_URL too'],
  ];
  for (const [env, named] of wrong) await assertRefused(env, named);
});

test('settings: a NODE_NAME without a cluster, or other than two allowed characters, is rejected', async () => {
  await assertRefused({ NODE_NAME: 'aa' }, 'NODE_NAME is only for clusters and needs NODE_URL and CLUSTER_SECRET');
  const url = 'http://127.0.0.1:3000';
  const env = { NODE_URL: url, CLUSTER_NODES: url, CLUSTER_SECRET: clusterSecret };
  for (const name of ['a', 'aaa', 'AA', 'a1', 'a-']) {
    await assertRefused(
      { ...env, NODE_NAME: name },
      /NODE_NAME.*two characters, each a letter from a to z or a digit from 2 to 7/,
    );
  }
});

/** Asserts that no server starts with these settings, and that the message does not contain the secret. */
async function assertRefused(env: Record<string, string>, named: string | RegExp): Promise<void> {
  const message = await startService({ env }).then(
    () => 'the server started',
    (error: unknown) => String(error),
  );
  assert.match(message, 'exited with code 78');
  assert.match(message, named);
  assert.not.match(message, clusterSecret);
}

test.shows('leaked-secrets', 'cluster');
test('the secret and tokens stay out of the logs', () => {
  for (const each of [home, other]) {
    for (const secret of [clusterSecret, ann, bob, 'token-of-all']) assert.not.match(each.output(), secret);
  }
  assert.ok(socketUrl(home, '/').includes('token-of-all'), 'the requests of these tests contain one');
});

test.shows('idle-connections', 'cluster');
test('unauthenticated requests for browsers of a hung server do not block other clients', async () => {
  const [victim, gateway, second] = await startListedWithVictim(2);
  const keep = async (on: Service) => {
    const client = await rawClient(socketUrl(on, '/', { token: 'token-of-all' }));
    const { sessionId } = await openPage(client, `${site.url}/small`);
    const { result } = await client.send('Browserless.reconnect', { timeout: 60_000, auth: 'a-word' }, sessionId);
    return { client, path: new URL(String(result?.['browserWSEndpoint'])).pathname };
  };
  const [wanted, hanging] = [await keep(second), await keep(victim)];
  process.kill(victim.pid, 'SIGSTOP');
  try {
    const ask = () =>
      get(new URL(`${hanging.path}?token=wrong`, gateway.url), { localAddress: '127.0.0.2' })
        .on('response', (response) => response.resume())
        .on('error', () => undefined);
    const asking = Array.from({ length: 60 }, ask);
    const refusals = asking.map((each) => once(each, 'response'));
    // Requests beyond the limit are rejected immediately, so the others are waiting now.
    await Promise.any(refusals);
    const guest = await rawClient(socketUrl(gateway, wanted.path, { token: 'a-word' }));
    guest.socket.close();
    await guest.closed;
    await Promise.all(refusals);
  } finally {
    process.kill(victim.pid, 'SIGCONT');
    for (const { client } of [wanted, hanging]) client.socket.close();
    await stopAll(gateway, second, victim);
  }
});
