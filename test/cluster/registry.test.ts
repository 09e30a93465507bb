// A cluster with a registry: slots, queue and limits of tokens are shared, and nothing that runs depends on it.
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, sessionsOf } from '../support/clients/clients.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { startRegistered } from '../support/cluster.ts';
import { type Service, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { figure, suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { startValkey, type Valkey } from '../support/valkey.ts';

const test = suite('a cluster with a registry', { timeoutMs: 90_000 });
const tokens = tokensFile([{ name: 'ann', concurrent: 2, queued: 0 }]);
let valkey: Valkey;
let site: Site;
let first: Service;
let second: Service;

test.before(async () => {
  site = await startSite();
  valkey = await startValkey();
  const env = { CONCURRENT: '3', QUEUED: '5', TOKENS_FILE: tokens.path, DRAIN_TIMEOUT_MS: '2000' };
  const [one, two] = await startRegistered(2, valkey, env);
  if (!one || !two) throw new Error('two servers were asked for');
  [first, second] = [one, two];
});
test.after(async () => {
  await stopAll(first, second, site, valkey);
  tokens[Symbol.dispose]();
});

const counts = () => Promise.all([first, second].map(async (each) => (await sessionsOf(each)).length));

test('browsers start where there is most room, whichever server is asked', async () => {
  const browsers = [];
  for (let turn = 0; turn < 6; turn++) browsers.push(await connect(first));
  assert.equal(await counts(), [3, 3]);
  for (const each of browsers) assert.match(await each.version(), 'Chrome');
  const waiting = connect(second);
  await browsers[0]?.close();
  const seventh = await waiting;
  assert.equal(await counts(), [3, 3]);
  for (const each of [...browsers.slice(1), seventh]) await each.close();
  await until('no session', async () => (await counts()).every((each) => each === 0));
});

test('a token has its limit once, on all servers', async () => {
  const token = tokenOf('ann');
  const browsers = [await connect(first, '/', { token }), await connect(second, '/', { token })];
  for (const each of [first, second]) assert.is((await handshake(each, '/', { token })).status, 429);
  refused(await second.post('/content', { url: `${site.url}/small` }, { token }), 429);
  await browsers[0]?.close();
  await until(
    'a place',
    async () => (await second.post('/content', { url: `${site.url}/small` }, { token })).status === 200,
  );
  await browsers[1]?.close();
});

test('calls of REST that find no room go to the other server', async () => {
  const calls = Array.from({ length: 12 }, () => first.post('/content', { url: `${site.url}/slow?ms=1500` }));
  for (const call of calls) succeeded(await call);
  assert.ok(second.logs().some(({ route }) => route === '/content'));
});

test('Valkey is frozen, killed and back: sessions go on, new ones come, and it learns of them', async () => {
  const kept = [await connect(first), await connect(first), await connect(first)];
  for (const way of ['SIGSTOP', 'SIGKILL'] as const) {
    valkey.signal(way);
    const began = performance.now();
    const browser = await connect(first);
    figure(`a browser ${Math.round(performance.now() - began)} ms after ${way}`);
    for (const each of kept) assert.match(await each.version(), 'Chrome');
    await browser.close();
    if (way === 'SIGSTOP') valkey.signal('SIGCONT');
  }
  await valkey.restart();
  const began = performance.now();
  await until('the registry to be up', () =>
    [first, second].every((each) => each.logs().filter(({ event }) => event === 'cluster.registry-up').length >= 2),
  );
  figure(`back after ${Math.round(performance.now() - began)} ms`);
  for (const each of kept) await each.close();
});
