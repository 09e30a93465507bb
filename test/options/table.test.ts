// Each option that the server accepts has a test that verifies its effect or rejection; options accepted without effect
// are listed in X-Ignored-Parameters.
import * as assert from 'uvu/assert';
import { listTests } from '../support/list-tests.ts';
import { suite } from '../support/suite.ts';
import { tableOf } from './table.ts';

const test = suite('options', { timeoutMs: 180_000 });

test('each option has a test, and each mark an option', () => {
  const { lines, problems } = tableOf(listTests('proves'));
  assert.equal(problems, []);
  assert.ok(lines.length > 600, `${lines.length} options`);
});

test('an option without a test and a mark without an option are problems', () => {
  const found = [
    { file: 'a', title: 'one', proves: ['x', 'y'] },
    { file: 'a', title: 'two', proves: ['x', 'w'] },
  ];
  const { lines, problems } = tableOf(found, { area: { options: ['x', 'z'], ignored: ['y'] } });
  assert.equal(lines, [
    { area: 'area', option: 'x', tests: ['a: one', 'a: two'] },
    { area: 'area', option: 'z', tests: [] },
    { area: 'area', option: 'y', tests: ['a: one'] },
  ]);
  assert.equal(problems, ['z: no test proves it', 'a: two: no option "w"']);
});
