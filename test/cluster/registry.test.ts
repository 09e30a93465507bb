// A cluster with a registry shares slots, queue, token limits and tracking ids.
// @tier ci
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, sessionsOf } from '../support/clients/clients.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { startRegistered } from '../support/cluster.ts';
import { type Service, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { startValkey, type Valkey } from '../support/valkey.ts';

const test = suite('a cluster with a registry', { timeoutMs: 90_000, needs: ['Redis'] });
const tokens = tokensFile([{ name: 'ann', concurrent: 2, queued: 0 }]);
let valkey: Valkey;
let site: Site;
let first: Service;
let second: Service;

test.before(async () => {
  site = await startSite();
  valkey = await startValkey();
  const env = { CONCURRENT: '3', QUEUED: '5', TOKENS_FILE: tokens.path, DRAIN_TIMEOUT_MS: '2000' };
  [first, second] = await startRegistered(2, valkey, env);
});
test.after(() => stopAll(first, second, site, valkey));

const counts = () => Promise.all([first, second].map(async (each) => (await sessionsOf(each)).length));

test('sessions are created where most slots are free, and found from each server', async () => {
  const made = [];
  for (let turn = 0; turn < 4; turn++) made.push(succeeded(await first.post('/session', {})).json<{ id: string }>().id);
  const names = Map.groupBy(made, (id) => id.slice(0, 6));
  assert.equal(
    [...names.values()].map((ids) => ids.length),
    [2, 2],
  );
  for (const id of made) assert.is((await second.get(`/session/${id}`, { method: 'DELETE' })).status, 204);
});

test('browsers start where most slots are free, no matter which server gets the request', async () => {
  const browsers = [];
  for (let turn = 0; turn < 6; turn++) browsers.push(await connect(first));
  assert.equal(await counts(), [3, 3]);
  for (const each of browsers) assert.match(await each.version(), 'Chrome');
  const waiting = connect(second);
  await browsers[0]?.close();
  const seventh = await waiting;
  assert.equal(await counts(), [3, 3]);
  for (const each of [...browsers.slice(1), seventh]) await each.close();
  await until('all sessions to end', async () => (await counts()).every((each) => each === 0));
});

test.needs('a full Chromium');
test('/unblock runs where most slots are free', async () => {
  const kept = await connect(first);
  const calls = Array.from({ length: 4 }, () => first.post('/unblock', { url: `${site.url}/small`, content: true }));
  for (const call of calls) succeeded(await call);
  assert.ok(second.logs().some(({ route }) => route === '/unblock'));
  await kept.close();
});

test("a token's limit applies across all servers", async () => {
  const token = tokenOf('ann');
  const browsers = [await connect(first, '/', { token }), await connect(second, '/', { token })];
  for (const each of [first, second]) assert.is((await handshake(each, '/', { token })).status, 429);
  refused(await second.post('/content', { url: `${site.url}/small` }, { token }), 429);
  await browsers[0]?.close();
  await until(
    'a free slot',
    async () => (await second.post('/content', { url: `${site.url}/small` }, { token })).status === 200,
  );
  await browsers[1]?.close();
});

test('REST requests that find no free slot go to the other server', async () => {
  const calls = Array.from({ length: 12 }, () => first.post('/content', { url: `${site.url}/slow?ms=1500` }));
  for (const call of calls) succeeded(await call);
  assert.ok(second.logs().some(({ route }) => route === '/content'));
});

test('a request for a local session is not forwarded, even if no slot is free', async () => {
  const made = [];
  for (let turn = 0; turn < 2; turn++) {
    made.push(succeeded(await first.post('/session', { stealth: true })).json<{ id: string }>().id);
  }
  const calls = Array.from({ length: 8 }, () => first.post('/content', { url: `${site.url}/slow?ms=2000` }));
  await until('the queue to be full', async () => {
    const { pressure } = succeeded(await first.get('/pressure')).json<{ pressure: any }>();
    return pressure.reason === 'full';
  });
  const document = { query: `mutation { goto(url: "${site.url}/small") { status } }` };
  const replies = await Promise.all(made.map((id) => first.post(`/session/bql/${id}`, document)));
  assert.equal(replies.map(({ status }) => status).toSorted(), [200, 429]);
  for (const call of calls) succeeded(await call);
  for (const id of made) assert.is((await second.get(`/session/${id}`, { method: 'DELETE' })).status, 204);
});

test('a tracking id is unique in the cluster for each token', async () => {
  const [query, token] = [{ trackingId: 'mine' }, tokenOf('ann')];
  const browser = await connect(first, '/', query);
  for (const each of [first, second]) {
    const { status, text } = await handshake(each, '/', query);
    assert.is(status, 400);
    assert.match(text, '"mine" already exists');
    refused(await each.post('/content', { url: `${site.url}/small` }, { query }), 400, '"mine" already exists');
  }
  const other = await connect(second, '/', { ...query, token });
  await other.close();
  await browser.close();
  await until('the tracking id to be free', async () => {
    const { status } = await second.post('/content', { url: `${site.url}/small` }, { query });
    return status === 200;
  });
});

test('the metrics include the registry', async () => {
  const text = (await first.get('/metrics', { headers: { accept: 'text/plain' } })).text;
  assert.match(text, 'browserd_cluster_up 1');
  assert.match(text, 'browserd_cluster_servers 2');
});
