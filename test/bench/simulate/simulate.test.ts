// A short version of `npm run simulate`: checks what must hold under any load, no matter how slow the machine is.
// @alone
// @tier ci
import * as assert from 'uvu/assert';
import { suite, figure } from '../../support/suite.ts';
import { startValkey, type Valkey } from '../../support/valkey.ts';
import { simulate } from './simulation.ts';

const test = suite('a simulated cluster', { timeoutMs: 120_000 });
let valkey: Valkey;
test.before(async () => {
  valkey = await startValkey();
});
test.after(() => valkey.stop());

test('a hundred servers grant no slot twice, respect limits, give dead servers nothing, stay fair in a flood and leave nothing behind', async () => {
  const { violations, spread, counts, queues, deaths, left } = await simulate(valkey, {
    servers: 100,
    slots: 10,
    seconds: 2,
    connections: 10,
    holdSeconds: 1,
    timing: { beat: 250, life: 1_000, lease: 60_000, renew: 1_000 },
    lastLeaseMs: 500,
    report() {},
  });
  assert.is(violations.join('\n'), '');
  assert.equal(spread.filled, { least: 10, median: 10, most: 10 });
  assert.ok(counts.quota > 0 && counts.full + counts.late >= 1_000);
  const { quietAlone, quietBesideFlood, flood } = queues;
  const times = [quietAlone, quietBesideFlood, flood].map(({ p95 }) => `${p95.toFixed(0)} ms`);
  figure(`queue (p95): quiet tenant ${times[0]}, during a flood ${times[1]}; flood ${times[2]}`);
  // On a machine that is busy in only one of the two phases, the times of that phase go up; the full simulation makes
  // no such allowance.
  const most = Math.max(1.2 * quietAlone.p95, flood.p95 / 3);
  assert.ok(quietBesideFlood.p95 <= most, `the flood holds up the quiet tenant: ${times.join()}`);
  assert.ok(deaths.joinedSessions > 0, 'servers that join get no sessions');
  // Valkey's clock ticks in whole milliseconds.
  assert.ok(deaths.backMs >= deaths.leaseMs - 1, `${deaths.backMs} ms`);
  assert.equal(left, ['bd:{c}:sessions', 'bd:{c}:turn']);
});
