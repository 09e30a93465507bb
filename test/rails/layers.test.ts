// Checks the imports of src/ with dependency-cruiser: the order of the layers, the folders within each layer, no
// circular imports. Also checks that the rules find what they forbid.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { root, runTool, scratchTree } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';
import { layers, rows } from './generated.ts';

/** The violations in a source tree; empty when there are none. */
async function violations(cwd: string, paths: readonly string[], signal: AbortSignal): Promise<string> {
  const args = ['--config', join(root, '.dependency-cruiser.mjs'), ...paths];
  const { code, output } = await runTool('depcruise', args, cwd, signal);
  return code === 0 ? '' : output || `exit code ${code}`;
}

const test = suite('layers', { timeoutMs: 180_000 });

test('imports go only to lower layers, folders import what their row allows, and there are no circular imports', async (signal) => {
  assert.is(await violations(root, ['src', 'build.ts'], signal), '');
});

test('src/ contains the layers and main.ts', () => {
  const found = readdirSync(join(root, 'src'));
  assert.equal(found.toSorted(), [...Object.keys(layers), 'main.ts'].toSorted());
});

test('every folder has a row in the file of its layer, and every row a folder', () => {
  const named = rows.map(({ layer, folder }) => (folder === '.' ? layer : `${layer}/${folder}`));
  const files = globSync('src/*/**/*.{ts,tsx,js}', { cwd: root }).map((path) => path.slice(4));
  const found = new Set(files.map((path) => (named.includes(path) ? path : dirname(path))));
  assert.equal([...found].toSorted(), named.toSorted());
});

/** What the tool reports about sources that each break the rules in a different way. */
let found = '';
const bad = {
  'src/base/runtime/files.ts': `import 'node:fs';\nimport '../../browser/page/page.ts';\n`,
  'src/base/limits.ts': 'export {};\n',
  'src/base/cellar/wine.ts': `import 'node:fs';\n`,
  'src/cellar/wine.ts': `import 'node:fs';\n`,
  'src/browser/cdp/protocol.ts': `import type { Page } from '../page/page.ts';\nexport type P = Page;\n`,
  'src/browser/injected/element.ts': `import '../../base/limits.ts';\n`,
  'src/browser/page/page.ts': `import 'node:fs';\nimport 'undici';\nexport interface Page {}\n`,
  'src/browser/page/a.ts': `import './b.ts';\n`,
  'src/browser/page/b.ts': `import './a.ts';\n`,
  'src/start/start.ts': `import '../build/lock.ts';\n`,
  'src/build/lock.ts': 'export {};\n',
};

test.before(async (signal) => {
  using tree = scratchTree({ 'tsconfig.json': '{}', ...bad });
  found = await violations(tree.path, ['src'], signal);
});

/** The names of the rules that an import breaks. @param to as the tool prints it */
const broken = (from: string, to: string) =>
  found
    .split('\n')
    .filter((line) => line.endsWith(`${from} → ${to}`))
    .map((line) => line.replace(/^\s*error /, '').replace(`: ${from} → ${to}`, ''));

test('an import from a higher layer is reported with the layer whose rule it breaks', () => {
  assert.equal(broken('src/base/runtime/files.ts', 'src/browser/page/page.ts'), ['.dependency-cruiser.mjs: base']);
});

test('a forbidden import within a layer is reported with the line of its rule, even for a type', () => {
  const [rule = ''] = broken('src/browser/cdp/protocol.ts', 'src/browser/page/page.ts');
  const [, line] = /^src\/browser\/\.imports\.mjs:(\d+) cdp$/.exec(rule) ?? [];
  const lines = readFileSync(join(root, 'src/browser/.imports.mjs'), 'utf8').split('\n');
  assert.match(lines[Number(line) - 1] ?? '', /^ {2}cdp: /, rule);
});

test('code that runs in browsers imports only what its row allows from lower layers', () => {
  assert.match(broken('src/browser/injected/element.ts', 'src/base/limits.ts').join(), / injected$/);
});

test('built-in modules and packages are only for the folders that list them', () => {
  assert.match(broken('src/browser/page/page.ts', 'fs').join(), / page$/);
  assert.match(broken('src/browser/page/page.ts', 'undici').join(), / page$/);
  assert.equal(broken('src/base/runtime/files.ts', 'fs'), []);
});

test('a circular import, a folder without a row, and a server file that imports the build are reported', () => {
  assert.match(found, '.dependency-cruiser.mjs: circle');
  for (const path of ['src/base/cellar/wine.ts', 'src/cellar/wine.ts']) {
    assert.ok(broken(path, 'fs').includes('.dependency-cruiser.mjs: no row'), path);
  }
  assert.equal(broken('src/start/start.ts', 'src/build/lock.ts').includes('.dependency-cruiser.mjs: build'), true);
});
