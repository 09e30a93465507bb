// All pairs of options of /content, /pdf and /screenshot, as `npm run options` prints them.
// @tier full
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { walkPairs } from './pairs/walk.ts';

const test = suite('all pairs of options', { timeoutMs: 1_800_000 });

test('each option has its effect alone, and no pair loses one silently', async () => {
  const { pairs, problems } = await walkPairs();
  assert.equal(problems, []);
  assert.ok(pairs.length > 1_000, `${pairs.length} pairs`);
  assert.equal(
    pairs.filter(({ outcome }) => outcome === 'silent'),
    [],
  );
});
