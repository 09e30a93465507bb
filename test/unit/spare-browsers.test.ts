// Spare browsers: how many the demand requires, when they start, which request takes them and when they are closed. The
// test provides the starts, so it decides when each one is complete.
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { Demand } from '../../src/browser/processes/pool/demand.ts';
import { SpareBrowsers } from '../../src/browser/processes/pool/spare-browsers.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('spare browsers');

test('demand is the maximum number taken within a second, for one minute', () => {
  const demand = new Demand();
  assert.is(demand.peak(0), 0);
  assert.is(demand.fallsIn(0), undefined);
  for (const time of [0, 10, 900]) demand.took(time);
  assert.is(demand.peak(900), 3);
  demand.took(1_950);
  assert.is(demand.peak(1_950), 3);
  assert.is(demand.fallsIn(1_950), 58_950);
  assert.is(demand.peak(60_899), 3);
  assert.is(demand.peak(60_900), 1, 'the three are forgotten, the last one is not');
  assert.is(demand.peak(61_950), 0);
});

test('sequential requests need one spare, however many there are', () => {
  const demand = new Demand();
  for (let time = 0; time < 50_000; time += 1_000) demand.took(time);
  assert.is(demand.peak(50_000), 1);
});

interface Fake {
  name: string;
  gone: AbortSignal;
}

interface Start extends PromiseWithResolvers<Fake> {
  name: string;
  /** True if the browser is started for a single request. */
  forOne: boolean;
}

const executable = { engine: 'shell', path: '/browser' } as const;

function spareBrowsers(options: { most: number; least?: number; memoryMs?: number }) {
  const starts: Start[] = [];
  const ended: string[] = [];
  const spares = new SpareBrowsers<Fake>({
    start(_executable, _mode, signal) {
      const start = {
        ...Promise.withResolvers<Fake>(),
        name: `${signal ? 'own' : 'spare'} ${starts.length}`,
        forOne: signal !== undefined,
      };
      starts.push(start);
      return start.promise;
    },
    end: ({ name }) => void ended.push(name),
    max: () => options.most,
    min: options.least ?? 0,
    memoryMs: options.memoryMs,
  });
  const done = (start: Start | undefined) => start?.resolve({ name: start.name, gone: new AbortController().signal });
  return {
    spares,
    starts,
    ended,
    done,
    take: () => spares.take(executable, 'shell', new AbortController().signal),
    /** Waits until a spare is starting, and completes it. */
    async made(number: number) {
      await until(`spare ${number} to be started`, () => starts.filter(({ forOne }) => !forOne).length === number);
      done(starts.filter(({ forOne }) => !forOne)[number - 1]);
    },
  };
}

test('none before the first request; then as many as were taken at the same time, started one by one', async () => {
  const { take, starts, done, made, spares } = spareBrowsers({ most: 4 });
  assert.equal(spares.waiting(), []);
  const taken = [take(), take(), take()];
  assert.is(starts.length, 3);
  for (const start of starts) done(start);
  await Promise.all(taken);
  for (const number of [1, 2, 3]) {
    await made(number);
    assert.ok(starts.length <= 3 + number + 1, 'one start at a time');
  }
  const names = await Promise.all(spares.waiting());
  assert.equal(
    names.map(({ name }) => name),
    ['spare 3', 'spare 4', 'spare 5'],
  );
  assert.is((await take()).name, 'spare 3');
  await made(4);
  await until('three waiting spares', () => spares.waiting().length === 3);
});

test('SPARES and the capacity of the server are the maximum', async () => {
  const { take, starts, done, made, spares } = spareBrowsers({ most: 1 });
  const taken = [take(), take()];
  for (const start of starts) done(start);
  await Promise.all(taken);
  await made(1);
  const [only] = await Promise.all(spares.waiting());
  assert.is(only?.name, 'spare 2');
  assert.is(starts.length, 3);
});

