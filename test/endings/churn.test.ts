// A short churn run (test/bench/churn.ts): clients connect and disconnect, every third with a fault; afterward the
// server holds the same resources as before.
// @tier ci
import { existsSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { faults } from '../bench/churn-faults.ts';
import { describeChurn, runChurn } from '../bench/churn.ts';
import { suite } from '../support/suite.ts';

const test = suite('churn', { timeoutMs: 200_000 });

if (existsSync('/proc/self/smaps_rollup')) {
  test('42 clients, every third with a fault, leave nothing behind', async () => {
    const result = await runChurn({ cycles: 42, concurrency: 3, spares: 0 });
    assert.equal(result.problems, [], describeChurn(result));
    for (const name of Object.keys(faults.process)) assert.is(result.ended[name], 2, name);
    assert.is(result.ended['in good order'], 28);
  });

  test('48 clients with virtual browsers, every third with a fault, leave nothing behind', async () => {
    const result = await runChurn({ isolation: 'context', cycles: 48, concurrency: 3, spares: 0 });
    assert.equal(result.problems, [], describeChurn(result));
    for (const name of Object.keys(faults.context)) assert.is(result.ended[name], 2, name);
    assert.is(result.ended['in good order'], 32);
  });
} else {
  test.skip('clients, every third with a fault', 'counts processes in /proc, which only Linux has', {
    impossibleInCi: true,
  });
}
