// Starting a browser again after failures: how often, after which pauses, and shared by callers of the same browser.
import * as assert from 'uvu/assert';
import { LaunchFailed } from '../../src/browser/processes/last-words.ts';
import { Endings } from '../../src/browser/processes/endings.ts';
import { StartAttempts } from '../../src/browser/processes/start-attempts.ts';
import { suite } from '../support/suite.ts';

const test = suite('start attempts');
const passing = () => new LaunchFailed({ code: null, line: undefined }, undefined);
const lasting = () => new LaunchFailed({ code: 1, line: 'bad switch' }, undefined);

/** A start that fails `times` times and records its attempts. */
function failing(times: number, error: () => Error = passing) {
  const starts: number[] = [];
  const start = () => {
    starts.push(performance.now());
    return starts.length <= times ? Promise.reject(error()) : Promise.resolve('browser');
  };
  return { starts, start };
}

test('a transient failure is retried with growing pauses', async () => {
  const { starts, start } = failing(4);
  assert.is(await new StartAttempts(5).run('a', start, undefined), 'browser');
  assert.is(starts.length, 5);
  const pauses = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
  // 50 ms, doubled each time, minus up to half at random.
  pauses.forEach((ms, index) => assert.ok(ms >= 25 * 2 ** index - 2, `${pauses}`));
});

test('retries RETRIES times, and not at all after a permanent failure', async () => {
  for (const [retries, error, count] of [
    [2, passing, 3],
    [0, passing, 1],
    [5, lasting, 1],
    [5, () => new Error('a defect'), 1],
  ] as const) {
    const { starts, start } = failing(100, error);
    await new StartAttempts(retries).run('a', start, undefined).then(assert.unreachable, () => undefined);
    assert.is(starts.length, count);
  }
});

test('a hundred callers of a broken browser do not cause five hundred launches', async () => {
  const { starts, start } = failing(1_000);
  const attempts = new StartAttempts(5);
  await attempts.run('a', start, undefined).catch(() => undefined);
  const before = starts.length;
  const callers = Array.from({ length: 100 }, () => attempts.run('a', start, undefined).catch((error) => error));
  for (const error of await Promise.all(callers)) assert.instance(error, LaunchFailed);
  assert.is(starts.length - before, 1);
});

test('all callers continue after the first successful start', async () => {
  const { starts, start } = failing(3);
  const attempts = new StartAttempts(5);
  await Promise.all([1, 2, 3, 4, 5].map(() => attempts.run('a', start, undefined)));
  // Three failed, together or in sequence; each waiting caller started once.
  assert.ok(starts.length <= 8, `${starts.length}`);
});

test('a caller that leaves lets the next in line try, and other browsers are not delayed', async () => {
  const attempts = new StartAttempts(5);
  attempts.crashedEarly('a', passing());
  const leave = new AbortController();
  const left = attempts.run('a', () => Promise.resolve('nobody'), leave.signal).catch((error: unknown) => error);
  const next = attempts.run('a', () => Promise.resolve('browser'), undefined);
  leave.abort('left');
  assert.is(await left, 'left');
  assert.is(await attempts.run('b', () => Promise.resolve('other'), undefined), 'other');
  assert.is(await next, 'browser');
});

test('a new browser waits while too many are exiting, but not longer than its caller', async () => {
  const endings = new Endings(2);
  const gone = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  for (const { promise } of gone) endings.note(promise);
  const signal = AbortSignal.abort(new Error('left'));
  await endings.room(signal).then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'left'),
  );
  let room = false;
  const waiting = endings.room(undefined).then(() => (room = true));
  assert.not(room);
  gone[0]?.resolve();
  await waiting;
});
