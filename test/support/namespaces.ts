// Whether the tests may make namespaces of their own here: for processes, and for mounted files.
import { spawnSync } from 'node:child_process';
import process from 'node:process';

/** Why `unshare` cannot do this here; undefined when it can. */
export function cannotUnshare(...options: string[]): string | undefined {
  if (process.platform !== 'linux') return 'needs namespaces: run on Linux';
  const { status, stderr, error } = spawnSync('unshare', [...options, 'true'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return `unshare: ${error?.message ?? stderr.trim()}: run as root, in a container with CAP_SYS_ADMIN`;
}
