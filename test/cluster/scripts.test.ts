// The scripts in a real Redis: racing claims, dead and draining servers, fair scheduling, and data loss.
import { Redis } from 'iovalkey';
import * as assert from 'uvu/assert';
import { scripts } from '../../src/control/cluster/registry/scripts.ts';
import { Store } from '../../src/control/cluster/registry/store.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { figure, suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { startValkey, type Valkey } from '../support/valkey.ts';

const test = suite('scripts of the registry', { timeoutMs: 120_000, needs: ['Redis'] });
let valkey: Valkey;
const stores: Store[] = [];
const grants: any[] = [];

async function open(node: string): Promise<Store> {
  const log = createLog({ level: 'error', write: (line) => console.error(line) });
  const store = new Store(
    { url: valkey.url, node, onAddress() {}, log },
    { onMessage: (message: any) => message.granted && grants.push(message), onUp() {}, onDown() {}, onGap() {} },
  );
  stores.push(store);
  await until('Redis to be reached', () => store.up);
  return store;
}

type Runs = Pick<Store, 'run'>;

/** A connection without a timeout, for busy machines: a racer that gave up would not count as rejected. */
function openPatient(): Runs & Disposable {
  const redis = new Redis(valkey.url.replace(/^valkey/, 'redis'));
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { numberOfKeys: 0, lua });
  return {
    run: (script, ...values) => (redis as any)[script](...values),
    [Symbol.dispose]: () => redis.disconnect(),
  };
}

test.before(async () => {
  valkey = await startValkey();
});
test.after(async () => {
  for (const each of stores) each.close();
  await valkey.stop();
});
test.before.each(async () => {
  await valkey.restart();
  await Promise.all(
    stores.map((each) =>
      until('Redis to be reached', () =>
        each.run('members').then(
          () => true,
          () => false,
        ),
      ),
    ),
  );
  grants.length = 0;
});

const beat = (store: Runs, node: string, slots: number, { own = 0, drain = 0, lifeMs = 6_000 } = {}) =>
  store.run('beat', node, `http://${node}`, slots, own, 0, drain, 'v', lifeMs, 0, 0);
interface ClaimOptions {
  tenant: string;
  id: string;
  limit?: number;
  waits?: number;
  weight?: number;
  asker?: string;
  leaseMs?: number;
}

const claim = async (
  store: Runs,
  { tenant, id, limit = 0, waits = 0, weight = 1, asker = 'none', leaseMs = 60_000 }: ClaimOptions,
) =>
  (await store.run(
    'claim',
    tenant,
    limit,
    id,
    leaseMs,
    asker,
    waits,
    waits,
    60_000,
    weight,
    asker,
    '',
    '',
  )) as string[];

test('of a thousand racers over twenty connections, exactly the limit or the number of slots succeed', async () => {
  using opened = new DisposableStack();
  const clients = Array.from({ length: 20 }, () => opened.use(openPatient()));
  const [first] = clients;
  if (!first) throw new Error('no connection');
  const nodes = Array.from({ length: 10 }, (_, index) => `n${index}`);
  const repeats = 3;
  const began = performance.now();
  for (let round = 0; round < repeats; round++) {
    for (const [limit, expectedGrants] of [
      [50, 50],
      [0, 500],
    ] as const) {
      for (const node of nodes) await beat(first, node, 50);
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, (_, turn) =>
          claim(clients[turn % 20] ?? first, { tenant: 'a', id: `${round}-${turn}`, limit }),
        ),
      );
      const granted = answers.flatMap(([outcome, node]) => (outcome === 'ok' && node !== undefined ? [node] : []));
      assert.is(granted.length, expectedGrants);
      const counts = nodes.map((node) => granted.filter((each) => each === node).length);
      assert.equal(new Set(counts), new Set([expectedGrants / 10]));
      const releases = answers.map(async ([outcome, node], turn) => {
        if (outcome === 'ok') await clients[turn % 20]?.run('release', node ?? '', 'a', `${round}-${turn}`);
      });
      await Promise.all(releases);
    }
  }
  figure(`${repeats} times 2,000 claims and their releases in ${(performance.now() - began).toFixed(0)} ms`);
});

test('dead, draining, and busy servers get nothing', async () => {
  const store = await open('asker');
  await beat(store, 'live', 1_000);
  await beat(store, 'busy', 5, { own: 5 });
  await beat(store, 'draining', 2_000, { drain: 1 });
  await beat(store, 'dead', 3_000, { lifeMs: 1 });
  await until('the heartbeat to expire', async () => !((await store.run('members')) as string[]).includes('dead'));
  const used = new Set<string | undefined>();
  for (let turn = 0; turn < 100; turn++) used.add((await claim(store, { tenant: 'a', id: `x${turn}` }))[1]);
  assert.equal([...used], ['live']);
});

