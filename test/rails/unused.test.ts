// Every file, export and dependency is used.
import * as assert from 'uvu/assert';
import { findsNothing, runTool, scratchTree } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';

const test = suite('unused', { timeoutMs: 180_000 });

test('everything is used', (signal) => findsNothing('knip', ['--treat-config-hints-as-errors'], signal));

test('unused files, exports and dependencies are reported', async (signal) => {
  using tree = scratchTree({
    'package.json': JSON.stringify({ name: 'x', type: 'module', main: 'main.ts', dependencies: { nobody: '1.0.0' } }),
    'main.ts': "import { one } from './parts.ts';\nconsole.log(one);\n",
    'parts.ts': 'export const one = 1;\nexport const two = 2;\n',
    'alone.ts': 'export const three = 3;\n',
  });
  const { code, output } = await runTool('knip', [], tree.path, signal);
  assert.is(code, 1);
  assert.match(output, /Unused files[^]*alone\.ts[^]*nobody[^]*two +parts\.ts:2/);
});
