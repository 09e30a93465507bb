// Both TypeScript projects compile: what Node runs, and what readers' browsers run.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { findsNothing, root, runTool, scratchTree } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';

const test = suite('types', { timeoutMs: 180_000 });

/** What was read last time is kept: a second run takes a third of the time. */
const incremental = (name: string) => ['--incremental', '--tsBuildInfoFile', `.cache/${name}.tsbuildinfo`];

test('service, build and tests', (signal) => findsNothing('tsc', ['--noEmit', ...incremental('root')], signal));

test('scripts of the documentation', (signal) =>
  findsNothing('tsc', ['--noEmit', '-p', 'src/docs/browser', ...incremental('browser')], signal));

test('with our settings a wrong type is named with its line', async (signal) => {
  using tree = scratchTree({
    'tsconfig.json': JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { types: [] },
      include: ['wrong.ts'],
    }),
    'wrong.ts': 'const list = ["text"];\nexport const length: number = list[0].length;\n',
  });
  const { code, output } = await runTool('tsc', ['--noEmit'], tree.path, signal);
  assert.is.not(code, 0);
  assert.match(output, /wrong\.ts\(2,31\): error TS2532/);
});
