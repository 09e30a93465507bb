// Measures the CPU time of a process tree: with a cgroup if this machine allows one (as root, cgroup v1 or v2), or from
// /proc if not, which misses processes that exit before their parent has waited for them. For a server that kills a
// browser per session, that loses most of the browsers' time.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { cpuSeconds, treePids } from './measure.ts';

export interface CpuClock {
  counter: 'cgroup' | 'proc';
  /** CPU seconds since an arbitrary moment: to measure, subtract two readings. */
  seconds(): number;
  /** Waits until the processes have exited, and removes the cgroup. */
  remove(): Promise<void>;
}

const versions = [
  {
    root: '/sys/fs/cgroup/cpuacct',
    file: 'cpuacct.usage',
    secondsOf: (text: string) => Number(text) / 1e9,
  },
  {
    root: '/sys/fs/cgroup',
    file: 'cpu.stat',
    secondsOf: (text: string) => Number(/^usage_usec (\d+)$/m.exec(text)?.[1]) / 1e6,
  },
] as const;

/** Starts measuring the current processes of the tree and all processes that they start. */
export function cpuClock(root: number): CpuClock {
  for (const { root: folder, file, secondsOf } of versions) {
    const path = join(folder, `browserd-bench-${crypto.randomUUID()}`);
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    const seconds = () => secondsOf(readFileSync(join(path, file), 'utf8'));
    try {
      if (!Number.isFinite(seconds())) throw new Error(`${file} does not contain a time`);
      writeFileSync(join(path, 'cgroup.procs'), String(root));
    } catch {
      rmdirSync(path);
      continue;
    }
    for (const pid of treePids(root)) {
      try {
        writeFileSync(join(path, 'cgroup.procs'), String(pid));
      } catch {
        // The process exited after the listing.
      }
    }
    return {
      counter: 'cgroup',
      seconds,
      async remove() {
        await until('the cgroup to be empty', () => readFileSync(join(path, 'cgroup.procs'), 'utf8').trim() === '');
        rmdirSync(path);
      },
    };
  }
  return { counter: 'proc', seconds: () => cpuSeconds(root), remove: async () => undefined };
}
