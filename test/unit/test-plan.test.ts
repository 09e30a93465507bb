// Which test files run where: marks in their headers, filters, tiers, runtimes and shards.
import * as assert from 'uvu/assert';
import { plan, readMarks, type Selection } from '../runner/plan.ts';
import { suite } from '../support/suite.ts';

const test = suite('plan of the tests');

const files = [
  readMarks('test/docs/words.test.ts', '// Words.\nimport x;\n'),
  readMarks('test/rails/types.test.ts', '// Types.\nimport x;\n'),
  readMarks('test/sockets/cdp.test.ts', '// CDP.\n// @runs deno process\nimport x;\n// @alone\n'),
  readMarks('test/sockets/floods.test.ts', '// Floods.\n// @alone\n// @tier ci\nimport x;\n'),
  readMarks('test/sockets/soak.test.ts', '// Soak.\n// @tier full\nimport x;\n'),
];
const all: Selection = { filters: [], runtime: undefined, tier: 'basic', among: undefined, shard: { at: 1, of: 1 } };
const runsOf = (selection: Partial<Selection>) =>
  plan(files, { ...all, ...selection }).map(({ file, on }) => `${on} ${file.path.split('/').at(-1)?.slice(0, -8)}`);

test('marks count only in the header, and an unknown one is an error', () => {
  assert.equal(
    files.map(({ isAlone, tier, runs }) => [isAlone, tier, runs.join()]),
    [
      [false, 'basic', ''],
      [false, 'basic', ''],
      [false, 'basic', 'deno,process'],
      [true, 'ci', ''],
      [false, 'full', ''],
    ],
  );
  assert.throws(() => readMarks('x', '// X.\n// @tier slow\n'), 'unknown mark "// @tier slow"');
  assert.throws(() => readMarks('x', '// X.\n// @runs bun\n'), 'unknown mark');
});

test('a tier contains the lower ones; CI adds the runtimes of the marks', () => {
  assert.equal(runsOf({}), ['node words', 'node types', 'node cdp']);
  const ci = ['node words', 'node types', 'node cdp', 'deno cdp', 'process cdp', 'node floods'];
  assert.equal(runsOf({ tier: 'ci' }), ci);
  assert.equal(runsOf({ tier: 'full' }), [...ci, 'node soak']);
});

test('a filter selects files of every tier', () => {
  assert.equal(runsOf({ filters: ['sockets/', 'words'] }), ['node words', 'node cdp', 'node floods', 'node soak']);
  assert.equal(runsOf({ filters: ['nothing'] }), []);
});

test('a runtime runs what can differ there', () => {
  assert.equal(runsOf({ runtime: 'deno' }), ['deno words', 'deno cdp']);
  assert.equal(runsOf({ runtime: 'bundle', tier: 'full' }), ['bundle cdp', 'bundle floods', 'bundle soak']);
});

test('shards together run everything once', () => {
  const shards = [1, 2, 3].flatMap((at) => runsOf({ tier: 'ci', shard: { at, of: 3 } }));
  assert.equal(shards.toSorted(), runsOf({ tier: 'ci' }).toSorted());
});

test('only the affected files run', () => {
  assert.equal(runsOf({ tier: 'ci', among: new Set(['test/sockets/floods.test.ts']) }), ['node floods']);
});
