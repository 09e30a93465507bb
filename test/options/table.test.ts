// Each option that the server accepts has a test that verifies its effect or rejection; options accepted without effect
// are listed in X-Ignored-Parameters. Each behavior that clients of browserless rely on is in one place, and each entry on
// the migration page has a test.
import * as assert from 'uvu/assert';
import { tableOf as dropInTable } from '../drop-in/table.ts';
import { type FoundTest, listTests } from '../support/list-tests.ts';
import { suite } from '../support/suite.ts';
import { tableOf } from './table.ts';

const test = suite('options', { timeoutMs: 180_000 });
let marked: FoundTest[] = [];

test.before(() => {
  marked = listTests('proves', 'peer', 'differs');
});

test('each option has a test, and each mark an option', () => {
  const { lines, problems } = tableOf(marked);
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

test('each entry on the migration page has a test, each mark an entry, and no behavior is in two places', () => {
  const { lines, problems } = dropInTable(marked);
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
  const { lines, problems } = dropInTable(found, ['e', 'f']);
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