test('fairness: a flood from one tenant does not delay another, and canceled requests get nothing', async () => {
  const store = await open('asker2');
  await beat(store, 'one', 10);
  await beat(store, 'asker2', 0);
  for (let turn = 0; turn < 10; turn++) assert.is((await claim(store, { tenant: 'a', id: `r${turn}` }))[0], 'ok');
  for (let turn = 0; turn < 90; turn++)
    assert.is((await claim(store, { tenant: 'a', id: `a${turn}`, waits: 500, asker: 'asker2' }))[0], 'wait');
  for (let turn = 0; turn < 5; turn++)
    assert.is((await claim(store, { tenant: 'b', id: `b${turn}`, waits: 500, asker: 'asker2' }))[0], 'wait');
  await store.run('leave', 'a0', 'a');
  for (let turn = 0; turn < 10; turn++) await store.run('release', 'one', 'a', `r${turn}`);
  await until('ten grants', () => grants.length >= 10);
  const ids = grants.map(({ granted }) => String(granted));
  assert.is(ids.filter((id) => id.startsWith('b')).length, 5);
  assert.is(ids.includes('a0'), false);
  assert.is(grants[0].node, 'one');
});

test('a tenant at its limit: its requests get the slot of a released claim, an expired lease, and a canceled request', async () => {
  const store = await open('asker3');
  await beat(store, 'one', 10);
  await beat(store, 'asker3', 0);
  const ask = (id: string, leaseMs: number) =>
    claim(store, { tenant: 'a', limit: 1, id, waits: 9, asker: 'asker3', leaseMs });
  assert.is((await ask('a0', 60_000))[0], 'ok');
  for (const id of ['a1', 'a2', 'a3']) assert.is((await ask(id, id === 'a2' ? 1 : 60_000))[0], 'wait');
  const granted = () => grants.map((each) => String(each.granted)).join(' ');
  await store.run('release', 'one', 'a', 'a0');
  await until('the released slot', () => granted() === 'a1');
  await store.run('leave', 'a1', 'a');
  await until('the slot of the expired lease', async () => {
    await beat(store, 'one', 10);
    return granted() === 'a1 a2 a3';
  });
  await store.run('leave', 'a3', 'a');
  const taken = await Promise.all(
    Array.from({ length: 11 }, (_, turn) => claim(store, { tenant: 'b', id: `b${turn}` })),
  );
  assert.equal(taken.map(([outcome]) => outcome).toSorted(), ['full', ...Array(10).fill('ok')]);
});

test('neither servers nor tenants waiting at their limits make scripts for others slower', async () => {
  const store = await open('asker4');
  using inspector = inspect();
  for (let turn = 0; turn < 100; turn++) {
    await beat(store, `n${turn}`, 10);
    await beat(store, 'asker4', 0);
    const ask = (id: string) => claim(store, { tenant: `t${turn}`, limit: 1, id, waits: 300, asker: 'asker4' });
    assert.equal([(await ask(`r${turn}`))[0], (await ask(`w${turn}`))[0]], ['ok', 'wait']);
  }
  const [, node] = await claim(store, { tenant: 'a', id: 'first' });
  // Visits each waiting tenant once.
  await store.run('release', String(node), 'a', 'first');
  const steps: Record<string, () => Promise<unknown>> = {
    claim: () => claim(store, { tenant: 'a', id: 'second' }),
    leave: () => store.run('leave', 'second', 'a'),
    again: () => claim(store, { tenant: 'a', id: 'third' }),
    release: () => store.run('release', 'n0', 'a', 'third'),
    beat: () => beat(store, 'n1', 10),
  };
  for (const [name, run] of Object.entries(steps)) {
    const before = await inspector.commands();
    await run();
    const count = (await inspector.commands()) - before;
    assert.ok(count < 40, `${name} ran ${count} commands`);
  }
});

/** Counts the commands that Redis has run, including those of scripts. */
function inspect(): Disposable & { commands(): Promise<number> } {
  const redis = new Redis(valkey.url.replace(/^valkey/, 'redis'));
  return {
    async commands() {
      const stats = (await redis.call('INFO', 'commandstats')) as string;
      return [...stats.matchAll(/:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
    },
    [Symbol.dispose]: () => redis.disconnect(),
  };
}
