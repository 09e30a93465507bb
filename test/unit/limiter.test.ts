/** Slots, queueing and rejections, without browsers. */
import * as assert from 'uvu/assert';
import { Limiter } from '../../src/control/admission/limiter.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { suite } from '../support/suite.ts';

const test = suite('limiter');
const never = new AbortController().signal;

async function refusalOf(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw new Error(`expected a ServiceError, got ${String(error)}`);
}

test.peer('management and settings');
test('runs immediately while there are slots, then queues, then rejects with Retry-After', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 1 });
  const first = await limiter.acquire(never);
  let queued = 0;
  const second = limiter.acquire(never, { onQueued: () => queued++ });
  assert.is(queued, 1);
  assert.is(limiter.running, 1);
  assert.is(limiter.queued, 1);
  const refusal = await refusalOf(limiter.acquire(never));
  assert.is(refusal.code, 'queue-full');
  assert.is(refusal.message, 'Too many requests');
  assert.ok(Number(refusal.headers['Retry-After']) >= 1);
  first[Symbol.dispose]();
  const slot = await second;
  assert.is(limiter.queued, 0);
  assert.is(limiter.running, 1);
  slot[Symbol.dispose]();
  assert.is(limiter.running, 0);
});

test.peer('management and settings');
test('grants slots in order of arrival', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 5 });
  const order: number[] = [];
  const first = await limiter.acquire(never);
  const others = [1, 2, 3].map(async (number) => {
    using _ = await limiter.acquire(never);
    order.push(number);
  });
  first[Symbol.dispose]();
  await Promise.all(others);
  assert.equal(order, [1, 2, 3]);
});

test.peer('management and settings');
test('a client that disconnects is removed from the queue', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 1 });
  const first = await limiter.acquire(never);
  const leaving = new AbortController();
  const second = limiter.acquire(leaving.signal);
  leaving.abort(new ServiceError('client-gone', 'gone'));
  assert.is((await refusalOf(second)).code, 'client-gone');
  assert.is(limiter.queued, 0);
  first[Symbol.dispose]();
  assert.is(limiter.running, 0);
});

test('more slots admit waiting requests immediately; with fewer, running ones continue and the others wait', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 5 });
  const first = await limiter.acquire(never);
  const [second, third] = [limiter.acquire(never), limiter.acquire(never)];
  limiter.resize(2);
  const entered = await second;
  assert.equal([limiter.running, limiter.queued], [2, 1]);
  limiter.resize(1);
  first[Symbol.dispose]();
  assert.equal([limiter.running, limiter.queued], [1, 1]);
  entered[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  assert.equal([limiter.running, limiter.queued], [0, 0]);
});

test('releasing a slot twice frees it once', async () => {
  const limiter = new Limiter({ concurrent: 2, queued: 0 });
  const first = await limiter.acquire(never);
  await limiter.acquire(never);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  assert.is(limiter.running, 1);
});

test.peer('management and settings');
test('with no slots and no queue, every request is rejected', async () => {
  const limiter = new Limiter({ concurrent: 0, queued: 0 });
  assert.is((await refusalOf(limiter.acquire(never))).code, 'queue-full');
});

test('reports when it is idle', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 1 });
  const first = await limiter.acquire(never);
  const second = limiter.acquire(never);
  let idle = false;
  const whenIdle = limiter.whenIdle().then(() => (idle = true));
  first[Symbol.dispose]();
  const slot = await second;
  assert.is(idle, false);
  slot[Symbol.dispose]();
  await whenIdle;
  assert.is(idle, true);
});

test('a request that enters over the limit keeps others waiting until there is room again', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 5 });
  const first = await limiter.acquire(never);
  const beyond = limiter.enter();
  assert.is(limiter.running, 2);
  let entered = false;
  const waiting = limiter.acquire(never).then((slot) => {
    entered = true;
    return slot;
  });
  first[Symbol.dispose]();
  await Promise.resolve();
  assert.equal([entered, limiter.running, limiter.queued], [false, 1, 1]);
  beyond[Symbol.dispose]();
  (await waiting)[Symbol.dispose]();
  assert.equal([entered, limiter.running], [true, 0]);
});
