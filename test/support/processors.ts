// Generates load on all CPUs.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Keeps every CPU busy. Uses processes, because Deno does not terminate a worker that never yields.
 * @returns a function that stops the load
 */
export function busyProcessors(): () => void {
  const busy = cpus().map(() => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
  return () => busy.forEach((process) => process.kill('SIGKILL'));
}
