/** Slots, queueing and rejections, the shares of accounts, and how many sessions may start per second, without browsers. */
import * as assert from 'uvu/assert';
import { Limiter, type Share, type Slot } from '../../src/control/admission/limiter.ts';
import { SessionRate } from '../../src/control/admission/session-rate.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { problemOf, refusalOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';

// Without a browser, a test that takes longer waits for a slot that is never free.
const test = suite('limiter', { timeoutMs: 10_000 });
const never = new AbortController().signal;

test.peer('management and settings');
test('runs immediately while there are slots, then queues, then rejects with Retry-After', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 1 });
  const first = await limiter.acquire(never);
  let queued = 0;
  const second = limiter.acquire(never, { onQueued: () => queued++ });
  assert.is(queued, 1);
  assert.is(limiter.running, 1);
  assert.is(limiter.queued, 1);
  const refusal = await problemOf(limiter.acquire(never));
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
  assert.is((await problemOf(second)).code, 'client-gone');
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
  assert.is((await problemOf(limiter.acquire(never))).code, 'queue-full');
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

const share = (change: Partial<Share> = {}): Share => ({
  concurrent: undefined,
  queued: undefined,
  weight: 1,
  ...change,
});

test('a limit of N admits exactly N of 1,000 concurrent requests, again after all have left', async () => {
  const limiter = new Limiter({ concurrent: 500, queued: 0 });
  for (let repeat = 0; repeat < 3; repeat++) {
    const [capped, free] = [share({ concurrent: 50, queued: 0 }), share()];
    const slots: Slot[] = [];
    const codes = new Map<string, number>();
    const race = async (racer: Share, name: string) => {
      await limiter.acquire(never, { share: racer }).then(
        (slot) => slots.push(slot),
        (error: unknown) => {
          const key = `${name} ${error instanceof ServiceError ? error.code : String(error)}`;
          codes.set(key, (codes.get(key) ?? 0) + 1);
        },
      );
    };
    await Promise.all(Array.from({ length: 1_000 }, () => race(capped, 'capped')));
    assert.is(slots.length, 50);
    assert.is(codes.get('capped quota'), 950);
    await Promise.all(Array.from({ length: 1_000 }, () => race(free, 'free')));
    assert.is(slots.length, 500);
    for (const slot of slots) slot[Symbol.dispose]();
    assert.equal([limiter.running, limiter.queued], [0, 0]);
  }
});

/** Floods a limiter with A's requests, then adds B's. @returns the names in the order in which they received a slot */
async function orderOf(a: Share, b: Share, calls: { a: number; b: number }, concurrent: number): Promise<string[]> {
  const limiter = new Limiter({ concurrent, queued: 1_000 });
  const order: string[] = [];
  const held: Slot[] = [];
  const take = async (name: string, of: Share) => {
    held.push(await limiter.acquire(never, { share: of }));
    order.push(name);
  };
  const all = [
    ...Array.from({ length: calls.a }, () => take('a', a)),
    ...Array.from({ length: calls.b }, () => take('b', b)),
  ];
  while (order.length < all.length) {
    held.shift()?.[Symbol.dispose]();
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const slot of held) slot[Symbol.dispose]();
  await Promise.all(all);
  return order;
}

test('an account that floods the queue delays only itself: another account gets every second slot', async () => {
  const order = await orderOf(share(), share(), { a: 190, b: 20 }, 10);
  // Ten of A's requests run before B's arrive.
  const rest = order.slice(10);
  const lastOfB = rest.lastIndexOf('b');
  assert.ok(lastOfB <= 40, `B's last request was number ${lastOfB} of those that waited`);
});

test('slots are shared by weight, three to one', async () => {
  const order = await orderOf(share({ weight: 3 }), share(), { a: 100, b: 100 }, 1);
  const first = order.slice(1, 61);
  const ofA = first.filter((name) => name === 'a').length;
  assert.ok(ofA >= 44 && ofA <= 46, `${ofA} of 60`);
});

