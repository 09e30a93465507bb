// npm run mutations: makes the faults in this folder, one at a time, in a copy of the last commit, and checks that each
// is caught. A patch names the layer of its fault, the test file that catches it, and the title of the test that fails.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { readMarks, root } from '../runner/plan.ts';

interface Mutation {
  path: string;
  layer: string;
  fault: string;
  /** Path under test/ without `.test.ts`. */
  test: string;
  title: string;
}

function readMutation(path: string): Mutation {
  const [head = ''] = readFileSync(path, 'utf8').split('\n\n', 1);
  const fields: Record<string, string> = Object.fromEntries(
    head.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const { Layer: layer, Fault: fault, Test: test, Title: title } = fields;
  if (!layer || !fault || !test || !title) throw new Error(`${path} must begin with Layer, Fault, Test and Title`);
  return { path, layer, fault, test, title };
}

function git(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
}

/** Why the fault is not caught; undefined when it is. */
function missed(copy: string, { path, test, title }: Mutation): string | undefined {
  git(copy, 'apply', path);
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test/run.ts', `test/${test}.test.ts`], {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (status === 0) return 'no test failed';
    if (!stdout.includes(`: ${title} (`)) return `another test failed:\n${stdout.slice(-2_000)}${stderr.slice(-2_000)}`;
    return undefined;
  } finally {
    git(copy, 'checkout', '--', '.');
  }
}

const copy = join(mkdtempSync(join(tmpdir(), 'browserd-mutations-')), 'copy');
const mutations = globSync('*.patch', { cwd: import.meta.dirname })
  .toSorted()
  .map((name) => readMutation(join(import.meta.dirname, name)));
let notCaught = 0;
git(root, 'worktree', 'add', '--detach', copy, 'HEAD');
try {
  for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(copy, name));
  for (const mutation of mutations) {
    const { path, layer, fault, test, title } = mutation;
    const began = performance.now();
    const problem = missed(copy, mutation);
    const { tier } = readMarks(test, readFileSync(join(root, `test/${test}.test.ts`), 'utf8'));
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    if (problem === undefined)
      console.log(`caught  ${layer}: ${fault}\n        ${tier}: ${test}: ${title} (${seconds} s)`);
    else console.log(`MISSED  ${layer}: ${fault} (${basename(path)})\n        ${problem}`);
    if (problem !== undefined) notCaught++;
  }
} finally {
  git(root, 'worktree', 'remove', '--force', copy);
  rmSync(join(copy, '..'), { recursive: true, force: true });
}
console.log(`${mutations.length} faults, ${notCaught} missed`);
process.exitCode = notCaught > 0 ? 1 : 0;
