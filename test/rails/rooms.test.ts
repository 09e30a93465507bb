// Checks the imports of src/ with dependency-cruiser: what each folder ("room") may import, and no circles; and that
// the rules find what they forbid.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';

const root = join(import.meta.dirname, '..', '..');
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');

const { rooms }: { rooms: { room: string }[] } = await import(join(root, '.dependency-cruiser.mjs'));

/** The violations in a source tree; empty when there are none. */
function violations(cwd: string, paths: readonly string[]): string {
  const config = join(root, '.dependency-cruiser.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [cruiser, '--config', config, ...paths], {
    cwd,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${stdout}${stderr}` || `exit code ${status}`;
}

/** The violations in these files, written into a temporary folder. */
function violationsOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'rooms-'));
  try {
    for (const [path, text] of Object.entries({ 'tsconfig.json': '{}', ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return violations(folder, ['src']);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const test = suite('rooms');

test('every room imports what its row of the table allows, and there are no circles', () => {
  assert.is(violations(root, ['src', 'build.ts']), '');
});

test('every folder of the source is a room', () => {
  const named = new Set(rooms.map(({ room }) => room));
  const folders = new Set(globSync('src/*/**/*.{ts,tsx,js}', { cwd: root }).map((path) => dirname(path).slice(4)));
  assert.equal(
    [...folders].filter((folder) => !named.has(folder)),
    [],
  );
});

test('an import that runs back up is named with both its ends', () => {
  const found = violationsOf({
    'src/base/runtime/files.ts': `import '../page/page.ts';\n`,
    'src/browser/page/page.ts': 'export {};\n',
  });
  assert.match(found, 'rooms: runtime');
  assert.match(found, 'src/base/runtime/files.ts → src/browser/page/page.ts');
});

test('a type from a room that is not allowed counts as well', () => {
  const found = violationsOf({
    'src/browser/cdp/protocol.ts': `import type { Page } from '../page/page.ts';\nexport type P = Page;\n`,
    'src/browser/page/page.ts': 'export interface Page {}\n',
  });
  assert.match(found, 'rooms: cdp');
});

test('a circle of two files is named', () => {
  const found = violationsOf({
    'src/browser/page/a.ts': `import './b.ts';\n`,
    'src/browser/page/b.ts': `import './a.ts';\n`,
  });
  assert.match(found, 'circle');
});

test('built-in modules belong to the rooms that have them', () => {
  assert.match(violationsOf({ 'src/browser/page/page.ts': `import 'node:fs';\n` }), 'rooms: page');
  assert.is(violationsOf({ 'src/base/runtime/files.ts': `import 'node:fs';\n` }), '');
});

test('packages belong to the rooms that have them', () => {
  assert.match(violationsOf({ 'src/browser/page/page.ts': `import 'undici';\n` }), 'rooms: page');
});

test('a folder that is no room is named', () => {
  assert.match(violationsOf({ 'src/cellar/wine.ts': `import 'node:fs';\n` }), 'rooms: unknown');
});
