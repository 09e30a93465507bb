// Lists tests with their marks, without running any: imports their files with TEST_LIST=1 and prints JSON.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { root, type TestFile, testFiles } from '../runner/plan.ts';
import type { ListedTest, Suite } from './suite.ts';

export interface FoundTest extends ListedTest {
  /** Path below the root, such as `test/contract/content.test.ts`. */
  file: string;
}

/**
 * Every test, by file, as declared on a machine that has all programs. Takes some seconds.
 * @param marks only files with one of these marks, or that import a module of test/support/checks with one
 */
export function listTests(...marks: readonly (keyof Suite)[]): FoundTest[] {
  // Some files create a directory when they are imported.
  const scratch = mkdtempSync(join(tmpdir(), 'list-'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, ...marks], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      BROWSERD_TEST_DIR: scratch,
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
      TEST_LIST: '1',
      TMPDIR: scratch,
    },
    maxBuffer: 2 ** 26,
  });
  rmSync(scratch, { recursive: true });
  if (status !== 0) throw new Error(`the tests could not be listed:\n${stderr}`);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n[') + 1));
}

/** The text of a test file and of the modules in test/support/checks that it imports. */
function withChecks({ path, text }: TestFile): string {
  const imports = text.matchAll(/ from '(\.[^']*\/support\/checks\/[^']+)'/g);
  const texts = Array.from(imports, ([, name = '']) => readFileSync(join(root, dirname(path), name), 'utf8'));
  return [text, ...texts].join('\n');
}

if (import.meta.main) {
  const { listed } = await import('./suite.ts');
  const marks = process.argv.slice(2);
  const found: FoundTest[] = [];
  for (const file of testFiles()) {
    const text = withChecks(file);
    if (marks.length > 0 && !marks.some((mark) => text.includes(`.${mark}(`))) continue;
    await import(join(root, file.path));
    found.push(...listed.splice(0).map((test) => ({ file: file.path, ...test })));
  }
  process.stdout.write(`\n${JSON.stringify(found)}`, () => process.exit());
}
