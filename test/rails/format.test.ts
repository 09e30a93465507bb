// Every file has the format that `npm run format` gives it.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { findsNothing, root, runTool, scratchTree } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';

const test = suite('format', { timeoutMs: 180_000 });

/** Makes Prettier's cache compare contents, since a checkout changes the files' times. */
const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', '.cache/prettier.json'];

test('every file is formatted', (signal) => findsNothing('prettier', ['--check', ...cache, '.'], signal));

test('an unformatted file is reported', async (signal) => {
  using tree = scratchTree({ 'wrong.ts': 'export const a = {b:1}' });
  const args = ['--config', join(root, '.prettierrc.json'), '--check', '.'];
  const { code, output } = await runTool('prettier', args, tree.path, signal);
  assert.is(code, 1);
  assert.match(output, 'wrong.ts');
});
