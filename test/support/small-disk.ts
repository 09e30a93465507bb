// Mounts a disk of a few megabytes that a test can fill: a tmpfs, which requires permission to mount.
import { spawnSync } from 'node:child_process';
import { rmdirSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { temporaryDirectory } from './temporary-directory.ts';

export interface SmallDisk extends Disposable {
  path: string;
  /** Fills the disk with one file until this many bytes are free. */
  fill(freeBytes: number): void;
  /** Truncates the file again. */
  clear(): void;
  unmount(): void;
}

function run(command: string, ...args: string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

export function mountSmallDisk(bytes: number): SmallDisk {
  const path = temporaryDirectory();
  const problem = run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=1777`, 'browserd-test', path);
  if (problem !== undefined) {
    rmdirSync(path);
    throw new Error(`cannot mount a small disk: ${problem}`);
  }
  const ballast = join(path, 'ballast');
  const clear = () => {
    writeFileSync(ballast, '');
    truncateSync(ballast);
  };
  return {
    path,
    clear,
    fill(freeBytes) {
      for (let attempt = 1; ; attempt++) {
        clear();
        const { bavail, bsize } = statfsSync(path);
        try {
          writeFileSync(ballast, new Uint8Array(Math.max(0, bavail * bsize - freeBytes)));
          return;
        } catch (error) {
          // Other processes have written since statfs: measure the free space again.
          const full = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
          if (!full || attempt === 10) throw error;
          if (freeBytes === 0) return;
        }
      }
    },
    unmount() {
      // A process that is still writing there must not prevent this: a lazy unmount removes the mount point
      // immediately, and the file system when its last user closes it.
      const left = run('umount', path) === undefined ? undefined : run('umount', '--lazy', path);
      if (left !== undefined) throw new Error(left);
      rmdirSync(path);
    },
    [Symbol.dispose]() {
      this.unmount();
    },
  };
}

/** The reason why this machine cannot mount such a disk; undefined when it can. */
export function noSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return 'needs tmpfs: run on Linux';
  try {
    mountSmallDisk(2 ** 20).unmount();
    return undefined;
  } catch (error) {
    return `${error instanceof Error ? error.message : error}: run as root, in a container with CAP_SYS_ADMIN`;
  }
}
