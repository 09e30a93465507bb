// CLUSTER_URL: Valkey is frozen, killed and comes back empty under load: sessions continue, new ones start, and Valkey
// learns about them again.
import { Redis } from 'iovalkey';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, type Query, sessionsOf } from '../support/clients/clients.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { startRegistered } from '../support/cluster.ts';
import { idleNow } from '../support/idle-clock.ts';
import { type Service, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { figure, suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { startValkey, type Valkey } from '../support/valkey.ts';

const test = suite('a cluster whose registry fails', { timeoutMs: 90_000, needs: ['Redis'] });
const tokens = tokensFile([{ name: 'ann', concurrent: 4, queued: 0 }]);
const ann = { token: tokenOf('ann') };
let valkey: Valkey;
let site: Site;
let first: Service;
let second: Service;
let strict: Service;

test.before(async () => {
  site = await startSite();
  valkey = await startValkey();
  const env = { CONCURRENT: '6', QUEUED: '5', TOKENS_FILE: tokens.path, DRAIN_TIMEOUT_MS: '2000' };
  [first, second, strict] = await startRegistered(3, valkey, env, (index) =>
    index === 2 ? { CLUSTER_STRICT: 'true', CONCURRENT: '1' } : {},
  );
});
test.after(() => stopAll(first, second, strict, site, valkey));

const gauge = async (of: Service, name: string) => {
  const { text } = await of.get('/metrics', { headers: { accept: 'text/plain' } });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
};
const timed = async (work: () => Promise<unknown>) => {
  const began = idleNow();
  await work();
  return idleNow() - began;
};
const openAndClose = async (on: Service, query: Query = {}) => {
  const browser = await connect(on, '/', query);
  await browser.close();
};

test('frozen: no request takes more than 300 ms longer, and requests without a limit do not query it', async () => {
  const kept = await connect(first);
  // Each of these connections consults Valkey at three points.
  const open = () => openAndClose(first, { ...ann, trackingId: 'mine' });
  const usual = Math.max(await timed(open), await timed(open), await timed(open));
  const later: number[] = [];
  // A busy machine may slow down one connection, but not every one.
  for (let turn = 0; turn < 3; turn++) {
    valkey.signal('SIGSTOP');
    try {
      later.push((await timed(open)) - usual);
      assert.match(await kept.version(), 'Chrome');
      succeeded(await second.post('/content', { url: `${site.url}/small` }));
    } finally {
      valkey.signal('SIGCONT');
    }
    await until('Valkey to be used', async () => (await gauge(first, 'browserd_cluster_up')) === 1);
    await until('the tracking id to be free', () =>
      open().then(
        () => true,
        () => false,
      ),
    );
  }
  figure(`a browser takes ${later.map(Math.round).join(', ')} ms more than ${Math.round(usual)} ms`);
  assert.ok(Math.min(...later) < 300, `${later} ms`);
  await kept.close();
});

test.proves('CLUSTER_URL CLUSTER_STRICT');
test('killed under load: sessions survive, new ones start immediately within shares of the limits, and it learns about all', async () => {
  const kept = [await connect(first), await connect(second), await connect(first, '/', ann)];
  const idsNow = async () => (await Promise.all([first, second].map(sessionsOf))).flat().map(({ id }) => id);
  const ids = await idsNow();
  const stop = new AbortController();
  const failures: string[] = [];
  const load = [first, second].map(async (each) => {
    while (!stop.signal.aborted) {
      await openAndClose(each).catch((error: unknown) => failures.push(String(error)));
      const { status, text } = await each.post('/content', { url: `${site.url}/small` });
      if (status !== 200) failures.push(text);
    }
  });
  valkey.signal('SIGKILL');
  const late = await timed(() => Promise.any([openAndClose(first), openAndClose(second)]));
  assert.ok(late < 1_000, `${late} ms`);
  await until('all servers to notice', async () => (await gauge(second, 'browserd_cluster_up')) === 0);
  // Each of the three servers allows a third of four, rounded down. One of them already runs a session of this token.
  for (const each of [first, second]) {
    const own = succeeded(await each.get('/sessions', ann)).json<unknown[]>();
    const { status } = await handshake(each, '/', ann);
    assert.is(status, own.length === 0 ? 101 : 429);
  }
  refused(await strict.post('/unblock', { url: `${site.url}/small`, content: true }), 503, 'Valkey');
  const { status, text } = await handshake(strict, '/');
  assert.is(status, 503);
  assert.match(text, 'Valkey');
  await valkey.restart();
  const back = await timed(() =>
    until('all servers to reconnect', async () => {
      const up = await Promise.all([first, second, strict].map((each) => gauge(each, 'browserd_cluster_up')));
      return up.every((value) => value === 1);
    }),
  );
  figure(`a browser ${Math.round(late)} ms after Valkey was killed; back ${Math.round(back)} ms after its restart`);
  assert.ok(back < 3_000, `${back} ms`);
  stop.abort();
  await Promise.all(load);
  assert.equal(failures, []);
  for (const each of kept) assert.match(await each.version(), 'Chrome');
  const after = await idsNow();
  assert.equal(
    ids.filter((id) => !after.includes(id)),
    [],
  );
  // It knows again what is running: three more sessions for the token, but no fourth.
  const more = [];
  for (let turn = 0; turn < 3; turn++) more.push(await connect(turn % 2 === 0 ? first : second, '/', ann));
  for (const each of [first, second]) assert.is((await handshake(each, '/', ann)).status, 429);
  for (const each of [...kept, ...more]) await each.close();
});

test('an invalid message does not disturb a server', async () => {
  const { id } = succeeded(await first.post('/session', {})).json<{ id: string }>();
  const client = new Redis(valkey.url.replace('valkey', 'redis'));
  for (const text of ['no JSON', '[]', '{"granted":1}', '{"granted":"nobody","node":"nobody"}'])
    assert.is(await client.publish(`bd:{c}:to:${id.slice(0, 6)}`, text), 1);
  client.disconnect();
  await until('the log line', () =>
    [first, second, strict].some((each) => each.logs().some(({ event }) => event === 'cluster.message')),
  );
  await openAndClose(first);
});