test('a full queue evicts the newest requests of the account that uses it most', async () => {
  const limiter = new Limiter({ concurrent: 1, queued: 4 });
  const [a, b] = [share(), share()];
  const first = await limiter.acquire(never, { share: a });
  const ofA = Array.from({ length: 4 }, () => limiter.acquire(never, { share: a }));
  const evicted = Promise.all(ofA.slice(2).map((call) => problemOf(call)));
  assert.is((await problemOf(limiter.acquire(never, { share: a }))).code, 'queue-full');
  const ofB = [limiter.acquire(never, { share: b }), limiter.acquire(never, { share: b })];
  // A's newest requests were evicted, and B cannot take more than half.
  assert.equal(
    (await evicted).map(({ code }) => code),
    ['queue-full', 'queue-full'],
  );
  assert.is((await problemOf(limiter.acquire(never, { share: b }))).code, 'queue-full');
  first[Symbol.dispose]();
  for (const call of [ofB[0], ofA[0], ofB[1], ofA[1]]) (await call)?.[Symbol.dispose]();
  assert.equal([limiter.running, limiter.queued], [0, 0]);
});

test('changed limits apply to requests that are already queued', async () => {
  const limiter = new Limiter({ concurrent: 10, queued: 10 });
  const changing = { concurrent: 1 as number | undefined, queued: undefined, weight: 1 };
  const first = await limiter.acquire(never, { share: changing });
  const second = limiter.acquire(never, { share: changing });
  changing.concurrent = 2;
  limiter.applyShares();
  (await second)[Symbol.dispose]();
  changing.concurrent = 1;
  const third = problemOf(limiter.acquire(never, { share: changing }));
  changing.concurrent = 0;
  limiter.applyShares();
  assert.is((await third).code, 'quota');
  first[Symbol.dispose]();
  assert.equal([limiter.running, limiter.queued], [0, 0]);
});

const account = {};

/** Returns how many of the requested sessions start at a time in milliseconds. */
function rateAt(perSecond: number) {
  let time = 5_000;
  const rate = new SessionRate(perSecond, () => time);
  return (ms: number, asked: number): number => {
    time = 5_000 + ms;
    let begun = 0;
    for (let i = 0; i < asked; i++) {
      try {
        rate.begin(account);
        begun++;
      } catch (error) {
        assert.instance(error, ServiceError);
      }
    }
    return begun;
  };
}

test('the sessions of one second may start immediately; after that, each waits for its share of a second', () => {
  const begin = rateAt(4);
  assert.is(begin(0, 10), 4);
  assert.is(begin(249, 10), 0);
  assert.is(begin(250, 10), 1);
  assert.is(begin(1_000, 10), 3);
});

test('sessions not started in an hour do not accumulate', () => {
  const begin = rateAt(2);
  assert.is(begin(3_600_000, 10), 2);
});

test('over ten seconds, exactly the burst and the allowed rate of sessions start', () => {
  const begin = rateAt(5);
  let begun = 0;
  for (let ms = 0; ms < 10_000; ms += 7) begun += begin(ms, 3);
  assert.ok(begun <= 5 + 50 && begun >= 5 + 49, `${begun} in ten seconds`);
});

test('each account has its own rate of sessions', () => {
  const rate = new SessionRate(1, () => 0);
  rate.begin(account);
  assert.throws(() => rate.begin(account));
  rate.begin({});
});

test('SESSIONS_PER_SECOND=0 means no limit', () => {
  assert.is(rateAt(0)(0, 1_000), 1_000);
});

test('the error names the setting and when to try again', () => {
  const rate = new SessionRate(1, () => 0);
  rate.begin(account);
  const { status, message, headers } = refusalOf(() => rate.begin(account));
  assert.equal([status, headers['Retry-After']], [429, '1']);
  assert.match(message, 'SESSIONS_PER_SECOND');
});
