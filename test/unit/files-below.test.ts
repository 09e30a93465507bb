// Lists of a directory's contents include neither links nor their targets.
// @runs newest
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { filesBelow } from '../../src/base/runtime/files.ts';
import { temporaryDirectory } from '../support/open-session-files.ts';
import { suite } from '../support/suite.ts';

const test = suite('files below a directory');
let root: string;

test.before(() => {
  root = temporaryDirectory();
});
test.after(() => rmSync(root, { recursive: true }));

test('lists files at all levels, but no links to files or directories', async () => {
  const inside = join(root, 'inside');
  mkdirSync(join(inside, 'a/b'), { recursive: true });
  for (const name of ['top.js', 'a/one.css', 'a/b/two.svg']) writeFileSync(join(inside, name), name);
  writeFileSync(join(root, 'secret.txt'), 'secret');
  symlinkSync(join(root, 'secret.txt'), join(inside, 'secret.txt'));
  symlinkSync(root, join(inside, 'a/outside'));
  symlinkSync(inside, join(inside, 'again'));
  assert.equal((await filesBelow(inside)).toSorted(), ['a/b/two.svg', 'a/one.css', 'top.js']);
});

test('throws if the directory does not exist', async () => {
  const problem = await filesBelow(join(root, 'nowhere')).catch((error: unknown) => error);
  assert.is(problem instanceof Error && 'code' in problem && problem.code, 'ENOENT');
});
