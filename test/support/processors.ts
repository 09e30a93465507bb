// Generates load on all processors.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Keeps every processor busy. Uses processes, since Deno does not end a worker that never waits.
 * @returns a function that ends the load
 */
export function busyProcessors(): () => void {
  const busy = cpus().map(() => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
  return () => busy.forEach((process) => process.kill('SIGKILL'));
}