test('a request takes a running spare first, then one that is being started', async () => {
  const { take, starts, done, made, spares } = spareBrowsers({ most: 2 });
  const taken = [take(), take()];
  for (const start of starts) done(start);
  await Promise.all(taken);
  await made(1);
  await until('the second to be started', () => starts.length === 4);
  assert.is((await take()).name, 'spare 2');
  const third = take();
  assert.is(starts.length, 4, 'no separate start');
  assert.equal(spares.waiting(), []);
  done(starts[3]);
  assert.is((await third).name, 'spare 3');
});

test('no spare is started while a request waits for its browser', async () => {
  const { take, starts, done } = spareBrowsers({ most: 1 });
  const first = take();
  done(starts[0]);
  await first;
  const waiting = take();
  // Longer than any pause: a refill would have started.
  const began = performance.now();
  await until('the pauses to be over', () => performance.now() - began > 1_500);
  assert.is(starts.length, 2);
  done(starts[1]);
  await waiting;
  await until('the spare to be started', () => starts.length === 3);
});

test('spares that have not been requested lately are closed, except for the minimum', async () => {
  const gone = spareBrowsers({ most: 3, memoryMs: 3_000 });
  const stays = spareBrowsers({ most: 3, least: 1, memoryMs: 3_000 });
  for (const { spares, take, starts, done, made } of [gone, stays]) {
    spares.topUp(executable, 'shell');
    if (starts.length > 0) {
      await made(1);
      await until('it to run', async () => (await Promise.all(spares.waiting())).length === 1);
    }
    const taken = [take(), take()];
    for (const start of starts) done(start);
    await Promise.all(taken);
  }
  await gone.made(1);
  await stays.made(2);
  await Promise.all([gone.made(2), stays.made(3)]);
  await until('the spares to end', () => gone.ended.length === 2 && stays.ended.length === 1);
  assert.equal(gone.spares.waiting(), []);
  assert.is(stays.spares.waiting().length, 1);
});

test('a spare is closed when demand is forgotten, even between two readings of the clock', async () => {
  const clock = mock.method(performance, 'now', () => 1_000);
  try {
    const { take, starts, done, made, spares, ended } = spareBrowsers({ most: 1, memoryMs: 600 });
    const first = take();
    done(starts[0]);
    await first;
    await made(1);
    await Promise.all(spares.waiting());
    let looks = 0;
    // The timer that the first check sets fires slightly early, as Node's timers may.
    clock.mock.mockImplementation(() => (looks++ === 0 ? 1_599.9 : 1_600.1));
    // Do not use until() here: it reads the clock too.
    for (let turn = 0; turn < 250 && ended.length === 0; turn++) await pause(20);
    assert.is(ended.length, 1);
  } finally {
    clock.mock.restore();
  }
});

test('a spare that is still starting when demand is forgotten is closed as well', async () => {
  const { take, starts, done, ended } = spareBrowsers({ most: 1, memoryMs: 600 });
  const began = performance.now();
  const first = take();
  done(starts[0]);
  await first;
  await until('the spare to be started', () => starts.length === 2);
  await until('the demand to be forgotten', () => performance.now() - began > 900);
  assert.equal(ended, []);
  done(starts[1]);
  await until('its end', () => ended.length === 1);
});

test('a failed launch is forgotten; a browser that has died is replaced for the request', async () => {
  const { take, starts, done, spares } = spareBrowsers({ most: 1 });
  const first = take();
  done(starts[0]);
  await first;
  await until('a spare to be started', () => starts.length === 2);
  starts[1]?.reject(new Error('no browser'));
  await until('it to be forgotten', () => spares.waiting().length === 0);
  const second = take();
  done(starts[2]);
  assert.is((await second).name, 'own 2');
  await until('the next spare to be started', () => starts.length === 4);
  starts[3]?.resolve({ name: 'dead', gone: AbortSignal.abort() });
  const third = take();
  await until('another start', () => starts.length === 5);
  done(starts[4]);
  assert.is((await third).name, 'own 4');
});
