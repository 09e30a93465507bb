// How many sessions may start per second.
import * as assert from 'uvu/assert';
import { SessionRate } from '../../src/control/admission/session-rate.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { suite } from '../support/suite.ts';

const test = suite('session rate');
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

test('no more sessions than allowed start in the long run', () => {
  const begin = rateAt(5);
  let begun = 0;
  for (let ms = 0; ms < 10_000; ms += 7) begun += begin(ms, 3);
  assert.ok(begun <= 5 + 50 && begun >= 5 + 49, `${begun} in ten seconds`);
});

test('each account has its own rate', () => {
  const rate = new SessionRate(1, () => 0);
  rate.begin(account);
  assert.throws(() => rate.begin(account));
  rate.begin({});
});

test('0 means no limit', () => {
  assert.is(rateAt(0)(0, 1_000), 1_000);
});

test('the error names the setting and when to try again', () => {
  const rate = new SessionRate(1, () => 0);
  rate.begin(account);
  try {
    rate.begin(account);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ServiceError);
    const { status, message, headers } = error as ServiceError; // uvu's assertion does not narrow the type.
    assert.equal([status, headers['Retry-After']], [429, '1']);
    assert.match(message, 'SESSIONS_PER_SECOND');
  }
});
