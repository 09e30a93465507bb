// A short soak run (test/bench/soak.ts): every twentieth request has one of the four faults; the server responds to all
// others and afterward holds the same resources as before.
// @tier ci
import { existsSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { describeSoak, runSoak } from '../bench/soak.ts';
import { suite } from '../support/suite.ts';

const test = suite('soak', { timeoutMs: 200_000 });

if (existsSync('/proc/self/smaps_rollup')) {
  test('160 requests, every twentieth with a fault, leave nothing behind', async () => {
    const result = await runSoak({ requests: 160, concurrency: 4 });
    assert.equal(result.problems, [], describeSoak(result));
    for (const [how, { sent, asExpected }] of Object.entries(result.sabotaged)) {
      assert.is(sent, 2, how);
      assert.is(asExpected, sent, how);
    }
  });
} else {
  test.skip('160 requests, every twentieth with a fault', 'counts processes in /proc, which only Linux has', {
    impossibleInCi: true,
  });
}
