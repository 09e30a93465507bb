// Each behavior that clients of browserless rely on is in one place, and each entry on the migration page has a test.
import * as assert from 'uvu/assert';
import { listTests } from '../support/list-tests.ts';
import { suite } from '../support/suite.ts';
import { tableOf } from './table.ts';

const test = suite('drop-in', { timeoutMs: 180_000 });

test('each entry on the migration page has a test, each mark an entry, and no behavior is in two places', () => {
  const { lines, problems } = tableOf(listTests('peer', 'differs'));
  assert.equal(problems, []);
  assert.ok(lines.length > 300, `${lines.length} lines`);
});

test('entries without a test, marks without an entry, and behaviors in two places are problems', () => {
  const peer = (behavior: string) => ({ area: 'sockets' as const, behavior });
  const found = [
    { file: 'a', title: 'one', peer: [peer('one'), peer('x')], differs: ['e'] },
    { file: 'a', title: 'two', peer: [peer('x'), peer('y')], differs: ['none'] },
    { file: 'b', title: 'three', peer: [peer('y')], differs: [] },
  ];
  const { lines, problems } = tableOf(found, ['e', 'f']);
  assert.equal(
    lines.map(({ behavior, tests }) => [behavior, ...tests]),
    [['one', 'a'], ['x', 'a: one', 'a: two'], ['y', 'a: two', 'b: three'], ['e', 'a: one'], ['f']],
  );
  assert.equal(problems, [
    'f: no test checks it',
    'a: two: the migration page has no entry "none"',
    'y: in several files or areas',
  ]);
});
