// A clock for upper bounds: it stands still while the machine keeps runnable processes waiting for a core, so that a
// limit that the server keeps late because others use the machine is no failure, and one that it keeps late on an idle
// machine is.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const tickMs = 10;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Time in which at least one process waited for a core, since the machine started, in milliseconds. */
const waitedMs = () => Number(/^some .*total=(\d+)/.exec(read('/proc/pressure/cpu'))?.[1] ?? 0) / 1_000;

/** Time per core in which the hypervisor ran other machines, in milliseconds. */
const stolenMs = () => (Number(read('/proc/stat').split(/\s+/, 9)[8] ?? 0) * tickMs) / availableParallelism();

/**
 * Like `performance.now()`, without the time in which the machine was overloaded. Where the system does not report
 * that, the same as `performance.now()`.
 */
export const idleNow = (): number => performance.now() - waitedMs() - stolenMs();
