// Requests about all servers of a cluster (`scope=cluster`), and taking a server out with `POST /drain`.
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, type SessionEntry, sessionsOf } from '../support/clients/clients.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { startRegisteredWithVictim } from '../support/cluster.ts';
import { type ServerProcess, type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { startValkey, type Valkey } from '../support/valkey.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('calls about a whole cluster', { timeoutMs: 90_000, needs: ['Redis'] });
const tokens = tokensFile([{ name: 'ann' }, { name: 'bob' }]);
const [ann, bob] = [tokenOf('ann'), tokenOf('bob')];
const all = { scope: 'cluster' };
const password = 'password-of-valkey';
let valkey: Valkey;
let site: Site;
let first: Service;
let second: Service;
let third: ServerProcess;

test.before(async () => {
  site = await startSite();
  valkey = await startValkey(password);
  const env = { CONCURRENT: '4', TOKENS_FILE: tokens.path, DRAIN_TIMEOUT_MS: '4000', SOCKET_DRAIN_MS: '1000' };
  [third, first, second] = await startRegisteredWithVictim(2, valkey, env);
});
test.after(() => stopAll(first, second, site, valkey));

const listed = async (on: Service, token: string | undefined, query: Record<string, string> = all) => {
  const asked = () => on.get('/sessions', { query, ...(token === undefined ? {} : { token }) });
  // A busy machine may take longer than the two seconds.
  const whole = await until('a response from all servers', async () => {
    const reply = succeeded(await asked());
    return missing(reply) === undefined ? reply : undefined;
  });
  return whole.json<SessionEntry[]>();
};
const missing = ({ headers }: { headers: Record<string, string> }) => headers['x-servers-missing'];
const browsersOf = (entries: readonly SessionEntry[]) => entries.filter(({ type }) => type === 'browser').length;

test.proves('GET/sessions?scope GET/kill/:id?scope');
test("/sessions: those of all servers, limited to the client's own", async () => {
  const browsers = [];
  for (const token of [ann, ann, ann, bob]) browsers.push(await connect(first, '/', { token }));
  const here = await Promise.all([first, second, third].map(async (each) => browsersOf(await sessionsOf(each))));
  assert.ok(here.filter((count) => count > 0).length > 1, 'they run on several servers');
  for (const each of [first, third]) {
    assert.is(browsersOf(await listed(each, undefined)), 4);
    assert.is(browsersOf(await listed(each, ann)), 3);
    assert.is(browsersOf(await listed(each, bob)), 1);
    assert.is(browsersOf(await listed(each, undefined, { scope: 'node' })), browsersOf(await sessionsOf(each)));
  }
  refused(await first.get('/sessions', { query: { scope: 'world' } }), 400, 'scope');
  refused(await first.get('/sessions', { query: all, token: 'wrong' }), 401);
  // A tenant ends its own sessions on all servers.
  const killed = await third.get('/kill/all', { query: all, token: ann });
  assert.is(killed.status, 204);
  assert.is(missing(killed), undefined);
  await until("ann's sessions to end", async () => browsersOf(await listed(second, undefined)) === 1);
  assert.is(browsersOf(await listed(second, bob)), 1);
  // The body is not forwarded: the servers keep their connections for the requests that follow.
  const posted = await second.post('/kill/all', { kept: 'here' }, { query: all });
  assert.is(posted.status, 204);
  assert.is(missing(posted), undefined);
  await until('all sessions to end', async () => browsersOf(await listed(first, undefined)) === 0);
  for (let turn = 0; turn < 3; turn++) {
    const { id } = succeeded(await second.post('/session', {})).json<{ id: string }>();
    for (const each of [first, third]) succeeded(await each.get(`/session-files/${id}`));
    assert.is((await first.get(`/session/${id}`, { method: 'DELETE' })).status, 204);
  }
});

test.proves('GET/pressure?scope GET/metrics?scope GET/metrics/total?scope');
test('/pressure and /metrics: totals', async () => {
  for (const each of [first, second]) succeeded(await each.post('/content', { url: `${site.url}/small` }));
  const { pressure } = succeeded(await third.get('/pressure', { query: all })).json<{ pressure: any }>();
  assert.is(pressure.maxConcurrent, 12);
  assert.is(pressure.isAvailable, true);
  assert.type(pressure.cpu, 'number');
  const text = { accept: 'text/plain' };
  const said = succeeded(await third.get('/pressure', { query: all, headers: text }));
  assert.match(said.text, 'Ready');
  assert.is(missing(said), undefined);
  assert.is(missing(await third.get('/pressure', { query: all, method: 'HEAD' })), undefined);
  const own = succeeded(await third.get('/pressure')).json<{ pressure: any }>().pressure;
  assert.is(own.maxConcurrent, 4);
  const total = succeeded(await third.get('/metrics/total', { query: all })).json<any>();
  const each = await Promise.all(
    [first, second, third].map(async (on) => succeeded(await on.get('/metrics/total')).json<any>()),
  );
  assert.is(
    total.successful,
    each.reduce((sum, one) => sum + one.successful, 0),
  );
  assert.ok(total.successful >= 2);
  succeeded(await third.get('/metrics', { query: all }));
  refused(await third.get('/metrics', { query: all, headers: text }), 400, 'scrape each server');
  for (const path of ['/metrics', '/metrics/total']) refused(await third.get(path, { query: all, token: ann }), 401);
});

test('a frozen server is missing from the response, which arrives in time', async () => {
  process.kill(third.pid, 'SIGSTOP');
  try {
    const began = idleNow();
    const reply = await first.get('/sessions', { query: all });
    succeeded(reply);
    assert.is(missing(reply), '1');
    assert.ok(idleNow() - began < 4_000);
  } finally {
    process.kill(third.pid, 'SIGCONT');
  }
  await until('the server to respond', async () => {
    return missing(await first.get('/sessions', { query: all })) === undefined;
  });
});

test('POST /drain: the operator takes a server out without losing requests', async () => {
  refused(await third.post('/drain', {}, { token: ann }), 401);
  const open = await startService({ env: { SPARES: '0' } });
  refused(await open.post('/drain', {}), 401, 'anybody could stop it');
  await open.stop();
  refused(await third.post('/drain', {}, { token: null, headers: { origin: 'https://elsewhere.example' } }), 401);
  succeeded(await third.get('/ready'));
  const running = third.post('/content', { url: `${site.url}/slow?ms=3000` });
  await site.waitForRequest('/slow');
  assert.is((await third.post('/drain', {})).status, 204);
  refused(await third.get('/ready'), 503);
  const browsers = [];
  for (let turn = 0; turn < 6; turn++) browsers.push(await connect(first));
  succeeded(await running);
  // The usual signal afterward does not cut anything short, and the process exits on its own.
  await third.stop(true);
  for (const each of browsers) assert.match(await each.version(), 'Chrome');
  assert.is(browsersOf(await sessionsOf(first)) + browsersOf(await sessionsOf(second)), 6);
  const { pressure } = succeeded(await first.get('/pressure', { query: all })).json<{ pressure: any }>();
  assert.is(pressure.maxConcurrent, 8);
  for (const each of browsers) await each.close();
});

test('the Valkey password does not appear in logs or /config, even when Valkey is gone', async () => {
  const shown = succeeded(await first.get('/config')).text;
  assert.not.match(shown, password);
  valkey.signal('SIGKILL');
  await until('the outage to be noticed', () => first.logs().some(({ event }) => event === 'cluster.registry-down'));
  for (const each of [first, second, third]) assert.not.match(each.output(), password);
});
