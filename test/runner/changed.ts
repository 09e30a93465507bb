// Finds the test files that a change may affect: those that changed, and those that import something that changed.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { root, type TestFile } from './plan.ts';

/** A test of the whole server, which runs after every change of the server. */
const conversation = 'test/runtimes/conversation.test.ts';
/** Tests of the text of every file. */
const rails = 'test/rails/';

function git(...args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.split('\n').filter(Boolean);
}

/**
 * The files that differ from a commit, committed or not.
 * @param base a commit or branch; the files that changed since the branches parted count
 */
function changedSince(base: string): Set<string> {
  const [fork = base] = git('merge-base', base, 'HEAD');
  return new Set([...git('diff', '--name-only', fork), ...git('ls-files', '--others', '--exclude-standard')]);
}

/**
 * Paths of the test files that a change since `base` may affect. A running server imports everything, so a change of
 * the server runs, besides the tests that import the changed module themselves, one test of the whole server.
 */
export async function affectedBy(base: string, files: readonly TestFile[]): Promise<Set<string>> {
  const changed = changedSince(base);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: files.map(({ path }) => path),
    outdir: 'dist',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
    loader: { '.css': 'empty', '.html': 'empty', '.mdx': 'empty' },
  });
  const reaches = (path: string, seen: Set<string>): boolean => {
    if (changed.has(path)) return true;
    if (seen.has(path)) return false;
    seen.add(path);
    const imports = metafile.inputs[path]?.imports ?? [];
    return imports.some(
      ({ path: next, kind, external }) => !external && kind === 'import-statement' && reaches(next, seen),
    );
  };
  const touchesServer = [...changed].some((path) => path.startsWith('src/'));
  const isAffected = (path: string) =>
    reaches(path, new Set()) ||
    (changed.size > 0 && path.startsWith(rails)) ||
    (touchesServer && path === conversation);
  return new Set(files.map(({ path }) => path).filter(isAffected));
}
