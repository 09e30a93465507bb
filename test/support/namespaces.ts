// Checks whether the tests can create Linux namespaces on this machine.
import { spawnSync } from 'node:child_process';
import process from 'node:process';

/** The reason why `unshare` fails here with these options; undefined when it works. */
export function cannotUnshare(...options: string[]): string | undefined {
  if (process.platform !== 'linux') return 'needs namespaces: run on Linux';
  const { status, stderr, error } = spawnSync('unshare', [...options, 'true'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return `unshare: ${error?.message ?? stderr.trim()}: run as root, in a container with CAP_SYS_ADMIN`;
}
