// All TypeScript projects compile: code that Node runs, code sent into pages, and scripts of the documentation.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { findsNothing, root, runTool, scratchTree } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';

const test = suite('types', { timeoutMs: 180_000 });

test('the service, the build, the tests and the code that is sent to pages compile', (signal) =>
  findsNothing('tsc', ['-b'], signal));

test('documentation scripts compile', (signal) =>
  findsNothing('tsc', ['--noEmit', '-p', 'src/web/docs/browser'], signal));

test('service page scripts compile', (signal) =>
  findsNothing('tsc', ['--noEmit', '-p', 'src/web/pages/browser'], signal));

test('with our settings, a type error is reported with its line', async (signal) => {
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
