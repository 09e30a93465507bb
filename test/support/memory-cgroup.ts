// Creates a cgroup with a memory limit, where this machine allows it (as root, cgroup v1 or v2): when a process and its
// children exceed the limit, the kernel kills them, as in a container.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.ts';

export interface MemoryCgroup {
  /** Moves a process into the cgroup; children that it starts afterward are in the cgroup too. */
  add(pid: number): void;
  /** Peak memory of the cgroup in bytes, including the page cache. */
  peakBytes(): number;
  /** Waits until the cgroup is empty and removes it. */
  remove(): Promise<void>;
}

const versions = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak' },
] as const;

/** Creates a cgroup; undefined where this machine does not allow it. */
export function memoryCgroup(limitBytes: number): MemoryCgroup | undefined {
  for (const { root, limit, peak } of versions) {
    const path = join(root, `browserd-test-${crypto.randomUUID()}`);
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    try {
      if (!existsSync(join(path, limit))) throw new Error('it has no memory limit');
      writeFileSync(join(path, limit), String(limitBytes));
    } catch {
      rmdirSync(path);
      continue;
    }
    return {
      add: (pid) => writeFileSync(join(path, 'cgroup.procs'), String(pid)),
      peakBytes: () => Number(readFileSync(join(path, peak), 'utf8')),
      async remove() {
        await until('the cgroup to be empty', () => readFileSync(join(path, 'cgroup.procs'), 'utf8').trim() === '');
        rmdirSync(path);
      },
    };
  }
  return undefined;
}
