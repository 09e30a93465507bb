// Requests that wait for a slot of the cluster while connections and Valkey fail: none is forgotten, and none leaves a
// slot taken.
import { Redis } from 'iovalkey';
import * as assert from 'uvu/assert';
import { type SlotRequest, Registry } from '../../src/control/cluster/registry/registry.ts';
import { StoreDown } from '../../src/control/cluster/registry/store-down.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { startValkey, type Valkey } from '../support/valkey.ts';

const test = suite('calls that wait in a cluster', { timeoutMs: 60_000, needs: ['Redis'] });
let valkey: Valkey;
let raw: Redis;
let asking: Registry;
let serving: Registry;
const never = new AbortController().signal;

async function open(node: string, slots: number): Promise<Registry> {
  const log = createLog({ level: 'error', write() {}, secrets: [] });
  const options = { url: valkey.url, node, address: `http://${node}:3000`, secret: 'a secret of the tests' };
  const registry = new Registry({ ...options, onAddress() {}, log });
  const load = { slots, running: 0, queued: 0, mayQueue: 0, sessions: 0, draining: false };
  await registry.join(() => ({ ...load, running: slots === 0 ? 0 : used }));
  return registry;
}
/** Claims on `serving` that requests are using. */
let used = 0;

test.before.each(async () => {
  used = 0;
  valkey = await startValkey();
  raw = new Redis(valkey.url.replace(/^valkey/, 'redis'));
  raw.on('error', () => undefined);
  asking = await open('aaaaaa', 0);
  serving = await open('bbbbbb', 1);
});
test.after.each(async () => {
  raw.disconnect();
  await Promise.all([asking.leave(), serving.leave()]);
  await valkey.stop();
});

const ask = (): SlotRequest => ({
  tenant: 'ann',
  limit: 0,
  queued: 10,
  weight: 1,
  maxWaitMs: 60_000,
  isLocal: false,
  excluded: [],
  onQueued() {},
});
const claimed = async (signal = never) => {
  const answer = await asking.claim(ask(), signal);
  if (!('claim' in answer)) throw new Error(answer.refused);
  return answer.claim;
};
/** Takes the only slot and makes a second claim wait for it. */
async function takeAndWait() {
  const first = await claimed();
  const waiting = claimed();
  waiting.catch(() => undefined);
  await until('the request to wait', () => asking.waiting === 1);
  return { first, waiting };
}

test('a request canceled while Valkey was frozen gets no slot later', async () => {
  const { first, waiting } = await takeAndWait();
  valkey.signal('SIGSTOP');
  const failed = await Promise.all([1, 2, 3].map(() => claimed().catch((error: unknown) => error)));
  assert.ok(failed.every((error) => error instanceof StoreDown));
  assert.instance(await waiting.catch((error: unknown) => error), StoreDown);
  valkey.signal('SIGCONT');
  await until('Valkey to be used', () => asking.up);
  await until('the queue there to be empty', async () => (await raw.zcard('bd:{c}:calls')) === 0);
  await asking.leases.release(first);
  assert.is((await claimed()).node, 'bbbbbb');
});

test('a request whose message connection is cut asks again and gets a slot', async () => {
  const { first, waiting } = await takeAndWait();
  assert.ok(Number(await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub')) >= 2);
  await asking.leases.release(first);
  assert.is((await waiting).node, 'bbbbbb');
});

test('a request that Valkey has lost asks again and gets a slot', async () => {
  const { first, waiting } = await takeAndWait();
  const [id = ''] = await raw.zrange('bd:{c}:calls', 0, -1);
  await raw.del(`bd:{c}:call:${id}`, 'bd:{c}:queue:ann');
  await asking.leases.release(first);
  assert.is((await waiting).node, 'bbbbbb');
});

test('a canceled request releases the slot that it was just given', async () => {
  const { first, waiting } = await takeAndWait();
  const leaving = new AbortController();
  const left = claimed(leaving.signal).catch((error: unknown) => error);
  await until('the request to wait', () => asking.waiting === 2);
  await Promise.all([asking.leases.release(first), Promise.resolve().then(() => leaving.abort(new Error('gone')))]);
  assert.is(((await left) as Error).message, 'gone');
  const second = await waiting;
  await asking.leases.release(second);
  assert.is((await claimed()).node, 'bbbbbb');
});

test('a server that is busy with its own requests takes a waiting one into its queue', async () => {
  used = 1;
  await serving.beat();
  const waiting = claimed();
  await until('the request to wait', () => asking.waiting === 1);
  const busy = new Registry({
    url: valkey.url,
    node: 'cccccc',
    address: 'http://cccccc:3000',
    secret: 'a secret of the tests',
    onAddress() {},
    log: createLog({ level: 'error', write() {}, secrets: [] }),
  });
  await busy.join(() => ({ slots: 1, running: 1, queued: 3, mayQueue: 10, sessions: 0, draining: false }));
  assert.is((await waiting).node, 'cccccc');
  await busy.leave();
});

test('whenNobodyWaits() resolves once no request is waiting', async () => {
  await asking.whenNobodyWaits();
  const { first, waiting } = await takeAndWait();
  let empty = false;
  const told = asking.whenNobodyWaits().then(() => (empty = true));
  await asking.beat();
  assert.is(empty, false);
  await asking.leases.release(first);
  await waiting;
  await told;
});
