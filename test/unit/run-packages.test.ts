// What an image keeps of node_modules: enough for every import and every file that the bundled server reads, in a folder
// from where no other node_modules can be reached.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Metafile } from 'esbuild';
import * as assert from 'uvu/assert';
import { auditPackages, copyRunPackages, playwrightPackages } from '../../src/build/binary/run-packages.ts';
import { buildServer, metafileName } from '../../src/build/server.ts';
import { packageFiles } from '../../src/program/asset-names.ts';
import { suite } from '../support/suite.ts';

const test = suite('packages of an image', { timeoutMs: 60_000 });
const root = join(import.meta.dirname, '..', '..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'browserd-run-')));

test.before(async () => {
  await buildServer(root);
  await copyRunPackages(root, join(folder, 'node_modules'));
  cpSync(join(root, 'dist/server'), join(folder, 'dist/server'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a module beside the bundle. */
function runThere(code: string): { status: number | null; output: string } {
  const path = join(folder, 'dist/server/tried.mjs');
  writeFileSync(path, code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8', cwd: folder });
  return { status, output: stdout + stderr };
}

/** Modules that the text of the bundle imports by a name of its own, such as those that only the audits load. */
const modulesOfAudits = [
  ...readFileSync(join(root, 'src/page/audit/budget-audits.ts'), 'utf8').matchAll(/^\s*'(lighthouse\/[^']+)',$/gm),
].map(([, name = '']) => name);

const imported = [...playwrightPackages(root), ...auditPackages, ...modulesOfAudits, 're2js', 'ws'];

test('every package that is loaded by its name can be imported there', () => {
  assert.ok(imported.length > 20 && modulesOfAudits.length > 3, imported.join(' '));
  const code = `for (const name of ${JSON.stringify(imported)}) await import(name); console.log('all'); process.exit(0);`;
  assert.equal(runThere(code), { status: 0, output: 'all\n' });
});

test('every file of a package that the server reads is there', () => {
  const code = `import { accessSync } from 'node:fs'; import { dirname, join } from 'node:path'; import { fileURLToPath } from 'node:url';
    for (const [name, beside] of ${JSON.stringify(Object.values(packageFiles))}) {
      const path = fileURLToPath(import.meta.resolve(name));
      accessSync(path);
      accessSync(beside ? join(dirname(path), beside) : path);
    }`;
  assert.equal(runThere(code), { status: 0, output: '' });
});

test('the bundle imports nothing else from outside', () => {
  const { outputs }: Metafile = JSON.parse(readFileSync(join(folder, 'dist/server', metafileName), 'utf8'));
  const outside = Object.values(outputs).flatMap(({ imports }) =>
    imports.flatMap(({ path, external }) => (external === true && !isBuiltin(path) ? [path] : [])),
  );
  // Both speed ws up where somebody has installed them, and are not dependencies.
  const optional = ['bufferutil', 'utf-8-validate'];
  const known = new Set([...imported, ...optional]);
  assert.equal([...new Set(outside)].filter((name) => !known.has(name)).toSorted(), []);
});
